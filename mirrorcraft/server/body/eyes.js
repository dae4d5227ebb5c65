// What the body sees: blocks by coordinates and by kind, as the client knows them.
//
// Distances are squared and between cells: from that of the feet to that of the block.
const SECTION = 16

/** The blocks around a bot. Blocks are named; outside of the box, and where nothing is loaded, there is null. */
class Eyes {
  constructor (bot, settings) {
    Object.assign(this, { bot, settings, box: settings.box, hidden: new Set(settings.body.hidden_blocks) })
    this.trunks = new Set(settings.trunks)
    this.sections = new Map() // 'x,y,z' of a section -> {kinds: those in it, cells: kind of each cell}
    this.numbers = new Map() // block name -> kind
    this.names = []
    bot.on('blockUpdate', (before, after) => { if (after) this.forget(after.position) })
    for (const event of ['chunkColumnLoad', 'chunkColumnUnload']) {
      bot.on(event, corner => this.forgetColumn(corner.x >> 4, corner.z >> 4))
    }
  }

  forget ({ x, y, z }) {
    this.sections.delete(`${x >> 4},${y >> 4},${z >> 4}`)
  }

  forgetColumn (x, z) {
    for (let y = this.box.min_y >> 4; y < (this.box.min_y + this.box.height) >> 4; y++) this.sections.delete(`${x},${y},${z}`)
  }

  inside (x, y, z) {
    const { half, side, min_y: low, height } = this.box
    return x >= -half && x < side - half && z >= -half && z < side - half && y >= low && y < low + height
  }

  /** Return the name of a block. */
  at (x, y, z) {
    if (!this.inside(x, y, z)) return null
    const section = this.section(x >> 4, y >> 4, z >> 4)
    return section && this.names[section.cells[((y & 15) << 8) | ((z & 15) << 4) | (x & 15)]]
  }

  section (sx, sy, sz) {
    const key = `${sx},${sy},${sz}`
    if (!this.sections.has(key)) {
      const column = this.bot.world.getColumn(sx, sz)
      if (!column) return null
      this.sections.set(key, this.read(column, sy))
    }
    return this.sections.get(key)
  }

  read (column, sy) {
    const cells = new Uint16Array(4096)
    const kinds = new Set()
    const { blocksByStateId } = this.bot.registry
    for (let i = 0; i < 4096; i++) {
      const state = column.getBlockStateId({ x: i & 15, y: sy * SECTION + (i >> 8), z: (i >> 4) & 15 })
      const kind = this.number(blocksByStateId[state].name)
      cells[i] = kind
      kinds.add(kind)
    }
    return { cells, kinds }
  }

  number (name) {
    if (!this.numbers.has(name)) {
      this.numbers.set(name, this.names.length)
      this.names.push(name)
    }
    return this.numbers.get(name)
  }

  // ---- facts of what is at a cell
  facts (x, y, z) {
    const name = this.at(x, y, z)
    return name === null ? null : this.settings.blocks[name]
  }

  /** Return whether a cell stops the body; the border does. */
  solid (x, y, z) {
    const facts = this.facts(x, y, z)
    return !facts || facts.solid
  }

  /** Return the y of the feet of a body in the open on a column; trees are looked through, water carries. */
  ground (x, z) {
    const { min_y: low, height } = this.box
    for (let y = low + height - 1; y > low; y--) {
      const facts = this.facts(x, y, z)
      if (facts && facts.fluid) return y
      if (facts && facts.ground) return y + 1
    }
    return low + 1
  }

  isStation (x, y, z) {
    return this.settings.body.stations.includes(this.at(x, y, z))
  }

  // ---- searching
  /** Return the nearest cells whose block is wanted, nearest first: at most `most`, within a radius. */
  nearest (feet, wanted, most, radius) {
    const found = []
    this.eachSection(feet, radius, (section, corner, gap) => {
      if (found.length >= most && gap > found[most - 1].d) return
      const kinds = new Set([...section.kinds].filter(kind => wanted(this.names[kind])))
      if (!kinds.size) return
      for (let i = 0; i < 4096; i++) {
        if (!kinds.has(section.cells[i])) continue
        const cell = [corner[0] + (i & 15), corner[1] + (i >> 8), corner[2] + ((i >> 4) & 15)]
        const d = distance2(feet, cell)
        if (d <= radius * radius && this.inside(...cell)) found.push({ cell, d })
      }
      found.sort((a, b) => a.d - b.d || order(a.cell, b.cell))
      found.length = Math.min(found.length, most)
    })
    return found.map(({ cell }) => cell)
  }

  /** Return the squared distance of the nearest block of every kind within the search radius. */
  targets (feet) {
    const best = new Map() // kind -> squared distance
    const radius = this.settings.body.search_radius
    this.eachSection(feet, radius, (section, corner, gap) => {
      const open = new Set([...section.kinds].filter(k => !this.hidden.has(this.names[k]) && (best.get(k) ?? Infinity) > gap))
      if (!open.size) return
      for (let i = 0; i < 4096; i++) {
        if (!open.has(section.cells[i])) continue
        const cell = [corner[0] + (i & 15), corner[1] + (i >> 8), corner[2] + ((i >> 4) & 15)]
        const d = distance2(feet, cell)
        if (d <= radius * radius && d < (best.get(section.cells[i]) ?? Infinity)) best.set(section.cells[i], d)
      }
    })
    return Object.fromEntries([...best].map(([kind, d]) => [this.names[kind], d]))
  }

  /** Call back for every section that a ball touches, the nearest first, with the least distance in it. */
  eachSection (feet, radius, visit) {
    const [sx, sy, sz] = feet.map(v => v >> 4)
    const reach = Math.ceil(radius / SECTION)
    const around = []
    for (let x = sx - reach; x <= sx + reach; x++) {
      for (let z = sz - reach; z <= sz + reach; z++) {
        for (let y = sy - reach; y <= sy + reach; y++) {
          const corner = [x * SECTION, y * SECTION, z * SECTION]
          const gap = corner.reduce((sum, low, axis) => sum + outside(feet[axis], low) ** 2, 0)
          if (gap <= radius * radius && this.inside(...corner)) around.push({ x, y, z, corner, gap })
        }
      }
    }
    around.sort((a, b) => a.gap - b.gap)
    for (const { x, y, z, corner, gap } of around) {
      const section = this.section(x, y, z)
      if (section) visit(section, corner, gap)
    }
  }

  /** Return a test for blocks of a name, or of any trunk for `log`. */
  wanted (name) {
    return name === 'log' ? block => this.trunks.has(block) : block => block === name
  }
}

function outside (v, low) {
  return v < low ? low - v : Math.max(0, v - (low + SECTION - 1))
}

function distance2 (a, b) {
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
}

function order (a, b) {
  return a[0] - b[0] || a[2] - b[2] || a[1] - b[1]
}

module.exports = { Eyes, distance2 }
