// What a grid crafts and what a station cooks, by the recipe files of the packs.
const { strip, full } = require('./packs')

const COOKING = { smelting: 200, blasting: 100, smoking: 100, campfire_cooking: 100 }
const UNUSED = ['smithing', 'stonecutting']

/** The recipes of the packs: `craft(grid, width)` and `cook(kind, item)` look one up. */
class Recipes {
  constructor (files, counts, itemTags, others) {
    this.tags = itemTags
    this.crafting = []
    this.cooking = Object.fromEntries(Object.keys(COOKING).map(kind => [kind, new Map()]))
    // Recipes of kinds that no window here offers still have their place in the order of all.
    for (const id of gameOrder([...files.keys(), ...others])) {
      if (files.has(id)) this.add(id, files.get(id), counts.get(id) || 1)
    }
  }

  add (id, json, count) {
    const kind = strip(json.type)
    if (kind === 'crafting_shaped') {
      const key = Object.fromEntries(
        Object.entries(json.key).map(([char, value]) => [char, this.ingredient(value)]))
      const rows = json.pattern.map(row => [...row].map(char => char === ' ' ? null : key[char]))
      this.crafting.push({ id, rows, ...stack(json.result) })
    } else if (kind === 'crafting_shapeless') {
      this.crafting.push({ id, any: json.ingredients.map(i => this.ingredient(i)), ...stack(json.result) })
    } else if (kind in COOKING) {
      const recipe = { id, item: strip(json.result), count, ticks: json.cookingtime || COOKING[kind] }
      for (const item of this.ingredient(json.ingredient)) {
        if (!this.cooking[kind].has(item)) this.cooking[kind].set(item, recipe)
      }
    } else if (!UNUSED.includes(kind) && !kind.startsWith('crafting_special_')) {
      throw new Error(`recipe ${id}: this server does not know the type ${json.type}`)
    }
  }

  ingredient (json) {
    const set = new Set()
    for (const option of Array.isArray(json) ? json : [json]) {
      if (option.item) set.add(strip(option.item))
      else if (option.tag) this.tags.members(option.tag).forEach(item => set.add(item))
      else throw new Error(`ingredient ${JSON.stringify(option)}: neither item nor tag`)
    }
    return set
  }

  /** Return the recipe that a grid makes, or null. The grid is a list of item names or null, row by row. */
  craft (grid, width) {
    const cells = crop(grid, width)
    if (!cells) return null
    const names = cells.flat().filter(Boolean)
    return this.crafting.find(recipe => recipe.rows
      ? shapedFits(recipe.rows, cells) : pairs(recipe.any, names)) || null
  }

  /** Return the recipe by which a kind of station processes an item, or null. */
  cook (kind, item) {
    return this.cooking[kind].get(item) || null
  }
}

function stack (result) {
  return { item: strip(result.item), count: result.count || 1 }
}

/** Return the rows of the smallest rectangle that holds all items, null for an empty grid. */
function crop (grid, width) {
  const used = grid.map((name, i) => name ? i : -1).filter(i => i >= 0)
  if (!used.length) return null
  const xs = used.map(i => i % width)
  const ys = used.map(i => Math.floor(i / width))
  const rows = []
  for (let y = Math.min(...ys); y <= Math.max(...ys); y++) {
    rows.push(grid.slice(y * width + Math.min(...xs), y * width + Math.max(...xs) + 1))
  }
  return rows
}

function shapedFits (rows, cells) {
  if (rows.length !== cells.length || rows[0].length !== cells[0].length) return false
  const fits = wanted => wanted.every((row, y) => row.every((set, x) =>
    set ? set.has(cells[y][x]) : !cells[y][x]))
  return fits(rows) || fits(rows.map(row => [...row].reverse()))
}

/** Return whether items and ingredients can be paired one to one (augmenting paths). */
function pairs (wanted, names) {
  if (wanted.length !== names.length) return false
  const taken = new Array(wanted.length).fill(-1)
  const place = (i, seen) => wanted.some((set, k) => {
    if (!set.has(names[i]) || seen.has(k)) return false
    seen.add(k)
    if (taken[k] >= 0 && !place(taken[k], seen)) return false
    taken[k] = i
    return true
  })
  return names.every((_, i) => place(i, new Set()))
}

/** Return recipe ids in the order in which the game tries them: that of a Java HashMap filled by path. */
function gameOrder (ids) {
  const keys = ids.map(id => {
    const [namespace, path] = full(id).split(':')
    const raw = (Math.imul(javaHash(namespace), 31) + javaHash(path)) | 0
    return { id, file: `${path}.json`, namespace, code: raw ^ (raw >>> 16) }
  })
  keys.sort((a, b) => compare(a.file, b.file) || compare(a.namespace, b.namespace))
  let size = 16
  while (keys.length > size * 3 / 4) size *= 2
  const bucket = key => key.code & (size - 1)
  return keys.sort((a, b) => bucket(a) - bucket(b)).map(key => key.id)
}

function javaHash (text) {
  let code = 0
  for (let i = 0; i < text.length; i++) code = (Math.imul(31, code) + text.charCodeAt(i)) | 0
  return code
}

function compare (a, b) {
  return a < b ? -1 : a > b ? 1 : 0
}

module.exports = { Recipes }
