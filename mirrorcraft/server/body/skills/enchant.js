// enchant: take one of the three offers of a placed enchanting table.
const OPTIONS = ['lowest', 'middle', 'highest']
const [ITEM, LAPIS] = [0, 1]
const OFFER_TICKS = 20

module.exports = async function enchant (self, { item, option }) {
  const { hands, settings } = self
  if (!hands.count(item) && !self.worn().includes(item)) return { reason: 'missing_item', detail: { item } }
  const place = await self.reachStation('enchanting_table')
  if (place.reason) return place
  const plain = self.bot.inventory.items().filter(i => i.name === item && !i.enchants.length)
  if (!settings.items[item].enchantability || !plain.length) return { reason: 'not_enchantable' }
  const n = OPTIONS.indexOf(option)
  if (hands.count('lapis_lazuli') < n + 1) return { reason: 'no_lapis' }
  const window = await hands.open(...place.cell)
  try {
    return await take(self, window, leastWorn(plain), n)
  } finally {
    await hands.close(window)
  }
}

function leastWorn (items) {
  return items.reduce((a, b) => (b.durabilityUsed || 0) < (a.durabilityUsed || 0) ? b : a)
}

async function take (self, window, item, n) {
  const { bot, hands } = self
  const properties = self.propertiesOf(window)
  const wear = item.durabilityUsed || 0
  const accept = i => !i.enchants.length && (i.durabilityUsed || 0) === wear
  await hands.move(window, 'lapis_lazuli', n + 1, LAPIS)
  await hands.move(window, item.name, 1, ITEM, accept)
  await self.until(() => properties[n], OFFER_TICKS) // a server may tell of no offers first
  await self.pause(2)
  const cost = properties[n]
  const refusal = !cost ? { reason: 'no_offer' }
    : bot.experience.level < Math.max(cost, n + 1) ? { reason: 'needs_level', detail: { level: Math.max(cost, n + 1) } } : null
  if (!refusal) {
    bot._client.write('enchant_item', { windowId: window.id, enchantment: n })
    await self.until(() => enchanted(window.slots[ITEM]), OFFER_TICKS)
  }
  const made = window.slots[ITEM]
  for (const slot of [ITEM, LAPIS]) if (window.slots[slot]) await bot.clickWindow(slot, 0, 1)
  if (refusal) return refusal
  if (!enchanted(made)) return { reason: 'no_offer' }
  const enchantments = Object.fromEntries(made.enchants.map(e => [e.name.replace(/^minecraft:/, ''), e.lvl]))
  return { reason: null, number: 1, made: made.name, enchantments }
}

function enchanted (item) {
  return !!item && item.enchants.length > 0
}
