// collect: pick up the nearest heap of an item.
const { distance2 } = require('../eyes')
const { dropped } = require('../hands')

const PICKUP_TICKS = 16

module.exports = async function collect (self, { item }) {
  const { bot, hands, legs, ways, settings } = self
  const feet = legs.cell()
  const heaps = Object.values(bot.entities)
    .filter(entity => entity.name === 'item' && (dropped(entity) || {}).name === item)
    .map(entity => ({ entity, d: distance2(feet, self.cellOf(entity)) }))
    .sort((a, b) => a.d - b.d)
  if (!heaps.length) return { reason: 'not_found' }
  const { entity, d } = heaps[0]
  if (d > settings.body.collect_radius ** 2) return { reason: 'out_of_range' }
  const count = dropped(entity).count
  const cell = self.cellOf(entity)
  if (!await ways.approach(cell)) return { reason: 'pickup_failed' }
  if (bot.entities[entity.id] && !hands.fits(dropped(entity))) return { reason: 'inventory_full' }
  if (bot.entities[entity.id]) await legs.goNear(...cell, 1)
  await self.until(() => !bot.entities[entity.id], PICKUP_TICKS)
  const got = hands.collected[item] || 0
  return { reason: got === 0 ? 'pickup_failed' : got < count ? 'partial' : null, number: got }
}
