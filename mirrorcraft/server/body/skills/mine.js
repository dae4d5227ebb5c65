// mine: break the nearest reachable blocks of a kind, and take what they drop.
const CANDIDATES = 8 // how many of the nearest blocks are tried before the way counts as blocked

module.exports = async function mine (self, { block, count }) {
  const { eyes, tools, hands, ways } = self
  if (block !== 'log' && !tools.canHarvest(block)) return { reason: 'needs_tool' }
  let [why, full, number] = ['not_found', false, 0]
  while (number < count && !full) {
    const found = self.reachable(block, ways.limits, CANDIDATES)
    if (!found.cell) {
      why = found.reason
      break
    }
    const [x, y, z] = found.cell
    const name = eyes.at(x, y, z)
    if (!await ways.go(found.cell, found.way, ways.limits)) {
      why = 'blocked'
      break
    }
    if (eyes.at(x, y, z) === name && (!tools.canHarvest(name) || !await hands.dig(x, y, z))) {
      why = 'blocked'
      break
    }
    hands.broken[name] = (hands.broken[name] || 0) + 1
    number++
    await self.pause(3)
    full = hands.overflows()
    await self.fallInto(x, y, z)
  }
  full = !await hands.gather() && hands.overflows()
  if (full) return { reason: Object.keys(hands.collected).length ? 'inventory_full' : 'pickup_failed', number }
  return { reason: number === count ? null : number ? 'partial' : why, number }
}
