// smelt: put an item and fuel into a station, wait, take out what comes; what was not used comes back.
const [INPUT, FUEL, OUTPUT] = [0, 1, 2]
const [BURNING, COOKED, TOTAL] = [0, 2, 3] // properties of the window: ticks of fire, of progress, of one item
const IDLE_TICKS = 12 // without fire or progress for so long, nothing is processed

module.exports = async function smelt (self, { input, station, count }) {
  const { hands } = self
  if (!hands.count(input)) return { reason: 'missing_item', detail: { item: input } }
  const place = await self.reachStation(station)
  if (place.reason) return place
  const window = await hands.open(...place.cell)
  try {
    return await cook(self, window, input, Math.min(count, hands.count(input)), count)
  } finally {
    await hands.close(window)
  }
}

async function cook (self, window, input, n, asked) {
  const { hands, bot } = self
  const properties = self.propertiesOf(window)
  await self.pause(3) // the state of the fire arrives
  if (!properties[BURNING] && !nextFuel(self, window, input, n)) return { reason: 'no_fuel' }
  if (window.slots[INPUT]) await bot.clickWindow(INPUT, 0, 1) // what an earlier, interrupted call left there
  await takeOut(self, window)
  hands.events.push({ kind: 'cook', input })
  await hands.move(window, input, n, INPUT)
  const inserted = window.slots[INPUT] ? window.slots[INPUT].count : 0 // a slot holds one of what does not stack
  const lit = await tend(self, window, properties, input)
  await bot._syncWindow(window)
  const processed = inserted - (window.slots[INPUT] ? window.slots[INPUT].count : 0)
  for (const slot of [INPUT, FUEL]) if (window.slots[slot]) await bot.clickWindow(slot, 0, 1)
  const out = window.slots[OUTPUT]
  const made = out && out.name
  const madeCount = out ? out.count : 0
  await takeOut(self, window)
  await bot._syncWindow(window)
  const left = window.slots[OUTPUT] ? window.slots[OUTPUT].count : 0
  const report = { number: processed, made, madeCount, left }
  if (left) return { ...report, reason: 'inventory_full' }
  if (!processed) return { ...report, reason: lit ? 'no_fuel' : 'no_output' }
  return { ...report, reason: processed === asked ? null : 'partial' }
}

/** Feed the fire until the input is used up, or nothing goes on any more; return whether anything was cooking. */
async function tend (self, window, properties, input) {
  let [idle, lit] = [0, false]
  while (window.slots[INPUT] && idle < IDLE_TICKS) {
    const { [BURNING]: burning = 0, [COOKED]: cooked = 0, [TOTAL]: total = 0 } = properties
    lit ||= cooked > 0
    const left = window.slots[INPUT].count
    // Fuel is laid on before the fire goes out, or the progress made would be lost.
    if (!window.slots[FUEL] && burning < (cooked > 0 ? total * left - cooked : 1)) {
      const fuel = nextFuel(self, window, input, 0)
      if (fuel) await self.hands.move(window, fuel, 1, FUEL)
      else if (lit && !burning) break
    }
    await self.pause(1)
    const goesOn = properties[COOKED] > 0 || !window.slots[INPUT] || window.slots[INPUT].count < left
    idle = goesOn ? 0 : idle + 1
  }
  return lit
}

/** Return the owned fuel that the body likes best, what is still to be cooked left alone. */
function nextFuel (self, window, input, reserved) {
  const owned = self.owned(window)
  return self.settings.fuels.find(name => (owned[name] || 0) > (name === input ? reserved : 0))
}

async function takeOut (self, window) {
  if (window.slots[OUTPUT]) await self.bot.clickWindow(OUTPUT, 0, 1)
}
