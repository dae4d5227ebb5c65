// explore: search regions not yet visited, nearest first and straight on if possible, until the target is near.
const REGION = 32
const SIDES = [[1, 0], [-1, 0], [0, 1], [0, -1]]

module.exports = async function explore (self, { target }) {
  const { ways, settings } = self
  if (!await ways.surface()) return { reason: 'blocked' }
  const until = self.ticks() + settings.body.explore_ticks
  const entity = settings.entities.includes(target)
  for (;;) {
    const found = entity ? self.nearestMob(target) : self.nearestBlock(target)
    if (found) {
      await walkBeside(self, found)
      return { reason: null, number: 1 }
    }
    const [x, , z] = self.legs.cell()
    self.visited.add(region(self, x, z))
    const goal = frontier(self)
    if (goal === null) self.visited = new Set([region(self, x, z)]) // all seen: the next call starts over
    if (goal === null || self.ticks() >= until) return { reason: 'not_found' }
    await go(self, goal)
  }
}

function across ({ settings }) {
  return settings.box.side / REGION
}

function region (self, x, z) {
  const { half } = self.settings.box
  return Math.floor((x + half) / REGION) * across(self) + Math.floor((z + half) / REGION)
}

function centre (self, number) {
  const { half } = self.settings.box
  const at = i => i * REGION + REGION / 2 - half
  return [at(Math.floor(number / across(self))), at(number % across(self))]
}

/** Return the unvisited region whose centre is nearest, one straight ahead counting half as far; null if none is left. */
function frontier (self) {
  const [x, , z] = self.legs.cell()
  let [best, far] = [null, Infinity]
  for (let number = 0; number < across(self) ** 2; number++) {
    if (self.visited.has(number)) continue
    const [cx, cz] = centre(self, number)
    const ahead = heading(cx - x, cz - z) === self.heading
    const d = ((cx - x) ** 2 + (cz - z) ** 2) * (ahead ? 1 : 2)
    if (d < far) [best, far] = [number, d]
  }
  return best
}

function heading (dx, dz) {
  return Math.abs(dx) >= Math.abs(dz) ? (dx > 0 ? 'east' : 'west') : (dz > 0 ? 'south' : 'north')
}

async function go (self, number) {
  const [x, z] = centre(self, number)
  const [px, , pz] = self.legs.cell()
  self.heading = heading(x - px, z - pz)
  // Centres lie further off than the client sees blocks; a place on the way there is known.
  const part = Math.min(1, REGION / Math.hypot(x - px, z - pz))
  const [gx, gz] = [Math.round(px + (x - px) * part), Math.round(pz + (z - pz) * part)]
  const arrived = await self.legs.goNear(gx, self.eyes.ground(gx, gz), gz, 3)
  if (!arrived) self.visited.add(number) // no path leads there
}

async function walkBeside (self, [x, , z]) {
  const { eyes, legs } = self
  const [px, , pz] = legs.cell()
  let [best, far] = [null, Infinity]
  for (const [dx, dz] of SIDES) {
    const [cx, cz] = [x + dx, z + dz]
    const y = eyes.ground(cx, cz)
    const d = (cx - px) ** 2 + (cz - pz) ** 2
    if (d < far && eyes.inside(cx, y, cz) && !eyes.solid(cx, y, cz)) [best, far] = [[cx, y, cz], d]
  }
  if (best) await legs.goTo(...best)
}
