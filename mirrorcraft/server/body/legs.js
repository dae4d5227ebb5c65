// Moving the body: to a cell beside it, step by step, and over open ground along a path.
const { Vec3 } = require('vec3')
const { Movements, goals } = require('mineflayer-pathfinder')

const NEAR_ENOUGH = 0.18 // of the middle of a cell, so that the body can fall into a shaft of one block
const STEP_TICKS = 60
const THINK_MS = 4000
// After one tick without a key a walking body keeps this much of its speed.
const SLIDE = 0.546

/** The legs of a bot. `pause(ticks)` waits and throws when the skill must end. */
class Legs {
  constructor (bot, eyes, settings, pause) {
    Object.assign(this, { bot, eyes, settings, pause })
  }

  /** The cell of the feet. */
  cell () {
    const { x, y, z } = this.bot.entity.position
    return [Math.floor(x), Math.floor(y + 0.01), Math.floor(z)]
  }

  isAt (x, y, z) {
    const [cx, cy, cz] = this.cell()
    return cx === x && cy === y && cz === z
  }

  offset (x, z) {
    const { position } = this.bot.entity
    return Math.hypot(x + 0.5 - position.x, z + 0.5 - position.z)
  }

  /** Walk to the middle of a cell that lies beside, a step up, or below; return whether the body is there. */
  async stepTo (x, y, z) {
    const { bot } = this
    try {
      for (let tick = 0; tick < STEP_TICKS; tick++) {
        const { position, velocity } = bot.entity
        const left = this.offset(x, z)
        const speed = Math.hypot(velocity.x, velocity.z)
        if (left < NEAR_ENOUGH && speed < 0.05 && bot.entity.onGround) break
        await bot.lookAt(new Vec3(x + 0.5, position.y + 1.6, z + 0.5), true)
        const slide = speed * SLIDE / (1 - SLIDE)
        bot.setControlState('forward', left > NEAR_ENOUGH && left > slide)
        bot.setControlState('sneak', left < 0.5 && y <= position.y + 0.1 && bot.entity.onGround && y > position.y - 0.9)
        bot.setControlState('jump', y > position.y + 0.6 && bot.entity.onGround && left < 1.6)
        await this.pause(1)
      }
    } finally {
      bot.clearControlStates()
    }
    await this.land()
    return this.isAt(x, y, z)
  }

  /** Wait until the body has ground, or water, under it. */
  async land () {
    for (let tick = 0; tick < STEP_TICKS; tick++) {
      if (this.bot.entity.onGround || this.bot.entity.isInWater) return
      await this.pause(1)
    }
  }

  /** Walk to a cell over any ground; dig and build on the way only if there is no other. Return whether it got there. */
  async goTo (x, y, z) {
    if (this.isAt(x, y, z)) return this.stepTo(x, y, z)
    for (const movements of [this.walking(), this.clambering()]) {
      if (await this.follow(movements, new goals.GoalBlock(x, y, z))) return this.stepTo(x, y, z)
    }
    return false
  }

  /** Walk until a cell is within reach of the arm; return whether it is. */
  async goNear (x, y, z, range) {
    for (const movements of [this.walking(), this.clambering()]) {
      if (await this.follow(movements, new goals.GoalNear(x, y, z, range))) return true
    }
    return false
  }

  walking () {
    const movements = new Movements(this.bot)
    Object.assign(movements, { canDig: false, allow1by1towers: false, allowParkour: false, scafoldingBlocks: [], maxDropDown: 8 })
    return movements
  }

  clambering () {
    const movements = new Movements(this.bot)
    const items = this.settings.body.scaffold.map(name => this.bot.registry.itemsByName[name].id)
    Object.assign(movements, { allowParkour: false, scafoldingBlocks: items, maxDropDown: 8, digCost: 3 })
    for (const name of this.settings.body.stations) {
      movements.blocksCantBreak.add(this.bot.registry.blocksByName[name].id)
    }
    return movements
  }

  async follow (movements, goal) {
    const { pathfinder } = this.bot
    pathfinder.thinkTimeout = THINK_MS
    pathfinder.setMovements(movements)
    let over = null
    pathfinder.goto(goal).then(() => { over = { ok: true } }, () => { over = { ok: false } })
    try {
      while (!over) await this.pause(1)
    } finally {
      if (!over) pathfinder.setGoal(null)
    }
    this.bot.clearControlStates()
    await this.land()
    return over.ok
  }
}

module.exports = { Legs }
