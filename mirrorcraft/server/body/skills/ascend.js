// ascend: rise by pillars of disposable blocks, or, for height 0, dig and climb to the open ground.
const { TOO_MANY } = require('../ways')

module.exports = async function ascend (self, { height }) {
  const { legs, ways, hands } = self
  const [x, y, z] = legs.cell()
  if (height === 0) {
    if (!await ways.surface()) return { reason: 'blocked' }
    await hands.gather()
    return { reason: null, number: 1, madeCount: legs.cell()[1] - y }
  }
  if (hands.scaffoldOwned() < height) return { reason: 'no_scaffold' }
  const above = Array.from({ length: height }, (_, i) => y + 2 + i)
  if (above.some(cy => ways.toClear(x, cy, z, ways.limits.soft) >= TOO_MANY)) return { reason: 'blocked' }
  for (let rise = 0; rise < height; rise++) {
    if (!await hands.clear(x, y + 2 + rise, z) || !await hands.pillar()) return { reason: rise ? 'partial' : 'blocked', number: rise, madeCount: rise }
  }
  return { reason: null, number: 1, madeCount: legs.cell()[1] - y }
}
