// place: put an owned block on a free spot beside the body that has something solid under it.
const TOLD_TICKS = 20 // within which the server says that the block has left the inventory
const SPOTS = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [1, -1], [-1, 1], [-1, -1]]

module.exports = async function place (self, { block }) {
  const { hands, eyes, settings, legs } = self
  if (!settings.items[block].block) return { reason: 'not_placeable' }
  if (!hands.count(block)) return { reason: 'missing_item', detail: { item: block } }
  const [px, py, pz] = legs.cell()
  for (const dy of [0, 1, -1]) {
    for (const [dx, dz] of SPOTS) {
      const [x, y, z] = [px + dx, py + dy, pz + dz]
      const facts = eyes.facts(x, y, z)
      if (!facts || !facts.replaceable || !eyes.solid(x, y - 1, z)) continue
      const before = hands.count(block)
      if (!await hands.placeOn(block, x, y - 1, z)) continue
      if (await self.until(() => hands.count(block) < before, TOLD_TICKS)) return { reason: null, number: 1 }
    }
  }
  return { reason: 'no_spot' }
}
