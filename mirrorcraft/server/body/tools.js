// Which owned tool breaks a block, and how long that takes, by the public facts of the game.
const TIERS = { wooden: 0, golden: 0, stone: 1, iron: 2, diamond: 3, netherite: 4 }
const NEVER = Infinity

/** The level of an enchantment on an Item, 0 without it or without an item. */
function level (item, enchantment) {
  const found = item && item.enchants.find(e => e.name.replace(/^minecraft:/, '') === enchantment)
  return found ? found.lvl : 0
}

/** Tools by the facts of blocks and items. */
class Tools {
  constructor (bot, settings) {
    Object.assign(this, { bot, settings })
  }

  /** The owned items that wear, as they lie in the inventory. */
  owned () {
    return this.bot.inventory.items().filter(item => this.settings.items[item.name].durability)
  }

  /** Return whether a block drops something when broken with an item; null is the bare hand. */
  suits (block, item) {
    const facts = this.settings.blocks[block]
    if (!facts.requires_tool) return true
    const tool = item && this.settings.items[item.name]
    if (!tool || !facts.tools.includes(tool.tool)) return false
    return !facts.tier || TIERS[tool.tier] >= TIERS[facts.tier]
  }

  /** Return whether an owned tool, or the hand, makes a block drop. */
  canHarvest (block) {
    return this.suits(block, null) || this.owned().some(item => this.suits(block, item))
  }

  /** Return the ticks to break a block, 0 when instant. */
  ticks (block, item) {
    const facts = this.settings.blocks[block]
    if (facts.hardness < 0) return NEVER
    let speed = item ? this.speed(facts, block, item) : 1
    const efficiency = level(item, 'efficiency')
    if (speed > 1 && efficiency) speed += efficiency ** 2 + 1
    const haste = (this.settings.body.effects.haste + 1) / 5
    // A little less, since floats make some quotients a hair larger than the whole number they are.
    const ticks = Math.ceil(facts.hardness * (this.suits(block, item) ? 30 : 100) / (speed * (1 + haste)) - 1e-9)
    return ticks <= 1 ? 0 : ticks
  }

  speed (facts, block, item) {
    const { tool, tier } = this.settings.items[item.name]
    const special = this.settings.tool_speeds[tool]
    if (special) return special[block] || 1
    return facts.tools.includes(tool) ? this.settings.tier_speeds[tier] : 1
  }

  /** Return { item, ticks }: the owned tool that suits and is fastest, null when none beats the hand. */
  best (block) {
    let best = { item: null, ticks: this.ticks(block, null), suits: this.suits(block, null) }
    for (const item of this.owned()) {
      const next = { item, ticks: this.ticks(block, item), suits: this.suits(block, item) }
      if ((next.suits && !best.suits) || (next.suits === best.suits && next.ticks < best.ticks)) best = next
    }
    return best
  }
}

module.exports = { Tools, level, NEVER }
