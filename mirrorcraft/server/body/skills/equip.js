// equip: wear an armor piece, or take an item in the hand; a station is placed, not equipped.
const WHERE = { head: 'head', chest: 'torso', legs: 'legs', feet: 'feet' }

module.exports = async function equip (self, { item }) {
  const { hands, settings, bot } = self
  const worn = self.worn().includes(item)
  if (!hands.count(item) && !worn) return { reason: 'missing_item', detail: { item } }
  const facts = settings.items[item]
  if (facts.block && settings.body.stations.includes(facts.block)) return { reason: 'not_equippable' }
  if (WHERE[facts.slot]) {
    if (!worn) await bot.equip(hands.find(item), WHERE[facts.slot])
  } else {
    hands.held = item
    await bot.equip(hands.find(item), 'hand')
  }
  await self.pause(2)
  return { reason: null, number: 1 }
}
