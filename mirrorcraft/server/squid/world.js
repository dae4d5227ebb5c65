// The world of a save in memory: its columns, its animals, and void around it. Nothing is ever written back.
const fs = require('fs')
const path = require('path')
const { Vec3 } = require('vec3')
const provider = require('prismarine-provider-anvil')

let columns = new Map() // 'x,z' -> column; the generator below hands them out
const REGION = /^r\.(-?\d+)\.(-?\d+)\.mca$/

/** Read a save: fills the columns and returns { spawn: Vec3, time, animals: [{kind, x, y, z, health, colour}] }. */
async function readSave (folder, registry) {
  const level = await provider.level.readLevel(path.join(folder, 'level.dat'))
  const Anvil = provider.Anvil(registry)
  const regions = new Anvil(path.join(folder, 'region'))
  columns = new Map()
  for (const [x, z] of chunksIn(path.join(folder, 'region'))) {
    columns.set(`${x},${z}`, await regions.load(x, z))
  }
  await regions.close()
  const entities = new Anvil(path.join(folder, 'entities'))
  const animals = []
  for (const [x, z] of chunksIn(path.join(folder, 'entities'))) {
    const chunk = await entities.loadRaw(x, z)
    for (const entity of chunk.value.Entities.value.value) animals.push(animal(entity))
  }
  await entities.close()
  return {
    spawn: new Vec3(level.SpawnX + 0.5, level.SpawnY, level.SpawnZ + 0.5),
    time: Number(level.DayTime),
    animals
  }
}

function animal (entity) {
  const [x, y, z] = entity.Pos.value.value
  const kind = entity.id.value.replace(/^minecraft:/, '')
  return { kind, x, y, z, health: entity.Health.value, colour: entity.Color ? entity.Color.value : 0 }
}

/** Return the chunks that a folder of region files holds; opening others through the provider would create files. */
function chunksIn (folder) {
  const found = []
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const place = REGION.exec(name)
    const header = place && fs.readFileSync(path.join(folder, name)).subarray(0, 4096)
    for (let i = 0; place && i < header.length / 4; i++) {
      if (header.readUInt32BE(i * 4)) found.push([place[1] * 32 + i % 32, place[2] * 32 + (i >> 5)])
    }
  }
  return found
}

/** The generator that the server loads by this file's path: the columns read, and empty ones around them. */
function generator ({ registry }) {
  const Chunk = require('prismarine-chunk')(registry)
  const biome = registry.biomesByName.the_void.id
  return (x, z) => columns.get(`${x},${z}`) || emptyColumn(Chunk, biome)
}

function emptyColumn (Chunk, biome) {
  const column = new Chunk()
  for (let y = column.minY; y < column.minY + column.worldHeight; y++) {
    for (let i = 0; i < 256; i++) column.setSkyLight({ x: i & 15, y, z: i >> 4 }, 15)
    if (y % 4 === 0) for (let i = 0; i < 16; i++) column.setBiome({ x: (i & 3) * 4, y, z: (i >> 2) * 4 }, biome)
  }
  return column
}

/** Blocks by coordinates, without waiting; players see what is set. */
class Blocks {
  constructor (serv) {
    this.serv = serv
    this.Block = require('prismarine-block')(serv.registry)
  }

  /** Return the block of a cell with its position, air outside the save. */
  at (x, y, z) {
    const column = columns.get(`${x >> 4},${z >> 4}`)
    const inside = column && y >= column.minY && y < column.minY + column.worldHeight
    const block = this.Block.fromStateId(inside ? column.getBlockStateId({ x: x & 15, y, z: z & 15 }) : 0, 0)
    block.position = new Vec3(x, y, z)
    return block
  }

  /** Return whether a block carries what lies or stands on it; void does not. */
  carries (x, y, z) {
    const column = columns.get(`${x >> 4},${z >> 4}`)
    if (!column || y < column.minY) return false
    const state = column.getBlockStateId({ x: x & 15, y, z: z & 15 })
    return this.serv.registry.blocksByStateId[state].boundingBox === 'block'
  }

  /** Put a block state into a cell of the save; false outside. */
  set (x, y, z, stateId) {
    const column = columns.get(`${x >> 4},${z >> 4}`)
    if (!column || y < column.minY || y >= column.minY + column.worldHeight) return false
    column.setBlockStateId({ x: x & 15, y, z: z & 15 }, stateId)
    for (const player of this.serv.players) {
      player._client.write('block_change', { location: { x, y, z }, type: stateId })
    }
    return true
  }
}

module.exports = generator
Object.assign(module.exports, { readSave, Blocks })
