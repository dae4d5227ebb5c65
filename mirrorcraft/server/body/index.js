// A body for an agent: one bot in this process, driven from Python by JSON text.
//
// Two ways in, the same functions: required by JSPyBridge, or run as a process that reads lines {"i", "f", "a"} and
// answers {"i", "r"} or {"i", "e"}. All functions return JSON text and settle by themselves; nothing is thrown.
const fs = require('fs')
const readline = require('readline')
const mineflayer = require('mineflayer')
const { pathfinder } = require('mineflayer-pathfinder')
const { Self } = require('./self')

const VERSION = '1.19'
// Standard output and, under JSPyBridge, the error stream carry messages: libraries must not write into them.
for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace']) console[name] = () => {}

let self = null
const news = { fault: null, died: false, advancements: {} }

function lost (text) {
  news.fault ??= text
  if (self) self.end('lost')
}

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, error => lost(`the body crashed: ${(error && error.stack) || error}`))
}

/** Join a server: { port, username, settings: path, deadline }. */
async function connect (text) {
  const { port, username, settings, deadline } = JSON.parse(text)
  return settled(deadline, async () => {
    const bot = mineflayer.createBot({
      host: '127.0.0.1', port, username, version: VERSION, auth: 'offline', viewDistance: 6,
      logErrors: false, hideErrors: true, checkTimeoutInterval: 60000
    })
    bot.on('kicked', reason => lost(`the server kicked the body: ${plain(reason)}`))
    bot.on('end', reason => lost(`the connection ended: ${reason}`))
    bot.on('error', error => lost(`the connection failed: ${error.message}`))
    bot.on('death', () => {
      news.died = true
      if (self) self.end('died')
    })
    bot._client.on('advancements', noteAdvancements)
    bot.loadPlugin(pathfinder)
    await new Promise((resolve, reject) => {
      bot.once('spawn', resolve)
      bot.once('end', () => reject(new Error(news.fault)))
    })
    self = new Self(bot, JSON.parse(fs.readFileSync(settings)))
    await bot.look(0, 0, true) // a server sends the far blocks when the body first moves
    await self.legs.land()
    await self.load()
    return {}
  })
}

function plain (reason) {
  return typeof reason === 'string' ? reason : JSON.stringify(reason)
}

function noteAdvancements ({ reset, advancementMapping, progressMapping }) {
  if (reset) news.advancements = {}
  for (const { key, value } of advancementMapping) news.advancements[key] = { requirements: value.requirements, got: [] }
  for (const { key, value } of progressMapping) {
    const known = news.advancements[key]
    if (known) known.got = value.filter(c => c.criterionProgress).map(c => c.criterionIdentifier)
  }
}

/** Run a skill: its report, see `Self.run`. The deadline is in milliseconds. */
async function call (skill, args, deadline) {
  return settled(deadline + 2000, () => self.run(skill, JSON.parse(args), deadline))
}

/** What an observation shows; see `Self.observe`. */
async function observe (deadline) {
  return settled(deadline, () => {
    self.ended = null
    return self.observe()
  })
}

/** Run an async function to its end or to a deadline, and pack what came of it and what happened meanwhile. */
async function settled (deadline, work) {
  let timer
  const late = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${deadline} ms`)), deadline)
  })
  let answer
  try {
    if (news.fault) throw new Error(news.fault)
    answer = { ok: true, value: await Promise.race([work(), late]) }
  } catch (error) {
    answer = { ok: false, error: news.fault || String(error.message || error) }
  } finally {
    clearTimeout(timer)
  }
  const done = Object.entries(news.advancements)
    .filter(([, { requirements, got }]) => requirements.every(group => group.some(name => got.includes(name))))
    .map(([key]) => key)
  return JSON.stringify({ ...answer, fault: news.fault, died: news.died, advancements: done })
}

/** Leave the server. */
async function quit () {
  if (self) {
    self.end('quit')
    self.bot.quit()
  }
  self = null
  return '{}'
}

/** The memory of this process, in megabytes. */
function memory () {
  return Math.round(process.memoryUsage().rss / 1e6)
}

module.exports = { connect, call, observe, quit, memory }

if (require.main === module) {
  const reply = message => process.stdout.write(`${JSON.stringify(message)}\n`)
  readline.createInterface({ input: process.stdin }).on('line', async line => {
    const { i, f, a } = JSON.parse(line)
    try {
      reply({ i, r: await module.exports[f](...a) })
    } catch (error) {
      reply({ i, e: String(error.stack || error) })
    }
  }).on('close', () => process.exit(0))
}
