// Datapacks of 1.19, laid on each other: what recipes, loot tables, tags and advancements are in force.
const { readZip } = require('./zip')

const FORMAT = 10
const EXTENSION = 'mirrorcraft:extension/cooking_counts'
const KINDS = ['recipes', 'loot_tables', 'advancements', 'tags/items', 'tags/blocks']
// Functions run only on the game's own server; what those of our packs do, the extension file says.
const LEFT_TO_THE_GAME = ['functions', 'tags/functions']

const strip = id => String(id).replace(/^minecraft:/, '')
const full = id => id.includes(':') ? id : `minecraft:${id}`

/**
 * Read packs, the last on top.
 *
 * Returns an object of kind to Map of full id to JSON, and `counts`, recipe id to cooking count.
 * Throws on whatever this server does not know, rather than playing by other rules than the packs'.
 */
function readPacks (paths) {
  const layers = Object.fromEntries(KINDS.map(kind => [kind, new Map()]))
  layers.counts = new Map()
  for (const path of paths) {
    const files = readZip(path)
    const meta = JSON.parse(need(files, 'pack.mcmeta', path))
    if (meta.pack.pack_format !== FORMAT) {
      throw new Error(`${path}: pack_format ${meta.pack.pack_format}, expected ${FORMAT}`)
    }
    hide(layers, (meta.filter || {}).block || [])
    for (const [name, bytes] of files) add(layers, name, bytes, path)
  }
  return layers
}

function need (files, name, path) {
  if (!files.has(name)) throw new Error(`${path}: no ${name}`)
  return files.get(name)
}

function hide (layers, filters) {
  for (const { namespace = '', path = '' } of filters) {
    const inNamespace = new RegExp(namespace)
    const atPath = new RegExp(path)
    for (const kind of KINDS) {
      for (const id of [...layers[kind].keys()]) {
        const [space, name] = id.split(':')
        if (inNamespace.test(space) && atPath.test(`${kind}/${name}.json`)) layers[kind].delete(id)
      }
    }
  }
}

function add (layers, name, bytes, path) {
  if (name === 'pack.mcmeta') return
  const found = /^data\/([^/]+)\/(.+)\.(json|mcfunction)$/.exec(name)
  if (!found) throw new Error(`${path}: ${name} is no file of a datapack`)
  const [, namespace, rest] = found
  const folder = KINDS.concat(LEFT_TO_THE_GAME).find(kind => rest.startsWith(`${kind}/`))
  if (LEFT_TO_THE_GAME.includes(folder)) return
  const id = `${namespace}:${folder ? rest.slice(folder.length + 1) : rest}`
  const json = parse(bytes, `${path}: ${name}`)
  if (id === EXTENSION) {
    for (const [recipe, count] of Object.entries(json.counts)) layers.counts.set(full(recipe), count)
  } else if (!folder) {
    throw new Error(`${path}: this server does not know files such as ${name}`)
  } else if (folder.startsWith('tags/') && !json.replace && layers[folder].has(id)) {
    layers[folder].set(id, { values: [...layers[folder].get(id).values, ...json.values] })
  } else {
    layers[folder].set(id, json)
  }
}

function parse (bytes, place) {
  try {
    return JSON.parse(bytes)
  } catch (e) {
    throw new Error(`${place}: ${e.message}`)
  }
}

/** Tags of one kind: `members(tag)` is the Set of plain ids, references followed. */
class Tags {
  constructor (files) {
    this.files = files
    this.known = new Map()
  }

  members (tag) {
    const id = full(tag)
    if (!this.known.has(id)) {
      const file = this.files.get(id)
      if (!file) throw new Error(`no tag #${id}`)
      const set = new Set()
      for (const value of file.values) {
        const name = typeof value === 'string' ? value : value.id
        if (name[0] === '#') this.members(name.slice(1)).forEach(member => set.add(member))
        else set.add(strip(name))
      }
      this.known.set(id, set)
    }
    return this.known.get(id)
  }
}

module.exports = { readPacks, Tags, strip, full }
