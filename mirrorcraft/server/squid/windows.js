// A player's inventory and open window: clicks, crafting grids, and what the client is told of them.
const GRIDS = { inventory: { width: 2, size: 4 }, crafting_table: { width: 3, size: 9 } }
const FURNACES = ['furnace', 'blast_furnace', 'smoker']
// kind of block -> number of its own slots, and the client's name of its window
const KINDS = {
  crafting_table: [10, 'crafting'],
  furnace: [3, 'furnace'],
  blast_furnace: [3, 'blast_furnace'],
  smoker: [3, 'smoker'],
  enchanting_table: [2, 'enchantment'],
  chest: [27, 'generic_9x3'],
  barrel: [27, 'generic_9x3']
}
const [FIRST, END] = [9, 45] // the 36 slots of the inventory proper
const OUTSIDE = -999
const CURSOR = -1 // number of the slot and of the window of what the hand holds
const ARMOR = { head: 5, chest: 6, legs: 7, feet: 8 }

/** The windows of one player. Slots are numbered as the client numbers those of the window that is open. */
class Windows {
  constructor (game, player) {
    Object.assign(this, { game, player, client: player._client, cursor: null, opened: null })
    this.sequence = 0
    this.stateId = 0
    this.told = new Map() // slot -> signature of what the client takes it to hold
  }

  get inventory () { return this.player.inventory.slots }
  get kind () { return this.opened ? this.opened.kind : 'inventory' }
  get id () { return this.opened ? this.opened.id : 0 }
  get length () { return this.opened ? this.opened.slots.length + 36 : 46 }
  /** Where the 36 slots of the inventory begin in the open window. */
  get start () { return this.opened ? this.opened.slots.length : FIRST }

  get (slot) {
    if (!this.opened) return this.inventory[slot] || null
    return (slot < this.start ? this.opened.slots[slot] : this.inventory[slot - this.start + FIRST]) || null
  }

  set (slot, item) {
    const kept = item && item.count > 0 ? item : null
    if (!this.opened) this.inventory[slot] = kept
    else if (slot < this.start) this.opened.slots[slot] = kept
    else this.inventory[slot - this.start + FIRST] = kept
  }

  /** Open the window of a block; furnaces and chests bring the slots that they keep. */
  open (kind, slots, station) {
    this.close()
    const [size, type] = KINDS[kind]
    this.sequence = this.sequence % 100 + 1
    this.opened = { id: this.sequence, kind, slots: slots || new Array(size).fill(null), station, shown: {} }
    this.client.write('open_window', {
      windowId: this.id,
      inventoryType: this.game.windowTypes[`minecraft:${type}`].type,
      windowTitle: JSON.stringify({ text: kind })
    })
    this.refresh()
  }

  /** Close what is open: what lies in a grid, an enchanting table or the hand goes back to the inventory. */
  close () {
    const back = [this.cursor]
    if (this.kind in GRIDS) {
      for (let slot = 1; slot <= GRIDS[this.kind].size; slot++) back.push(this.take(slot))
      this.set(0, null)
    }
    if (this.kind === 'enchanting_table') back.push(...this.opened.slots)
    this.cursor = null
    this.opened = null
    this.refresh()
    for (const item of back.filter(Boolean)) this.giveOrDrop(item)
  }

  take (slot) {
    const item = this.get(slot)
    this.set(slot, null)
    return item
  }

  /** Put an item into the inventory; return how many did not fit. */
  give (item) {
    const left = this.pour(item.count, item, this.room(), i => this.inventory[i], (i, it) => { this.inventory[i] = it })
    this.sync()
    return left
  }

  giveOrDrop (item) {
    const left = this.give(item)
    const { x, y, z } = this.player.position.floored()
    if (left) this.game.things.drop(this.game.copy(item, left), x, y, z)
  }

  /** The slots of the inventory in the order in which the game fills them: the hotbar first. */
  room () {
    const slots = []
    for (let i = 36; i < END; i++) slots.push(i)
    for (let i = FIRST; i < 36; i++) slots.push(i)
    return slots
  }

  /** Spread `count` of an item over slots, on stacks of it first; return how many are left. */
  pour (count, item, slots, get, set) {
    for (const i of slots) {
      const there = get(i)
      if (count && there && this.game.same(there, item)) {
        const n = Math.min(count, there.stackSize - there.count)
        if (n > 0) there.count += n
        count -= Math.max(n, 0)
      }
    }
    for (const i of slots) {
      if (count && !get(i)) {
        const n = Math.min(count, item.stackSize)
        set(i, this.game.copy(item, n))
        count -= n
      }
    }
    return count
  }

  // ---- clicks
  click ({ slot, mouseButton, mode, stateId, changedSlots, cursorItem }) {
    if (mode === 0 && slot >= 0) this.pick(slot, mouseButton)
    else if (mode === 0 && slot === OUTSIDE) this.throwCursor(mouseButton)
    else if (mode === 1 && slot >= 0) this.quickMove(slot)
    else if (mode === 2 && slot >= 0) this.swap(slot, mouseButton)
    else if (mode === 4 && slot >= 0) this.throwSlot(slot, mouseButton)
    this.updateResult()
    // What is left are drags and double clicks, with which clients ask for the window's true state, as they do with
    // a state of another number.
    if (mode >= 5 || stateId !== this.stateId) return this.refresh()
    const { Item } = this.game
    for (const { location, item } of changedSlots) this.told.set(location, signature(Item.fromNotch(item)))
    this.told.set(CURSOR, signature(Item.fromNotch(cursorItem)))
    this.sync(this.kind in GRIDS && slot >= 0 && slot <= GRIDS[this.kind].size ? [0] : [])
  }

  isResult (slot) {
    return (this.kind in GRIDS && slot === 0) || (FURNACES.includes(this.kind) && slot === 2)
  }

  pick (slot, button) {
    const there = this.get(slot)
    if (this.isResult(slot)) return this.pickResult(slot)
    const hand = this.cursor
    if (hand && !this.accepts(slot, hand)) return
    if (!hand) {
      const n = there ? (button === 0 ? there.count : Math.ceil(there.count / 2)) : 0
      if (n) this.cursor = this.game.copy(there, n)
      if (n) this.set(slot, this.game.copy(there, there.count - n))
    } else if (there && !this.game.same(there, hand)) {
      this.set(slot, hand)
      this.cursor = there
    } else {
      const room = hand.stackSize - (there ? there.count : 0)
      const n = Math.max(0, Math.min(button === 0 ? hand.count : 1, room))
      if (n) this.set(slot, this.game.copy(hand, (there ? there.count : 0) + n))
      this.cursor = this.game.copy(hand, hand.count - n)
    }
    if (this.cursor && this.cursor.count <= 0) this.cursor = null
  }

  pickResult (slot) {
    const made = this.get(slot)
    const hand = this.cursor
    if (!made || (hand && !(this.game.same(hand, made) && hand.count + made.count <= hand.stackSize))) return
    this.cursor = this.game.copy(made, made.count + (hand ? hand.count : 0))
    this.takeResult(slot)
  }

  takeResult (slot) {
    this.set(slot, null)
    if (this.kind in GRIDS) this.useIngredients()
  }

  accepts (slot, item) {
    if (this.kind === 'inventory' && slot >= 5 && slot <= 8) {
      return ARMOR[(this.game.facts.items[item.name] || {}).slot] === slot
    }
    return !(this.kind === 'enchanting_table' && slot === 1) || item.name === 'lapis_lazuli'
  }

  quickMove (slot) {
    const item = this.get(slot)
    if (!item) return
    const left = this.pour(item.count, item, this.targets(slot, item), i => this.get(i), (i, it) => this.set(i, it))
    if (left === item.count) return
    if (this.kind in GRIDS && slot === 0) { // all of the result or nothing, and once a click
      if (left) throw new Error('a result was moved in part')
      this.takeResult(0)
    } else this.set(slot, this.game.copy(item, left))
  }

  /** The slots to which a quick move brings an item. */
  targets (slot, item) {
    const range = (a, b) => Array.from({ length: b - a }, (_, i) => a + i)
    const pockets = range(this.start, this.start + 36)
    if (slot < this.start) return pockets.reverse()
    if (FURNACES.includes(this.kind)) return this.game.fuel(item.name) ? [1] : [0]
    if (this.kind === 'chest' || this.kind === 'barrel') return range(0, 27)
    if (this.kind === 'enchanting_table') return item.name === 'lapis_lazuli' ? [1] : this.get(0) ? [] : [0]
    const armor = this.kind === 'inventory' && ARMOR[(this.game.facts.items[item.name] || {}).slot]
    if (armor && !this.get(armor)) return [armor]
    return slot < this.start + 27 ? range(this.start + 27, this.start + 36) : range(this.start, this.start + 27)
  }

  swap (slot, button) {
    const other = this.start + 27 + button
    if (this.isResult(slot) || button > 8) return
    const item = this.get(slot)
    if (this.get(other) && !this.accepts(slot, this.get(other))) return
    this.set(slot, this.get(other))
    this.set(other, item)
  }

  throwCursor (button) {
    if (!this.cursor) return
    const n = button === 0 ? this.cursor.count : 1
    this.throwDown(this.cursor, n)
    this.cursor = this.cursor.count > n ? this.game.copy(this.cursor, this.cursor.count - n) : null
  }

  throwSlot (slot, button) {
    const item = this.get(slot)
    if (!item || this.isResult(slot)) return
    const n = button === 1 ? item.count : 1
    this.throwDown(item, n)
    this.set(slot, this.game.copy(item, item.count - n))
  }

  throwDown (item, n) {
    const { x, y, z } = this.player.position.floored()
    this.game.things.drop(this.game.copy(item, n), x, y, z)
  }

  // ---- grids
  grid () {
    const { size } = GRIDS[this.kind]
    return Array.from({ length: size }, (_, i) => this.get(i + 1))
  }

  updateResult () {
    if (!(this.kind in GRIDS)) return this.game.enchanting.offer(this)
    const names = this.grid().map(item => item && item.name)
    const recipe = this.game.recipes.craft(names, GRIDS[this.kind].width)
    this.set(0, recipe ? this.game.item(recipe.item, recipe.count) : null)
  }

  useIngredients () {
    this.grid().forEach((item, i) => {
      if (!item) return
      const left = (this.game.facts.items[item.name] || {}).remainder
      if (item.count > 1) this.set(i + 1, this.game.copy(item, item.count - 1))
      else this.set(i + 1, left ? this.game.item(left, 1) : null)
      if (left && item.count > 1) this.giveOrDrop(this.game.item(left, 1))
    })
  }

  // ---- the client
  /** Tell the client what differs from what it has in mind, and advancements what the inventory holds. */
  sync (force = []) {
    for (let slot = 0; slot < this.length; slot++) {
      const told = signature(this.get(slot))
      if (this.told.get(slot) === told && !force.includes(slot)) continue
      this.told.set(slot, told)
      this.write('set_slot', { windowId: this.id, slot, item: this.game.Item.toNotch(this.get(slot)) })
    }
    if (this.told.get(CURSOR) !== signature(this.cursor)) {
      this.told.set(CURSOR, signature(this.cursor))
      this.write('set_slot', { windowId: CURSOR, slot: CURSOR, item: this.game.Item.toNotch(this.cursor) })
    }
    this.game.advancements.inventory(this.player, this.inventory.slice(5).filter(Boolean))
  }

  /** Tell the client the whole window. */
  refresh () {
    const items = Array.from({ length: this.length }, (_, i) => this.game.Item.toNotch(this.get(i)))
    this.told = new Map(items.map((_, i) => [i, signature(this.get(i))]))
    this.told.set(CURSOR, signature(this.cursor))
    this.write('window_items', { windowId: this.id, items, carriedItem: this.game.Item.toNotch(this.cursor) })
    this.game.advancements.inventory(this.player, this.inventory.slice(5).filter(Boolean))
  }

  write (packet, data) {
    this.stateId = (this.stateId + 1) % 32768
    this.client.write(packet, { ...data, stateId: this.stateId })
  }
}

/** A text that is equal for equal stacks. */
function signature (item) {
  return item ? `${item.type}x${item.count}${JSON.stringify(item.nbt || null)}` : ''
}

module.exports = { Windows, KINDS, FURNACES }
