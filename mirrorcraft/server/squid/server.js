// A server of 1.19 that plays by datapacks: flying-squid, with its rules replaced by those of the packs.
//
// Started with the path of a JSON file: { port, rconPort, rconPassword, save, base, facts, seed, ticks }. Lines on stdout are
// events as JSON: {"ready": port} once, {"error": text} for whatever went wrong. It ends when stdin closes.
const fs = require('fs')
const path = require('path')
const { createMCServer } = require('flying-squid')
const { readPacks, Tags, strip } = require('./packs')
const { Recipes } = require('./recipes')
const { Loot } = require('./loot')
const { Advancements } = require('./advancements')
const { Stations, Enchanting } = require('./stations')
const { Things } = require('./things')
const { Windows } = require('./windows')
const { Blocks, readSave } = require('./world')
const { play } = require('./play')
const { run } = require('./commands')
const { serveRcon } = require('./rcon')

const VERSION = '1.19'
const DYES = ['white', 'orange', 'magenta', 'light_blue', 'yellow', 'lime', 'pink', 'gray', 'light_gray', 'cyan', 'purple', 'blue', 'brown', 'green', 'red', 'black']

const say = event => process.stdout.write(`${JSON.stringify(event)}\n`)

/** Everything in force in the one world of this process. */
class Game {
  constructor (settings, registry) {
    this.settings = settings
    this.seed = settings.seed
    this.facts = JSON.parse(fs.readFileSync(settings.facts))
    this.standsOnGround = new Set(this.facts.on_ground)
    this.gamerules = {}
    this.breaks = new Map()
    this.Item = require('prismarine-item')(registry)
    this.windowTypes = require('prismarine-windows')(registry).windows
    this.readRules()
  }

  readRules () {
    const folder = path.join(this.settings.save, 'datapacks')
    this.packs = fs.readdirSync(folder).sort()
    const layers = readPacks([this.settings.base, ...this.packs.map(name => path.join(folder, name))])
    const itemTags = new Tags(layers['tags/items'])
    this.recipes = new Recipes(layers.recipes, layers.counts, itemTags, this.facts.other_recipes)
    this.loot = new Loot(layers.loot_tables, itemTags, this.recipes)
    this.advancements = new Advancements(layers.advancements, itemTags)
  }

  /** Take over a server: called once its own parts are there. */
  attach (serv, save) {
    this.serv = serv
    this.blocks = new Blocks(serv)
    this.things = new Things(this)
    this.stations = new Stations(this)
    this.enchanting = new Enchanting(this)
    serv.time = save.time
    serv.doDaylightCycle = false
    serv.getSpawnPoint = async () => save.spawn.clone()
    serv.overworld.unloadColumn = () => {} // what was changed must not be forgotten
    for (const { kind, x, y, z, health, colour } of save.animals) this.things.summon(kind, x, y, z, { health, colour })
    serv.on('tick', () => {
      try {
        this.things.tick()
        this.stations.tick()
      } catch (error) {
        this.fail(error)
      }
    })
  }

  join (player) {
    player.windows = new Windows(this, player)
    player.inventory.removeAllListeners('updateSlot')
    player.spawnEntity = entity => {
      player._client.write(entity.spawnPacketName, entity.getSpawnPacket())
      player._client.write('entity_metadata', { entityId: entity.id, metadata: this.things.metadata(entity) })
    }
    play(this, player)
    player.on('spawned', () => {
      player._client.write('player_info', {
        action: 'add_player',
        data: [{ uuid: player.uuid, name: player.username, properties: [], gamemode: 0, ping: 0 }]
      })
      this.advancements.greet(player)
      player.windows.refresh()
    })
  }

  item (name, count) {
    const type = this.serv.registry.itemsByName[name]
    if (!type) throw new Error(`no item ${name}`)
    return new this.Item(type.id, count)
  }

  /** An item with what a command says of it: {Damage:3,Enchantments:[{id:"minecraft:fortune",lvl:3s}]}. */
  itemOf (name, count, snbt) {
    const item = this.item(name, count)
    for (const [, id, level] of (snbt || '').matchAll(/\{id:"(?:minecraft:)?(\w+)",lvl:(\d+)s?\}/g)) {
      item.enchants = [...item.enchants, { name: id, lvl: Number(level) }]
    }
    const damage = /Damage:(\d+)/.exec(snbt || '')
    if (damage) item.durabilityUsed = Number(damage[1])
    return item
  }

  copy (item, count) {
    if (count <= 0) return null
    return new this.Item(item.type, count, item.metadata, item.nbt && structuredClone(item.nbt))
  }

  same (a, b) {
    return a.type === b.type && JSON.stringify(a.nbt || null) === JSON.stringify(b.nbt || null)
  }

  dropStack ({ item, count }, x, y, z) {
    const most = this.facts.items[item].stack
    for (let left = count; left > 0; left -= most) this.things.drop(this.item(item, Math.min(left, most)), x, y, z)
  }

  fuel (name) {
    return this.facts.fuels[name] || 0
  }

  lootOf (kind, variant) {
    return kind === 'sheep' ? `entities/sheep/${DYES[variant]}` : this.facts.entities[kind].loot
  }

  /** Return how often a place was counted before. */
  count (place) {
    const n = this.breaks.get(place) || 0
    this.breaks.set(place, n + 1)
    return n
  }

  stateOf (text) {
    const [, name, properties] = /^([^[]+)(?:\[(.*)\])?$/.exec(strip(text))
    const type = this.serv.registry.blocksByName[name]
    if (!type) throw new Error(`no block ${name}`)
    if (!properties) return type.defaultState
    const wanted = Object.fromEntries(properties.split(',').map(pair => pair.split('=')))
    return this.blocks.Block.fromProperties(name, { ...this.blocks.Block.fromStateId(type.defaultState, 0).getProperties(), ...typed(wanted) }, 0).stateId
  }

  setLevel (player, level) {
    player.level = level
    player._client.write('experience', { experienceBar: 0, level, totalExperience: 0 })
  }

  run (line) {
    try {
      return run(this, line)
    } catch (error) {
      this.fail(error)
      return `An unexpected error occurred trying to execute that command: ${error.message}`
    }
  }

  fail (error) {
    say({ error: String(error.stack || error).slice(0, 2000) })
  }

  stop () {
    process.exit(0)
  }
}

function typed (properties) {
  const value = text => text === 'true' ? true : text === 'false' ? false : /^\d+$/.test(text) ? Number(text) : text
  return Object.fromEntries(Object.entries(properties).map(([name, text]) => [name, value(text)]))
}

async function main () {
  const settings = JSON.parse(fs.readFileSync(process.argv[2]))
  const registry = require('prismarine-registry')(VERSION)
  const game = new Game(settings, registry)
  const save = await readSave(settings.save, registry)
  const serv = createMCServer({
    host: '127.0.0.1',
    port: settings.port,
    version: VERSION,
    'online-mode': false,
    logging: false,
    gameMode: 0,
    difficulty: 0,
    kickTimeout: 60000,
    generation: { name: path.join(__dirname, 'world.js'), options: { seed: 1 } },
    plugins: {},
    'max-players': 20,
    'view-distance': 5,
    'player-list-text': { header: { text: '' }, footer: { text: '' } },
    'everybody-op': false,
    'max-entities': 5000
  })
  serv.on('error', error => {
    game.fail(error)
    if (!serv.isReady) process.exit(1) // such as a port that is taken
  })
  serv.on('clientError', (client, error) => game.fail(error))
  serv.on('newPlayer', player => player.on('asap', () => game.join(player)))
  serv.once('pluginsReady', () => game.attach(serv, save))
  await serv.waitForReady(20000)
  serv.setTickInterval(settings.ticks)
  await serveRcon(settings.rconPort, settings.rconPassword, line => game.run(line))
  say({ ready: serv._server.socketServer.address().port })
}

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, error => say({ error: String((error && error.stack) || error).slice(0, 2000) }))
}
process.stdin.on('end', () => process.exit(0)).resume()
main().catch(error => {
  say({ error: String(error.stack || error) })
  process.exit(1)
})
