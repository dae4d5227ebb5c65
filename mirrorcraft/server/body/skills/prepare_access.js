// prepare_access: dig a way to the nearest block of a kind, so that mine or a station can reach it.
module.exports = async function prepareAccess (self, { target }) {
  const { ways, hands } = self
  const found = self.reachable(target, ways.farLimits, 8)
  if (!found.cell) return { reason: found.reason }
  const there = await ways.go(found.cell, found.way, ways.farLimits)
  await hands.gather()
  return there ? { reason: null, number: 1, madeCount: hands.changed } : { reason: 'blocked' }
}
