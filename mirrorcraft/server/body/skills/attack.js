// attack: kill the nearest animals of a kind, and take what they drop.
const { level } = require('../tools')

const ARM = 3.2
const MOST_HITS = 40

module.exports = async function attack (self, { target, count }) {
  const { hands, ways } = self
  let [why, number] = ['not_found', 0]
  while (number < count && !hands.overflows()) {
    const mob = self.nearestMobEntity(target)
    if (!mob) break
    if (!await ways.approach(self.cellOf(mob))) {
      why = 'unreachable'
      break
    }
    const weapon = await arm(self)
    if (!await strike(self, mob, weapon)) {
      why = 'unreachable'
      break
    }
    number++
    hands.events.push({ kind: 'kill', entity: target, variant: self.variantOf(mob), looting: level(weapon, 'looting') })
    await self.pause(3)
  }
  const full = !await hands.gather() && hands.overflows()
  if (full) return { reason: Object.keys(hands.collected).length ? 'inventory_full' : 'pickup_failed', number }
  return { reason: number === count ? null : number ? 'partial' : why, number }
}

/** Take the hardest weapon in hand; return it, or null for the bare hand. */
async function arm (self) {
  const { hands, tools, settings, bot } = self
  let [best, damage] = [null, 1]
  for (const item of tools.owned()) {
    const sharp = level(item, 'sharpness')
    const hit = settings.items[item.name].attack_damage + (sharp ? 0.5 * sharp + 0.5 : 0)
    if (hit > damage) [best, damage] = [item, hit]
  }
  if (best) {
    hands.held = best.name
    await bot.equip(best, 'hand')
  } else await hands.bareHand()
  return best
}

/** Hit until the animal is gone, each time with full strength; return whether it is. */
async function strike (self, mob, weapon) {
  const { bot, settings } = self
  const wait = Math.ceil(20 / (weapon ? settings.items[weapon.name].attack_speed : 4))
  for (let hits = 0; hits < MOST_HITS && bot.entities[mob.id] === mob; hits++) {
    if (mob.position.distanceTo(bot.entity.position) > ARM + 1 && !await self.ways.approach(self.cellOf(mob))) return false
    await bot.lookAt(mob.position.offset(0, mob.height / 2, 0), true)
    bot.attack(mob)
    await self.pause(Math.max(wait, 11)) // and not before the animal can be hurt again
  }
  return bot.entities[mob.id] !== mob
}
