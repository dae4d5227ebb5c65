// A player that presses buttons. Lines of JSON on standard input, one line of JSON as the answer to each:
// {"press": [x, y, z]} is answered with {} once the click is sent, or with {"error": text}. The first line
// out says that the player has joined. Started with port and name; it leaves when its input ends.
const readline = require('readline')
const mineflayer = require('mineflayer')
const { Vec3 } = require('vec3')

for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace']) console[name] = () => {}
const [port, username] = process.argv.slice(2)
const answer = message => process.stdout.write(`${JSON.stringify(message)}\n`)
const lost = text => {
  answer({ error: text })
  process.exit(1)
}
process.on('uncaughtException', error => lost(`the player crashed: ${error.message}`))
process.on('unhandledRejection', error => lost(`the player crashed: ${error && error.message}`))

const bot = mineflayer.createBot({
  host: '127.0.0.1', port: Number(port), username, version: '1.19', auth: 'offline', viewDistance: 6,
  logErrors: false, hideErrors: true, checkTimeoutInterval: 60000
})
bot.on('kicked', reason => lost(`the server kicked the player: ${typeof reason === 'string' ? reason : JSON.stringify(reason)}`))
bot.on('end', reason => lost(`the connection ended: ${reason}`))
bot.on('error', error => lost(`the connection failed: ${error.message}`))
bot.once('spawn', () => answer({}))

async function press (cell) {
  const block = bot.blockAt(new Vec3(...cell))
  if (!block || block.name !== 'stone_button') {
    return { error: `the player sees ${block ? block.name : 'nothing'} at ${cell}, not a stone_button` }
  }
  await bot.activateBlock(block)
  return {}
}

readline.createInterface({ input: process.stdin })
  .on('line', async line => answer(await press(JSON.parse(line).press)))
  .on('close', () => process.exit(0))
