// Writes a save to argv[2] with another program's writer, and to argv[3] what it put into every cell: uint16 indices
// (x, z, y; y fastest, y -64..127) into the block names printed as JSON. All states of some blocks occur.
const fs = require('fs')
const path = require('path')
const { Vec3 } = require('vec3')
const registry = require('prismarine-registry')('1.19')
const Chunk = require('prismarine-chunk')(registry)
const Anvil = require('prismarine-provider-anvil').Anvil('1.19')
const [save, out] = process.argv.slice(2)
const SIDE = 192; const HALF = 96; const HEIGHT = 192; const MIN_Y = -64
const MIXED = ['oak_stairs', 'cobblestone_wall', 'furnace', 'chest', 'spruce_log', 'oak_leaves', 'tall_grass', 'snow', 'iron_ore', 'lava', 'glass_pane']
const states = MIXED.flatMap(name => {
  const block = registry.blocksByName[name]
  return Array.from({ length: block.maxStateId - block.minStateId + 1 }, (_, i) => block.minStateId + i)
})
const defaultState = name => registry.blocksByName[name].defaultState
const solid = ['bedrock', 'deepslate', 'stone', 'air'].map(defaultState)

let seed = 2024
function draw (n) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return Math.floor(seed / 4294967296 * n)
}

function stateAt (y) {
  if (y === MIN_Y) return solid[0]
  if (draw(24) === 0) return states[draw(states.length)]
  return y < 0 ? solid[1] : y < 64 ? solid[2] : solid[3]
}

async function main () {
  const region = path.join(save, 'region')
  fs.mkdirSync(region, { recursive: true })
  const anvil = new Anvil(region)
  const cells = new Uint16Array(SIDE * SIDE * HEIGHT)
  const names = new Map(); const p = new Vec3(0, 0, 0)
  for (let cx = -HALF / 16; cx < HALF / 16; cx++) {
    for (let cz = -HALF / 16; cz < HALF / 16; cz++) {
      const chunk = new Chunk({ minY: MIN_Y, worldHeight: 384, x: cx, z: cz })
      for (p.x = 0; p.x < 16; p.x++) {
        for (p.z = 0; p.z < 16; p.z++) {
          const column = ((cx * 16 + p.x + HALF) * SIDE + cz * 16 + p.z + HALF) * HEIGHT
          for (let y = 0; y < HEIGHT; y++) {
            p.y = y + MIN_Y
            const id = stateAt(p.y)
            const name = registry.blocksByStateId[id].name
            if (!names.has(name)) names.set(name, names.size)
            cells[column + y] = names.get(name)
            chunk.setBlockStateId(p, id)
          }
        }
      }
      await anvil.save(cx, cz, chunk)
    }
  }
  await anvil.close()
  fs.writeFileSync(out, Buffer.from(cells.buffer))
  console.log(JSON.stringify({ blocks: [...names.keys()] }))
}
main().catch(error => { console.error(error); process.exit(1) })
