// Loot tables of the packs, drawn from by the game's rules. What is not known is refused when it is met.
const { strip, full } = require('./packs')

// What they do to an item has no bearing on which item it is, or how many.
const SHAPELESS = ['explosion_decay', 'copy_name', 'copy_nbt', 'copy_state', 'set_contents', 'set_potion']

/**
 * The loot of the packs.
 *
 * A context is { random, tool: {name, levels} or null, looting, byPlayer, onFire, state }: the draws, the item in
 * hand with its enchantment levels, the level of Looting, who killed and how, the properties of the block's state.
 */
class Loot {
  constructor (files, itemTags, recipes) {
    Object.assign(this, { files, tags: itemTags, recipes })
  }

  /** Return the stacks [{item, count}] that a table gives; a table that is not there gives nothing. */
  roll (id, context) {
    const table = this.files.get(full(id))
    if (!table) return []
    const out = []
    for (const pool of table.pools || []) {
      if (!this.all(pool.conditions, context)) continue
      const functions = [...(pool.functions || []), ...(table.functions || [])]
      for (let n = this.number(pool.rolls, context); n > 0; n--) this.draw(pool, functions, context, out)
    }
    return out.filter(stack => stack.count > 0)
  }

  draw (pool, functions, context, out) {
    const open = []
    for (const entry of pool.entries) this.expand(entry, functions, context, open)
    const total = open.reduce((sum, option) => sum + option.weight, 0)
    let left = context.random() * total
    const chosen = open.find(option => (left -= option.weight) < 0)
    if (chosen) chosen.give(out)
  }

  /** Add what an entry offers to `open`; return whether it offered anything. */
  expand (entry, functions, context, open) {
    if (!this.all(entry.conditions, context)) return false
    const own = [...(entry.functions || []), ...functions]
    const offer = give => open.push({ weight: entry.weight || 1, give })
    switch (strip(entry.type)) {
      case 'item': offer(out => out.push(this.stack(strip(entry.name), own, context))); return true
      case 'tag':
        if (entry.expand) {
          for (const name of this.tags.members(entry.name)) offer(out => out.push(this.stack(name, own, context)))
        } else {
          offer(out => this.tags.members(entry.name).forEach(name => out.push(this.stack(name, own, context))))
        }
        return true
      case 'loot_table': offer(out => out.push(...this.changed(this.roll(entry.name, context), own, context))); return true
      case 'alternatives': return entry.children.some(child => this.expand(child, own, context, open))
      case 'group': entry.children.forEach(child => this.expand(child, own, context, open)); return true
      case 'sequence': return entry.children.every(child => this.expand(child, own, context, open))
      case 'empty': case 'dynamic': offer(() => {}); return true // the contents of a box: nothing here is in one
    }
    throw new Error(`loot: this server does not know the entry ${entry.type}`)
  }

  stack (item, functions, context) {
    return this.changed([{ item, count: 1 }], functions, context)[0]
  }

  changed (stacks, functions, context) {
    for (const stack of stacks) {
      for (const f of functions) if (this.all(f.conditions, context)) this.change(stack, f, context)
    }
    return stacks
  }

  change (stack, f, context) {
    const name = strip(f.function)
    if (name === 'set_count') stack.count = (f.add ? stack.count : 0) + this.number(f.count, context)
    else if (name === 'looting_enchant') this.looting(stack, f, context)
    else if (name === 'apply_bonus') stack.count = this.bonus(stack.count, f, context)
    else if (name === 'limit_count') {
      const { min = 0, max = Infinity } = typeof f.limit === 'number' ? { min: f.limit, max: f.limit } : f.limit
      stack.count = Math.max(min, Math.min(stack.count, max))
    } else if (name === 'furnace_smelt') {
      const recipe = this.recipes.cook('smelting', stack.item)
      if (recipe) stack.item = recipe.item
    } else if (!SHAPELESS.includes(name)) throw new Error(`loot: this server does not know the function ${f.function}`)
  }

  looting (stack, f, context) {
    if (!context.looting) return
    stack.count += Math.round(context.looting * this.real(f.count, context))
    if (f.limit) stack.count = Math.min(stack.count, f.limit)
  }

  bonus (count, f, context) {
    const level = this.level(context, f.enchantment)
    const below = n => Math.floor(context.random() * n)
    switch (strip(f.formula)) {
      case 'ore_drops': return level > 0 ? count * Math.max(1, below(level + 2)) : count
      case 'uniform_bonus_count': return count + below(f.parameters.bonusMultiplier * level + 1)
      case 'binomial_with_bonus_count': {
        let hits = 0
        for (let n = level + f.parameters.extra; n > 0; n--) hits += context.random() < f.parameters.probability
        return count + hits
      }
    }
    throw new Error(`loot: this server does not know the formula ${f.formula}`)
  }

  level (context, enchantment) {
    return (context.tool && context.tool.levels[strip(enchantment)]) || 0
  }

  real (provider, context) {
    if (typeof provider === 'number') return provider
    const { min, max } = provider
    return min + context.random() * (max - min)
  }

  number (provider, context) {
    if (typeof provider === 'number') return Math.round(provider)
    const kind = strip(provider.type || 'uniform')
    if (kind === 'uniform') return provider.min + Math.floor(context.random() * (provider.max - provider.min + 1))
    if (kind === 'constant') return Math.round(provider.value)
    if (kind === 'binomial') {
      let hits = 0
      for (let n = provider.n; n > 0; n--) hits += context.random() < provider.p
      return hits
    }
    throw new Error(`loot: this server does not know the number ${provider.type}`)
  }

  all (conditions, context) {
    return (conditions || []).every(condition => this.holds(condition, context))
  }

  holds (c, context) {
    switch (strip(c.condition)) {
      case 'survives_explosion': return true // nothing explodes here
      case 'random_chance': return context.random() < c.chance
      case 'random_chance_with_looting': return context.random() < c.chance + c.looting_multiplier * (context.looting || 0)
      case 'table_bonus': return context.random() < c.chances[Math.min(c.chances.length - 1, this.level(context, c.enchantment))]
      case 'killed_by_player': return !!context.byPlayer !== !!c.inverse
      case 'inverted': return !this.holds(c.term, context)
      case 'alternative': return c.terms.some(term => this.holds(term, context))
      case 'match_tool': return this.fitsTool(c.predicate, context)
      case 'block_state_property': return Object.entries(c.properties || {}).every(
        ([name, value]) => String((context.state || {})[name]) === String(value))
      case 'entity_properties': return !!context.onFire && JSON.stringify(c.predicate) === '{"flags":{"is_on_fire":true}}'
      case 'damage_source_properties': case 'location_check': return false // no frog or arrow kills; no half of a plant above
    }
    throw new Error(`loot: this server does not know the condition ${c.condition}`)
  }

  fitsTool (predicate, context) {
    const { items, tag, enchantments = [], ...rest } = predicate
    if (Object.keys(rest).length) throw new Error(`loot: this server does not know the tool predicate ${Object.keys(rest)}`)
    const name = context.tool && context.tool.name
    if (items && !items.map(strip).includes(name)) return false
    if (tag && !this.tags.members(tag).has(name)) return false
    return enchantments.every(({ enchantment, levels = {} }) => {
      const level = this.level(context, enchantment)
      const { min = 1, max = Infinity } = typeof levels === 'number' ? { min: levels, max: levels } : levels
      return level >= min && level <= max
    })
  }
}

module.exports = { Loot }
