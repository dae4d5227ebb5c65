// Reads the save at argv[2] and writes what every cell holds: argv[3] gets uint16 indices (x, z, y; y fastest) into
// the states printed as JSON, with the biomes and the files found in the region folder before and after.
const fs = require('fs')
const path = require('path')
const { Vec3 } = require('vec3')
const registry = require('prismarine-registry')('1.19')
const Block = require('prismarine-block')(registry)
const Anvil = require('prismarine-provider-anvil').Anvil('1.19')
const { level } = require('prismarine-provider-anvil')
const [save, out] = process.argv.slice(2)
const SIDE = 192; const HALF = 96; const HEIGHT = 384; const MIN_Y = -64

function stateText (id) {
  const block = Block.fromStateId(id, 0)
  const properties = block.getProperties()
  const inner = Object.keys(properties).sort().map(key => `${key}=${properties[key]}`).join(',')
  return inner ? `${block.name}[${inner}]` : block.name
}

async function main () {
  const region = path.join(save, 'region')
  const anvil = new Anvil(region)
  const cells = new Uint16Array(SIDE * SIDE * HEIGHT)
  const numberOf = new Map(); const biomes = new Set(); const p = new Vec3(0, 0, 0)
  for (let cx = -HALF / 16; cx < HALF / 16; cx++) {
    for (let cz = -HALF / 16; cz < HALF / 16; cz++) {
      const chunk = await anvil.load(cx, cz)
      biomes.add(registry.biomes[chunk.getBiome(new Vec3(0, 64, 0))].name)
      for (p.x = 0; p.x < 16; p.x++) {
        for (p.z = 0; p.z < 16; p.z++) {
          const column = ((cx * 16 + p.x + HALF) * SIDE + cz * 16 + p.z + HALF) * HEIGHT
          for (let y = 0; y < HEIGHT; y++) {
            p.y = y + MIN_Y
            const id = chunk.getBlockStateId(p)
            if (!numberOf.has(id)) numberOf.set(id, numberOf.size)
            cells[column + y] = numberOf.get(id)
          }
        }
      }
    }
  }
  await anvil.close()
  fs.writeFileSync(out, Buffer.from(cells.buffer))
  const data = await level.readLevel(path.join(save, 'level.dat'))
  const spawn = [data.SpawnX, data.SpawnY, data.SpawnZ]
  console.log(JSON.stringify({ states: [...numberOf.keys()].map(stateText), biomes: [...biomes], name: data.LevelName, spawn, packs: data.DataPacks.Enabled }))
}
main().catch(error => { console.error(error); process.exit(1) })
