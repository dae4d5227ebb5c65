// Blocks that keep something: furnaces that cook while time passes, chests, enchanting tables with their offers.
const { KINDS, FURNACES } = require('./windows')
const { luck } = require('./luck')

const COOKS = { furnace: 'smelting', blast_furnace: 'blasting', smoker: 'smoking' }
const [INPUT, FUEL, OUTPUT] = [0, 1, 2]

/** The slots of placed furnaces and chests, by position. */
class Stations {
  constructor (game) {
    this.game = game
    this.at = new Map() // 'x,y,z' -> {kind, slots, burning, burnTotal, cooked}
  }

  /** Return what a block keeps, made at first use; null for a block that keeps nothing. */
  open ({ name, position }) {
    if (!FURNACES.includes(name) && name !== 'chest' && name !== 'barrel') return null
    const key = position.toArray().join()
    if (!this.at.has(key)) {
      this.at.set(key, { kind: name, slots: new Array(KINDS[name][0]).fill(null), burning: 0, burnTotal: 0, cooked: 0 })
    }
    return this.at.get(key)
  }

  /** Forget a broken block; return the items that were in it. */
  close (position) {
    const key = position.toArray().join()
    const station = this.at.get(key)
    this.at.delete(key)
    return station ? station.slots.filter(Boolean) : []
  }

  tick () {
    for (const station of this.at.values()) if (station.kind in COOKS) this.cook(station)
  }

  /** One tick of a furnace, as the game's own. */
  cook (station) {
    const { slots } = station
    const input = slots[INPUT]
    const recipe = input && this.game.recipes.cook(COOKS[station.kind], input.name)
    const open = recipe && this.fits(slots[OUTPUT], recipe)
    let changed = false
    if (station.burning > 0) station.burning--
    if (station.burning === 0 && open && slots[FUEL]) changed = this.light(station)
    if (station.burning > 0 && open) {
      if (++station.cooked >= recipe.ticks) {
        station.cooked = 0
        slots[INPUT] = input.count > 1 ? this.game.copy(input, input.count - 1) : null
        slots[OUTPUT] = this.game.item(recipe.item, recipe.count + (slots[OUTPUT] ? slots[OUTPUT].count : 0))
        changed = true
      }
    } else if (!open) station.cooked = 0
    else station.cooked = Math.max(0, station.cooked - 2)
    this.show(station, recipe, changed)
  }

  fits (output, recipe) {
    const stack = this.game.facts.items[recipe.item].stack
    return !output || (output.name === recipe.item && output.count + recipe.count <= stack)
  }

  light (station) {
    const fuel = station.slots[FUEL]
    const ticks = this.game.fuel(fuel.name)
    if (!ticks) return false
    // A blast furnace and a smoker burn fuel twice as fast.
    station.burning = station.burnTotal = station.kind === 'furnace' ? ticks : Math.floor(ticks / 2)
    const left = this.game.facts.items[fuel.name].remainder
    if (fuel.count > 1) station.slots[FUEL] = this.game.copy(fuel, fuel.count - 1)
    else station.slots[FUEL] = left ? this.game.item(left, 1) : null
    return true
  }

  show (station, recipe, changed) {
    for (const { windows } of this.game.serv.players) {
      if (!windows || !windows.opened || windows.opened.slots !== station.slots) continue
      if (changed) windows.sync()
      const values = [station.burning, station.burnTotal, station.cooked, recipe ? recipe.ticks : 0]
      values.forEach((value, property) => {
        if (windows.opened.shown[property] === value) return
        windows.opened.shown[property] = value
        windows.client.write('craft_progress_bar', { windowId: windows.id, property, value })
      })
    }
  }
}

/** Enchanting tables: three offers that stay until one is taken (EnchantmentMenu and EnchantmentHelper of 1.19). */
class Enchanting {
  constructor (game) {
    this.game = game
    this.taken = 0
  }

  random (...names) {
    const draw = luck(this.game.seed, 'enchant', this.taken, ...names)
    return { below: n => Math.floor(draw() * n), real: draw }
  }

  /** Compute the offers for what lies in a player's open table, and show them. */
  offer (windows) {
    if (windows.kind !== 'enchanting_table') return
    const item = windows.get(0)
    const value = item && !item.enchants.length ? this.game.facts.items[item.name].enchantability : 0
    const shelves = this.shelves(windows.opened.station)
    const costs = [0, 1, 2].map(option => value ? this.cost(option, shelves) : 0)
    windows.opened.costs = costs
    const chosen = costs.map((cost, option) => cost ? this.choose(item, option, cost)[0] : undefined)
    const values = [...costs, 0, ...chosen.map(c => c ? c.enchantment.id : -1), ...chosen.map(c => c ? c.level : -1)]
    values.forEach((value, property) => windows.client.write('craft_progress_bar', {
      windowId: windows.id, property, value
    }))
  }

  cost (option, shelves) {
    const { below } = this.random('cost', option)
    const base = below(8) + 1 + (shelves >> 1) + below(shelves + 1)
    const cost = [Math.max(Math.floor(base / 3), 1), Math.floor(base * 2 / 3) + 1, Math.max(base, shelves * 2)][option]
    return cost >= option + 1 ? cost : 0
  }

  shelves ({ x, y, z }) {
    let n = 0
    for (let dx = -2; dx <= 2; dx++) {
      for (let dz = -2; dz <= 2; dz++) {
        if (Math.max(Math.abs(dx), Math.abs(dz)) < 2) continue
        for (const dy of [0, 1]) {
          const between = this.game.blocks.at(x + Math.trunc(dx / 2), y + dy, z + Math.trunc(dz / 2))
          n += between.name === 'air' && this.game.blocks.at(x + dx, y + dy, z + dz).name === 'bookshelf'
        }
      }
    }
    return Math.min(n, 15)
  }

  /** Take an offer; nothing happens when the player cannot. */
  take (windows, option) {
    const item = windows.get(0)
    const lapis = windows.get(1)
    const cost = windows.opened && windows.opened.costs ? windows.opened.costs[option] : 0
    const { player } = windows
    if (!item || !cost || !lapis || lapis.count < option + 1) return
    if (player.level < cost || player.level < option + 1) return
    const chosen = this.choose(item, option, cost)
    if (!chosen.length) return
    const made = item.name === 'book' ? this.game.item('enchanted_book', 1) : this.game.copy(item, 1)
    made.enchants = chosen.map(({ enchantment, level }) => ({ name: enchantment.name, lvl: level }))
    windows.set(0, made)
    windows.set(1, this.game.copy(lapis, lapis.count - option - 1))
    this.game.setLevel(player, player.level - option - 1)
    this.taken++
    this.game.advancements.trigger(player, 'enchanted_item', { item: made })
    this.offer(windows)
    windows.sync()
  }

  /** Return the enchantments of an offer: [{enchantment, level}]. */
  choose (item, option, cost) {
    const { below, real } = this.random('choice', option, item.name)
    const bonus = Math.floor(this.game.facts.items[item.name].enchantability / 4) + 1
    let power = cost + 1 + below(bonus) + below(bonus)
    power = Math.max(1, Math.round(power + power * (real() + real() - 1) * 0.15))
    let open = this.candidates(item)
    const chosen = []
    for (let chance = power; ; chance = Math.floor(chance / 2)) {
      const fitting = open.map(e => ({ enchantment: e, level: levelFor(e, power) })).filter(c => c.level > 0)
      if (!fitting.length) break
      let left = below(fitting.reduce((sum, c) => sum + c.enchantment.weight, 0))
      const next = fitting.find(c => (left -= c.enchantment.weight) < 0)
      chosen.push(next)
      open = open.filter(e => e !== next.enchantment && !next.enchantment.exclude.includes(e.name))
      if (below(50) > chance) break
    }
    if (item.name === 'book' && chosen.length > 1) chosen.splice(below(chosen.length), 1)
    return chosen
  }

  candidates (item) {
    const { registry } = this.game.serv
    const kinds = registry.itemsByName[item.name].enchantCategories || []
    return registry.enchantmentsArray.filter(e => !e.treasureOnly && e.discoverable !== false &&
      (item.name === 'book' || kinds.includes(e.category)))
  }
}

function levelFor (enchantment, power) {
  const at = (cost, level) => cost.a * level + cost.b
  for (let level = enchantment.maxLevel; level > 0; level--) {
    if (power >= at(enchantment.minCost, level) && power <= at(enchantment.maxCost, level)) return level
  }
  return 0
}

module.exports = { Stations, Enchanting }
