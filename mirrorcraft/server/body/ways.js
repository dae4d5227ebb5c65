// How the body gets to a cell: over the open ground, or by digging, whichever clears fewer blocks.
//
// The plan is the same closed form as the simulator's; how it is carried out is up to legs and hands. What the world
// does to the plan on the way (a gap in the floor, a fall) is met by planning on from where the body is.
const TOO_MANY = 1 << 20
const [OVER, UNDER] = ['over', 'under']
const [REACH_UP, REACH_DOWN] = [5, 3] // cells above and below the feet that the arm covers beside the body
const SIDES = [[1, 0], [-1, 0], [0, 1], [0, -1]]
const MOST_STEPS = 160

/** The ways of a bot. */
class Ways {
  constructor (eyes, tools, legs, hands, settings) {
    Object.assign(this, { eyes, tools, legs, hands, settings })
    this.limits = { blocks: settings.body.max_clear, soft: settings.body.soft_ticks }
    this.farLimits = { blocks: settings.body.access_blocks, soft: settings.body.access_ticks }
  }

  /** Return whether the body can walk off over open ground: it stands on it, or can step out of a dip. */
  outdoors () {
    const [x, y, z] = this.legs.cell()
    return y >= this.eyes.ground(x, z) && SIDES.some(([dx, dz]) =>
      this.eyes.inside(x + dx, y, z + dz) && this.eyes.ground(x + dx, z + dz) <= y + 1)
  }

  /** Return how many blocks stand in a cell (0 or 1), TOO_MANY when it cannot be dug within `soft` ticks. */
  toClear (x, y, z, soft) {
    if (!this.eyes.solid(x, y, z)) return 0
    const name = this.eyes.at(x, y, z)
    if (name === null || this.eyes.isStation(x, y, z)) return TOO_MANY // no body digs through its own furnace
    return this.tools.best(name).ticks <= soft ? 1 : TOO_MANY
  }

  /** Return { cleared, way }: blocks to clear on the way to where a block can be broken or used. */
  plan (target, { blocks, soft }) {
    const over = this.outdoors() ? this.overGround(target, blocks, soft).cost : TOO_MANY
    if (over === 0) return { cleared: 0, way: OVER }
    const under = this.tunnel(target, Math.min(blocks, over), soft)
    if (Math.min(over, under) > blocks) return { cleared: TOO_MANY, way: OVER }
    return over <= under ? { cleared: over, way: OVER } : { cleared: under, way: UNDER }
  }

  /** Go to a block or animal; return whether there was a way and the body went it. */
  async approach (target, limits = this.limits) {
    const { cleared, way } = this.plan(target, limits)
    return cleared < TOO_MANY && this.go(target, way, limits)
  }

  async go (target, way, limits) {
    if (way === UNDER) return this.digTunnel(target, limits)
    const plan = this.overGround(target, limits.blocks, limits.soft)
    if (await this.walk(plan, target, limits)) return true
    return this.digTunnel(target, limits) // open ground that no path leads over
  }

  /** The cheaper of: a column beside the target, or its own column and down. */
  overGround ([tx, ty, tz], limit, soft) {
    const own = this.eyes.ground(tx, tz)
    const [px, , pz] = this.legs.cell()
    let best = { cost: TOO_MANY, far: 0, stand: null }
    for (const [dx, dz] of SIDES) {
      const [x, z] = [tx + dx, tz + dz]
      if (!this.eyes.inside(x, ty, z)) continue
      const y = this.eyes.ground(x, z)
      const shows = ty >= own ? ty - y >= -REACH_DOWN && ty - y <= REACH_UP : y <= ty && ty <= y + REACH_UP
      if (!shows) continue
      const cost = this.toClear(x, y, z, soft) + this.toClear(x, y + 1, z, soft)
      const far = (x - px) ** 2 + (z - pz) ** 2
      if (cost < best.cost || (cost === best.cost && far < best.far)) best = { cost, far, stand: [x, y, z] }
    }
    if (best.cost === 0 || ty >= own) return best
    let dig = 0
    for (let y = own - 1; y > ty && dig < TOO_MANY; y--) {
      dig += this.toClear(tx, y, tz, soft)
      if (dig > limit) dig = TOO_MANY
    }
    return dig < best.cost ? { cost: dig, stand: [tx, own, tz], down: ty + 1 } : best
  }

  async walk ({ cost, stand, down }, target, limits) {
    if (cost > limits.blocks || !stand) return false
    const [x, y, z] = stand
    if (down === undefined && cost > 0) {
      if (!await this.legs.goNear(x, y, z, 2)) return false
      for (const cy of [y + 1, y]) if (!await this.hands.clear(x, cy, z)) return false
    }
    if (!await this.legs.goTo(x, y, z)) return false
    for (let cy = y - 1; down !== undefined && cy >= down; cy--) {
      if (!await this.hands.clear(x, cy, z)) return false
      await this.legs.stepTo(x, cy, z)
    }
    return true
  }

  // ---- tunnels
  /** Return the blocks to clear in a passage two blocks high from the body towards a target. */
  tunnel (target, limit, soft) {
    let cell = this.legs.cell()
    let cleared = 0
    for (;;) {
      const end = passageEnds(cell, target)
      if (end === 'below') {
        for (let y = cell[1] + 2; y < target[1]; y++) cleared += this.toClear(cell[0], y, cell[2], soft)
        return cleared <= limit ? cleared : TOO_MANY
      }
      if (end) return end === 'far' ? TOO_MANY : cleared
      for (const [x, y, z] of stepCells(cell, nextCell(cell, target))) cleared += this.toClear(x, y, z, soft)
      if (cleared > limit) return TOO_MANY
      cell = nextCell(cell, target)
    }
  }

  async digTunnel (target, limits) {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const cell = this.legs.cell()
      const end = passageEnds(cell, target)
      if (end === 'far') return false
      if (end === 'below') return this.clearAll(Array.from({ length: target[1] - cell[1] - 2 }, (_, i) => [cell[0], cell[1] + 2 + i, cell[2]]), limits)
      if (end) return true
      const next = nextCell(cell, target)
      if (!await this.clearAll(stepCells(cell, next), limits) || !await this.floor(cell, next)) return false
      if (!await this.legs.stepTo(...next) && same(this.legs.cell(), cell)) return false
    }
    return false
  }

  async clearAll (cells, { soft }) {
    for (const [x, y, z] of cells) {
      if (this.toClear(x, y, z, soft) >= TOO_MANY || !await this.hands.clear(x, y, z)) return false
    }
    return true
  }

  /** See to it that there is something to stand on at the next cell, when the way leads on the level or up. */
  async floor (cell, [x, y, z]) {
    if (y < cell[1] || this.eyes.solid(x, y - 1, z)) return true
    const name = this.hands.scaffold()
    if (!name) return y === cell[1] // the body may fall, but it cannot climb on nothing
    for (let low = y - 1; low >= y - 3; low--) { // from the nearest solid block up
      if (!this.eyes.solid(x, low - 1, z)) continue
      for (let at = low; at < y; at++) if (!await this.hands.placeOn(name, x, at - 1, z)) return y === cell[1]
      return true
    }
    return y === cell[1]
  }

  // ---- the way up
  /** Climb to the open ground above; return whether the body is there. */
  async surface () {
    const { blocks, soft } = this.farLimits
    if (this.outdoors()) return true
    const [x, y, z] = this.legs.cell()
    const top = this.top([x, y, z])
    let cleared = 0
    for (let cy = y + 2; cy < top + 2; cy++) cleared += this.toClear(x, cy, z, soft)
    if (cleared > blocks) return false
    while (this.legs.cell()[1] < top && !this.outdoors()) {
      const [, cy] = this.legs.cell()
      if (!await this.hands.clear(x, cy + 2, z)) return false
      if (!this.hands.scaffold()) await this.hands.waitForDrops()
      if (!this.hands.scaffold()) return this.stair(top)
      if (!await this.hands.pillar()) return false
    }
    return this.outdoors()
  }

  /** Without blocks to stand on, dig a stair to the open ground, to the side that takes fewest; return whether it is there. */
  async stair (top) {
    const { blocks, soft } = this.farLimits
    const [x, y, z] = this.legs.cell()
    const ways = SIDES.map(([dx, dz]) => [x + dx * (top - y), z + dz * (top - y)])
      .filter(([tx, tz]) => this.eyes.inside(tx, y, tz))
      .map(([tx, tz]) => [tx, this.eyes.ground(tx, tz), tz])
      .map(target => ({ target, cost: this.tunnel(target, blocks, soft) }))
      .sort((a, b) => a.cost - b.cost)
    if (!ways.length || ways[0].cost > blocks) return false
    await this.digTunnel(ways[0].target, this.farLimits)
    return this.outdoors()
  }

  /** Return the height of the ground that a body can step out on from a column. */
  top ([x, y, z]) {
    const own = this.eyes.ground(x, z)
    if (y < own) return own
    const around = SIDES.map(([dx, dz]) => this.eyes.ground(x + dx, z + dz)).filter(ground => ground > y)
    return Math.min(...around)
  }
}

/** Return how a passage that has come to a cell ends there: 'beside', 'below', 'far' above; false if it goes on. */
function passageEnds ([x, y, z], [tx, ty, tz]) {
  const [flat, dy] = [Math.abs(tx - x) + Math.abs(tz - z), ty - y]
  if ((flat === 1 && dy >= 0 && dy <= 1) || (flat === 0 && dy >= -1 && dy <= 2)) return 'beside'
  if (flat === 0 && dy > 2) return dy > REACH_UP ? 'far' : 'below'
  return false
}

/** Return the next cell of a passage: along the longer way, and a step up or down with it; straight down last. */
function nextCell ([x, y, z], [tx, ty, tz]) {
  const [dx, dy, dz] = [tx - x, ty - y, tz - z]
  if (dx === 0 && dz === 0) return [x, y - 1, z]
  const up = dy > 1 ? 1 : dy < 0 ? -1 : 0
  return Math.abs(dx) >= Math.abs(dz) ? [x + Math.sign(dx), y + up, z] : [x, y + up, z + Math.sign(dz)]
}

/** Return the cells that a step of a passage needs free, from above to below. */
function stepCells ([x, y, z], [nx, ny, nz]) {
  const cells = ny > y ? [[x, y + 2, z]] : []
  const high = nx === x && nz === z ? ny : Math.max(ny, y) + 1
  for (let cy = high; cy >= ny; cy--) cells.push([nx, cy, nz])
  return cells
}

function same (a, b) {
  return a.every((v, i) => v === b[i])
}

module.exports = { Ways, TOO_MANY }
