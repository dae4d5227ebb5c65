// craft_grid: lay a grid out by clicks, and see what the server makes of it.
module.exports = async function craftGrid (self, { station, grid }) {
  const { hands, bot } = self
  const needs = {}
  for (const name of grid.flat().filter(Boolean)) needs[name] = (needs[name] || 0) + 1
  const missing = Object.keys(needs).find(name => hands.count(name) < needs[name])
  if (missing) return { reason: 'missing_item', detail: { item: missing } }
  let window = bot.inventory
  if (station === 'crafting_table') {
    const place = await self.reachStation('crafting_table')
    if (place.reason) return place
    window = await hands.open(...place.cell)
  }
  hands.events.push({ kind: 'craft' })
  try {
    return await submit(self, window, grid, station === 'inventory' ? 2 : 3)
  } finally {
    if (window !== bot.inventory) await hands.close(window)
  }
}

async function submit (self, window, grid, width) {
  const { bot } = self
  await layOut(self, window, grid, width)
  await bot._syncWindow(window)
  const made = window.slots[0]
  const result = made && { item: made.name, count: made.count }
  const place = made && room(window, made)
  if (place) {
    await bot.clickWindow(0, 0, 0)
    await stow(bot, window)
  }
  for (let slot = 1; slot <= width * width; slot++) if (window.slots[slot]) await bot.clickWindow(slot, 0, 1)
  await bot._syncWindow(window)
  if (!result) return { reason: 'no_result' }
  if (!place) return { reason: 'inventory_full' }
  return { reason: null, number: 1, made: result.item, madeCount: result.count }
}

/** Put the items of a grid into its slots, one stack in the hand at a time. */
async function layOut (self, window, grid, width) {
  const { bot } = self
  const slots = {}
  grid.forEach((row, y) => row.forEach((name, x) => { if (name) (slots[name] ||= []).push(1 + y * width + x) }))
  for (const [name, wanted] of Object.entries(slots)) {
    while (wanted.length) {
      const from = window.slots.findIndex((item, i) =>
        i >= window.inventoryStart && i < window.inventoryEnd && item && item.name === name)
      await bot.clickWindow(from, 0, 0)
      while (wanted.length && window.selectedItem) await bot.clickWindow(wanted.shift(), 1, 0)
      if (window.selectedItem) await bot.clickWindow(from, 0, 0)
    }
  }
}

/** Return whether a stack fits into the inventory part of a window. */
function room (window, item) {
  let free = 0
  for (let slot = window.inventoryStart; slot < window.inventoryEnd; slot++) {
    const there = window.slots[slot]
    if (!there) free += item.stackSize
    else if (there.type === item.type && !there.nbt) free += there.stackSize - there.count
  }
  return free >= item.count
}

/** Put what is in the hand into the inventory part of a window, on stacks of it first. */
async function stow (bot, window) {
  const slots = []
  for (let slot = window.inventoryStart; slot < window.inventoryEnd; slot++) slots.push(slot)
  const fits = slot => window.slots[slot] && window.slots[slot].type === window.selectedItem.type &&
    window.slots[slot].count < window.slots[slot].stackSize
  for (const test of [fits, slot => !window.slots[slot]]) {
    for (const slot of slots) if (window.selectedItem && test(slot)) await bot.clickWindow(slot, 0, 0)
  }
}
