// trade: one named offer of a villager nearby, as often as asked; its other offers are not told.
module.exports = async function trade (self, { give, get, count }) {
  const { bot, hands, ways } = self
  const villager = self.nearestMobEntity('villager')
  if (!villager) return { reason: 'no_villager' }
  if (!await ways.approach(self.cellOf(villager))) return { reason: 'unreachable' }
  const window = await bot.openVillager(villager)
  try {
    const index = window.trades.findIndex(t => t.inputItem1.name === give && t.outputItem.name === get && !t.tradeDisabled)
    if (index < 0) return { reason: 'no_offer' }
    const price = window.trades[index].inputItem1.count
    const possible = Math.min(count, Math.floor(hands.count(give) / price))
    if (!possible) return { reason: 'missing_item', detail: { item: give } }
    await bot.trade(window, index, possible)
    return { reason: possible === count ? null : 'partial', number: possible }
  } finally {
    await hands.close(window)
  }
}
