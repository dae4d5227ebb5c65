// The hands of the body: breaking and placing blocks, picking things up, moving items between slots.
const { Vec3 } = require('vec3')

const SPAWN_TICKS = 4 // after which a broken block's drops are there
const PICKUP_TICKS = 14
const [FIRST_SLOT, LAST_SLOT, HOTBAR] = [9, 44, 36]
const FREE = 8 // the place of the hotbar that is kept empty for the bare hand
const UP = new Vec3(0, 1, 0)

/** The hands of a bot, and what they report: `broken`, `collected`, `events` and how many blocks `changed` since `begin`. */
class Hands {
  constructor (bot, eyes, tools, legs, settings, pause) {
    Object.assign(this, { bot, eyes, tools, legs, settings, pause })
    this.held = null // the item that the body means to hold; null is the bare hand
    this.fresh = new Map() // entity id -> entity: items dropped during this action
    this.begin()
    bot.on('entitySpawn', entity => { if (entity.name === 'item') this.fresh.set(entity.id, entity) })
    bot.on('entityGone', entity => this.fresh.delete(entity.id))
    bot._client.on('collect', packet => this.onCollect(packet))
    bot.on('blockPlaced', () => { this.changed++ })
    const dig = bot.dig
    bot.dig = async (block, ...how) => { // the path finder digs through it, too
      const tool = bot.heldItem
      await dig(block, ...how)
      this.onDug(block.name, tool)
    }
  }

  begin () {
    Object.assign(this, { broken: {}, collected: {}, events: [], changed: 0 })
    this.fresh.clear()
  }

  onCollect ({ collectedEntityId, collectorEntityId, pickupItemCount }) {
    if (collectorEntityId !== this.bot.entity.id) return
    const item = dropped(this.bot.entities[collectedEntityId])
    if (item) this.collected[item.name] = (this.collected[item.name] || 0) + pickupItemCount
  }

  onDug (block, tool) {
    this.changed++
    const worn = tool && this.settings.items[tool.name].durability ? tool : null
    if (!this.tools.suits(block, worn)) return
    const levels = Object.fromEntries((worn ? worn.enchants : []).map(e => [e.name.replace(/^minecraft:/, ''), e.lvl]))
    this.events.push({ kind: 'break', block, tool: worn && worn.name, levels })
  }

  // ---- blocks
  /** Break a block within reach with the best owned tool; return whether it is gone. What grew on it falls with it. */
  async dig (x, y, z) {
    const name = this.eyes.at(x, y, z)
    const { item } = this.tools.best(name)
    if (item) {
      this.held = item.name
      await this.bot.equip(item, 'hand')
    } else await this.bareHand()
    const plants = this.plantsAbove(x, y, z)
    const block = this.bot.blockAt(new Vec3(x, y, z))
    try {
      await this.bot.dig(block, true)
    } catch (error) {
      if (this.eyes.at(x, y, z) === name) return false
    }
    await this.pause(1)
    for (const plant of plants) {
      if (this.eyes.at(x, plant.y, z) !== plant.name) this.events.push({ kind: 'break', block: plant.name, tool: null, levels: {} })
    }
    return this.eyes.at(x, y, z) !== name
  }

  plantsAbove (x, y, z) {
    const plants = []
    for (let above = y + 1; this.settings.on_ground.includes(this.eyes.at(x, above, z)); above++) {
      plants.push({ y: above, name: this.eyes.at(x, above, z) })
    }
    return plants
  }

  /** Break whatever solid block is in a cell; return whether the cell is free. */
  async clear (x, y, z) {
    for (let tries = 0; tries < 2 && this.eyes.solid(x, y, z); tries++) {
      if (!this.eyes.inside(x, y, z) || !await this.dig(x, y, z)) return false
    }
    return !this.eyes.solid(x, y, z)
  }

  /** Put an owned block on top of another; return whether it stands there. */
  async placeOn (name, x, y, z) {
    const item = this.find(name)
    if (!item) return false
    await this.bot.equip(item, 'hand')
    try {
      await this.bot._placeBlockWithOptions(this.bot.blockAt(new Vec3(x, y, z)), UP, { swingArm: 'right', forceLook: true })
    } catch (error) {
      return this.eyes.solid(x, y + 1, z)
    }
    return true
  }

  /** Return the first owned block of those that the body may leave behind. */
  scaffold () {
    return this.settings.body.scaffold.find(name => this.count(name) > 0)
  }

  scaffoldOwned () {
    return this.settings.body.scaffold.reduce((sum, name) => sum + this.count(name), 0)
  }

  /** Rise by a block: jump, and put a block under the feet; once more if the jump came too late or too low. */
  async pillar () {
    const [x, y, z] = this.legs.cell()
    for (let tries = 0; tries < 2 && !this.legs.isAt(x, y + 1, z); tries++) {
      const name = this.scaffold()
      if (!name || !await this.legs.stepTo(x, y, z)) return false
      await this.jumpOnto(name, x, y, z)
    }
    return this.legs.isAt(x, y + 1, z)
  }

  async jumpOnto (name, x, y, z) {
    await this.bot.equip(this.find(name), 'hand')
    await this.bot.look(this.bot.entity.yaw, -Math.PI / 2, true)
    this.bot.setControlState('jump', true)
    try {
      for (let tick = 0; tick < 12 && this.bot.entity.position.y < y + 1.02; tick++) await this.pause(1)
      await this.placeOn(name, x, y - 1, z)
    } finally {
      this.bot.setControlState('jump', false)
    }
    await this.legs.land()
  }

  // ---- what lies around
  /** Pick up what dropped during this action, walking to what lies off; return whether all of it is taken. */
  async gather () {
    const home = this.legs.cell()
    await this.waitForDrops()
    for (const entity of this.left()) {
      const { x, y, z } = entity.position.floored()
      if (!this.bot.entities[entity.id] || !this.fits(dropped(entity))) continue
      if (await this.legs.goNear(x, y, z, 1)) {
        for (let tick = 0; tick < PICKUP_TICKS && this.bot.entities[entity.id]; tick++) await this.pause(1)
      }
    }
    if (!this.legs.isAt(...home)) await this.legs.goTo(...home)
    return !this.left().length
  }

  /** Give what dropped the time to come to the body. */
  async waitForDrops () {
    await this.pause(SPAWN_TICKS)
    for (let tick = 0; tick < PICKUP_TICKS && this.left().length; tick++) await this.pause(1)
  }

  /** The fresh drops that still lie there. */
  left () {
    return [...this.fresh.values()].filter(entity => this.bot.entities[entity.id])
  }

  /** Return whether something that dropped has no room in the inventory. */
  overflows () {
    return this.left().some(entity => !this.fits(dropped(entity)))
  }

  /** Return whether one more of an item fits into the inventory. */
  fits (item) {
    if (!item) return true
    return this.slots().some(there => !there || (there.name === item.name && there.count < there.stackSize))
  }

  slots () {
    return this.bot.inventory.slots.slice(FIRST_SLOT, LAST_SLOT + 1)
  }

  // ---- items
  count (name) {
    return this.bot.inventory.items().reduce((sum, item) => sum + (item.name === name ? item.count : 0), 0)
  }

  find (name) {
    return this.bot.inventory.items().find(item => item.name === name)
  }

  /** Hold nothing: turn to the place of the hotbar that is kept free, making room there if there is room elsewhere. */
  async bareHand () {
    const { slots } = this.bot.inventory
    const free = slots.findIndex((item, i) => i >= FIRST_SLOT && i < HOTBAR + FREE && !item)
    if (slots[HOTBAR + FREE] && free >= 0) {
      await this.bot.clickWindow(HOTBAR + FREE, 0, 0) // no quick move: that would put armor on
      await this.bot.clickWindow(free, 0, 0)
    }
    if (this.bot.quickBarSlot !== FREE) this.bot.setQuickBarSlot(FREE)
  }

  /** After an action: hold what the body means to hold, whatever it had to take in hand meanwhile. */
  async settle () {
    const item = this.held && this.find(this.held)
    if (!item) this.held = null
    if (!item) await this.bareHand()
    else if (!this.bot.heldItem || this.bot.heldItem.name !== this.held) await this.bot.equip(item, 'hand')
  }

  /** Open the window of a block. */
  async open (x, y, z) {
    const block = this.bot.blockAt(new Vec3(x, y, z))
    await this.bot.lookAt(block.position.offset(0.5, 0.5, 0.5), true)
    return this.bot.openBlock(block)
  }

  async close (window) {
    this.bot.closeWindow(window)
    await this.pause(2)
  }

  /** Move up to `count` of an item from the inventory part of a window into one of its slots, as far as it fits there. */
  async move (window, name, count, slot, accept = () => true) {
    for (let left = count; left > 0;) {
      const from = window.slots.findIndex((item, i) =>
        i >= window.inventoryStart && i < window.inventoryEnd && item && item.name === name && accept(item))
      if (from < 0) return
      const { count: owned, stackSize } = window.slots[from]
      const there = window.slots[slot]
      const n = Math.min(left, owned, stackSize - (there ? there.count : 0))
      if (n <= 0) return
      await this.bot.clickWindow(from, 0, 0)
      if (n === owned) await this.bot.clickWindow(slot, 0, 0)
      else for (let k = 0; k < n; k++) await this.bot.clickWindow(slot, 1, 0)
      if (window.selectedItem) await this.bot.clickWindow(from, 0, 0)
      left -= n
    }
  }
}

/** Return the Item of a dropped item's entity, null while the client does not know it. */
function dropped (entity) {
  try {
    return entity ? entity.getDroppedItem() : null
  } catch (error) {
    return null // its data has not arrived
  }
}

module.exports = { Hands, dropped }
