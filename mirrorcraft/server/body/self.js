// The body as one thing: its senses and limbs, what it remembers of an episode, and how a skill is run.
const { Eyes, distance2 } = require('./eyes')
const { Tools } = require('./tools')
const { Legs } = require('./legs')
const { Hands, dropped } = require('./hands')
const { Ways, TOO_MANY } = require('./ways')
const { SKILLS } = require('./skills')

const HAND_SLOTS = ['head', 'chest', 'legs', 'feet']
const ARMOR_SLOT = 5
const LOAD_TICKS = 200
const SHEEP_COLOUR = 17 // key of the metadata of a sheep in 1.19; the low four bits are the colour
const ARM_FLAT = 3 // cells along x and z together from which a station can be used as the body stands

/** A skill was ended from outside: by its deadline, by death, by the loss of the server. */
class Ended extends Error {}

/** One body in the game. */
class Self {
  constructor (bot, settings) {
    Object.assign(this, { bot, settings, clock: 0, visited: new Set(), heading: null })
    this.ended = null // why no skill can go on
    this.properties = { id: null, values: {} } // of the open window
    this.waiting = new Set()
    const pause = ticks => this.pause(ticks)
    this.eyes = new Eyes(bot, settings)
    this.tools = new Tools(bot, settings)
    this.legs = new Legs(bot, this.eyes, settings, pause)
    this.hands = new Hands(bot, this.eyes, this.tools, this.legs, settings, pause)
    this.ways = new Ways(this.eyes, this.tools, this.legs, this.hands, settings)
    bot.on('physicsTick', () => this.tick())
    bot._client.on('open_window', ({ windowId }) => { this.properties = { id: windowId, values: {} } })
    bot._client.on('craft_progress_bar', ({ windowId, property, value }) => {
      if (windowId === this.properties.id) this.properties.values[property] = value
    })
  }

  // ---- time
  tick () {
    this.clock++
    for (const wait of [...this.waiting]) if (--wait.left <= 0) this.release(wait)
  }

  ticks () {
    return this.clock
  }

  release (wait) {
    this.waiting.delete(wait)
    if (this.ended) wait.reject(this.ended)
    else wait.resolve()
  }

  /** Wait for ticks; throws once the skill must end. */
  pause (ticks) {
    if (this.ended) return Promise.reject(this.ended)
    return new Promise((resolve, reject) => this.waiting.add({ left: ticks, resolve, reject }))
  }

  /** Wait until something is so, or so many ticks have passed; return whether it is. */
  async until (test, ticks) {
    for (let tick = 0; tick < ticks && !test(); tick++) await this.pause(1)
    return !!test()
  }

  /** End the skill that runs, at its next pause. */
  end (reason) {
    this.ended = new Ended(reason)
    for (const wait of [...this.waiting]) this.release(wait)
  }

  /** Run a skill until it is over or its deadline comes; return its report. Never throws. */
  async run (skill, args, deadline) {
    this.ended = null
    this.hands.begin()
    const timer = setTimeout(() => this.end('timeout'), deadline)
    let report
    try {
      report = await SKILLS[skill](this, args)
      await this.hands.settle()
    } catch (error) {
      if (!(error instanceof Ended)) return { crash: String(error.stack || error) }
      report = { reason: error.message, number: Object.values(this.hands.broken).reduce((a, b) => a + b, 0) }
      this.letGo()
    } finally {
      clearTimeout(timer)
    }
    const { broken, collected, events } = this.hands
    return { number: 0, ...report, broken, collected, events }
  }

  letGo () {
    this.bot.pathfinder.setGoal(null)
    this.bot.stopDigging()
    this.bot.clearControlStates()
    if (this.bot.currentWindow) this.bot.closeWindow(this.bot.currentWindow)
  }

  // ---- looking for things
  /** Return { cell, way } of the nearest wanted block that can be got at, else { reason }. */
  reachable (target, limits, candidates) {
    const feet = this.legs.cell()
    const found = this.eyes.nearest(feet, this.eyes.wanted(target), candidates, this.settings.body.search_radius)
    for (const cell of found) {
      const { cleared, way } = this.ways.plan(cell, limits)
      if (cleared < TOO_MANY) return { cell, way }
    }
    return { reason: found.length ? 'blocked' : 'not_found' }
  }

  /** Walk to the nearest station of a kind that can be reached; return { cell } or { reason }. */
  async reachStation (kind) {
    const radius = this.settings.body.station_radius
    const found = this.eyes.nearest(this.legs.cell(), name => name === kind, 16, radius)
    for (const cell of found) {
      if (this.near(cell) || await this.ways.approach(cell)) return { cell }
    }
    if (found.length) return { reason: 'station_unreachable' }
    return { reason: kind === 'crafting_table' ? 'needs_table' : 'needs_station' }
  }

  near ([x, y, z]) {
    const [px, py, pz] = this.legs.cell()
    return Math.abs(x - px) + Math.abs(z - pz) <= ARM_FLAT && y - py >= -3 && y - py <= 4
  }

  nearestBlock (target) {
    return this.eyes.nearest(this.legs.cell(), this.eyes.wanted(target), 1, this.settings.body.search_radius)[0]
  }

  nearestMob (kind) {
    const mob = this.nearestMobEntity(kind)
    return mob && this.cellOf(mob)
  }

  nearestMobEntity (kind) {
    const feet = this.legs.cell()
    const distance = mob => distance2(feet, this.cellOf(mob))
    const near = this.living().filter(mob => mob.name === kind)
    return near.sort((a, b) => distance(a) - distance(b) || a.id - b.id)[0]
  }

  /** The living things within the search radius, players left out. */
  living () {
    const feet = this.legs.cell()
    const radius = this.settings.body.search_radius
    return Object.values(this.bot.entities).filter(entity => entity !== this.bot.entity &&
      this.settings.entities.includes(entity.name) && entity.type !== 'player' &&
      distance2(feet, this.cellOf(entity)) <= radius ** 2)
  }

  cellOf (entity) {
    const { x, y, z } = entity.position
    return [Math.floor(x), Math.floor(y + 0.01), Math.floor(z)]
  }

  variantOf (mob) {
    return mob.name === 'sheep' ? (mob.metadata[SHEEP_COLOUR] || 0) & 15 : null
  }

  async fallInto (x, y, z) {
    await this.legs.land()
    const cell = this.legs.cell()
    if (cell[0] === x && cell[2] === z && cell[1] === y) await this.legs.stepTo(x, y, z)
  }

  /** The properties of a window by number, such as how far a furnace is; they change as the server tells them. */
  propertiesOf (window) {
    return this.properties.id === window.id ? this.properties.values : {}
  }

  /** Item to count of the inventory part of a window. */
  owned (window) {
    const counts = {}
    for (let slot = window.inventoryStart; slot < window.inventoryEnd; slot++) {
      const item = window.slots[slot]
      if (item) counts[item.name] = (counts[item.name] || 0) + item.count
    }
    return counts
  }

  worn () {
    return HAND_SLOTS.map((_, i) => this.bot.inventory.slots[ARMOR_SLOT + i]).map(item => item ? item.name : null)
  }

  // ---- what it sees
  /** Wait until the blocks around the body are there. */
  async load () {
    const [x, , z] = this.legs.cell()
    const radius = this.settings.body.search_radius
    for (let tick = 0; tick < LOAD_TICKS; tick++) {
      let missing = false
      for (let cx = (x - radius) >> 4; cx <= (x + radius) >> 4; cx++) {
        for (let cz = (z - radius) >> 4; cz <= (z + radius) >> 4; cz++) {
          missing ||= this.eyes.inside(cx * 16, 0, cz * 16) && !this.bot.world.getColumn(cx, cz)
        }
      }
      if (!missing) return
      await this.pause(1)
    }
    throw new Error('the server does not send the blocks around the body')
  }

  /** Return what an observation shows of the world. Distances are squared, between cells. */
  async observe () {
    await this.load()
    const { bot } = this
    const [x, y, z] = this.legs.cell()
    const worn = this.worn()
    const inventory = {}
    for (const item of [...bot.inventory.items(), ...worn.filter(Boolean).map(name => ({ name, count: 1 }))]) {
      inventory[item.name] = (inventory[item.name] || 0) + item.count
    }
    const biome = bot.world.getBiome(bot.entity.position.floored())
    return {
      inventory,
      hand: this.hands.held,
      worn,
      level: bot.experience.level,
      health: bot.health,
      food: bot.food,
      cell: [x, y, z],
      biome: bot.registry.biomes[biome].name,
      targets: this.eyes.targets([x, y, z]),
      drops: this.dropsSeen([x, y, z]),
      entities: this.entitiesSeen([x, y, z]),
      facilities: this.facilities([x, y, z])
    }
  }

  dropsSeen (feet) {
    const seen = {}
    for (const entity of Object.values(this.bot.entities)) {
      const item = entity.name === 'item' && dropped(entity)
      if (item) seen[item.name] = Math.min(seen[item.name] ?? Infinity, distance2(feet, this.cellOf(entity)))
    }
    return seen
  }

  entitiesSeen (feet) {
    const seen = {}
    for (const mob of this.living()) {
      const d = distance2(feet, this.cellOf(mob))
      const entry = seen[mob.name] ||= { count: 0, nearest: d }
      entry.count++
      entry.nearest = Math.min(entry.nearest, d)
    }
    return seen
  }

  facilities (feet) {
    const { stations, station_radius: radius } = this.settings.body
    const seen = {}
    for (const kind of stations) {
      const [cell] = this.eyes.nearest(feet, name => name === kind, 1, radius)
      if (cell) seen[kind] = distance2(feet, cell)
    }
    return seen
  }
}

module.exports = { Self }
