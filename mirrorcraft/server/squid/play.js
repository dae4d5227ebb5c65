// What a player does with its hands: digging, placing, opening, striking. The server's own handlers are replaced.
const { Vec3 } = require('vec3')
const { luck } = require('./luck')
const { KINDS } = require('./windows')

const SIDES = [[0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [-1, 0, 0], [1, 0, 0]]
const REPLACED = ['block_dig', 'block_place', 'use_entity', 'window_click', 'close_window', 'tab_complete', 'enchant_item']
const TIERS = { wooden: 0, golden: 0, stone: 1, iron: 2, diamond: 3, netherite: 4 }
const HURT_TICKS = 10 // after a hit a thing cannot be hurt for so long

/** Attach the handlers of one player to its client. */
function play (game, player) {
  const client = player._client
  for (const event of REPLACED) client.removeAllListeners(event)
  const guarded = f => data => {
    try {
      f(data)
    } catch (error) {
      game.fail(error)
    }
  }
  client.on('block_dig', guarded(({ location, status }) => {
    if (status === 2 || (status === 0 && instant(game, player, location))) dig(game, player, location)
  }))
  client.on('block_place', guarded(data => useOn(game, player, data)))
  client.on('use_entity', guarded(({ target, mouse }) => mouse === 1 && strike(game, player, target)))
  client.on('window_click', guarded(click => {
    if (click.windowId === player.windows.id) player.windows.click(click)
  }))
  client.on('close_window', guarded(() => player.windows.close()))
  client.on('enchant_item', guarded(({ windowId, enchantment }) => {
    if (windowId === player.windows.id) game.enchanting.take(player.windows, enchantment)
  }))
  client.on('tab_complete', ({ transactionId }) => client.write('tab_complete', {
    transactionId, start: 0, length: 0, matches: []
  }))
}

function held (player) {
  return player.inventory.slots[36 + player.heldItemSlot] || null
}

function levels (item) {
  return Object.fromEntries((item ? item.enchants : []).map(e => [e.name.replace(/^minecraft:/, ''), e.lvl]))
}

function instant (game, player, { x, y, z }) {
  return (game.facts.blocks[game.blocks.at(x, y, z).name] || {}).hardness === 0
}

/** Return whether a block gives its drops to an item in hand. */
function suits (game, block, item) {
  const facts = game.facts.blocks[block.name]
  if (!facts.requires_tool) return true
  const tool = item && game.facts.items[item.name]
  return !!tool && facts.tools.includes(tool.tool) && (!facts.tier || TIERS[tool.tier] >= TIERS[facts.tier])
}

function dig (game, player, location) {
  const block = game.blocks.at(location.x, location.y, location.z)
  const facts = game.facts.blocks[block.name]
  if (!facts || block.name === 'air' || facts.hardness < 0) return
  const item = held(player)
  breakBlock(game, block, item, suits(game, block, item))
  if (facts.hardness > 0) wear(game, player, game.facts.items[item ? item.name : ''], { sword: 2 })
}

/** Take a block away and drop what it gives; plants above it come off as well. */
function breakBlock (game, block, item, drops) {
  const { x, y, z } = block.position
  game.blocks.set(x, y, z, 0)
  for (const left of game.stations.close(block.position)) game.things.drop(left, x, y, z)
  if (drops) {
    const random = luck(game.seed, 'break', x, y, z, game.count(`${x},${y},${z}`))
    const tool = item && { name: item.name, levels: levels(item) }
    for (const stack of game.loot.roll(`blocks/${block.name}`, { random, tool, state: block.getProperties() })) {
      game.dropStack(stack, x, y, z)
    }
  }
  const above = game.blocks.at(x, y + 1, z)
  if (game.standsOnGround.has(above.name)) breakBlock(game, above, null, true)
}

/** A use of what is in hand costs durability: one, or more for the kinds of tool in `more`. */
function wear (game, player, facts, more) {
  const item = held(player)
  if (!item || !facts || !facts.durability) return
  const unbreaking = levels(item).unbreaking || 0
  const random = luck(game.seed, 'wear', game.serv.tickCount)
  let used = item.durabilityUsed || 0
  for (let n = more[facts.tool] || 1; n > 0; n--) if (random() * (unbreaking + 1) < 1) used++
  item.durabilityUsed = used
  if (used >= facts.durability) player.inventory.slots[36 + player.heldItemSlot] = null
  player.windows.sync()
}

/** Use a block: open its window, or place what is in hand against it. */
function useOn (game, player, { location, direction }) {
  const block = game.blocks.at(location.x, location.y, location.z)
  if (block.name in KINDS && !player.crouching) {
    const station = game.stations.open(block)
    player.windows.open(block.name, station && station.slots, block.position)
    return
  }
  const item = held(player)
  const placed = item && game.facts.items[item.name].block
  const replaces = (game.facts.blocks[block.name] || {}).replaceable
  const [dx, dy, dz] = replaces ? [0, 0, 0] : SIDES[direction]
  const { x, y, z } = block.position.offset(dx, dy, dz)
  const there = game.blocks.at(x, y, z)
  const free = (game.facts.blocks[there.name] || {}).replaceable && !stands(player, x, y, z)
  if (placed && free) {
    game.blocks.set(x, y, z, game.serv.registry.blocksByName[placed].defaultState)
    player.inventory.slots[36 + player.heldItemSlot] = game.copy(item, item.count - 1)
    player.windows.sync()
  }
  // The client waits for both blocks, placed or not.
  for (const at of [block.position, new Vec3(x, y, z)]) {
    player._client.write('block_change', { location: at, type: game.blocks.at(at.x, at.y, at.z).stateId })
  }
}

function stands (player, x, y, z) {
  const { x: px, y: py, z: pz } = player.position
  const within = (a, low, high) => a > low && a < high
  return within(px, x - 0.3, x + 1.3) && within(pz, z - 0.3, z + 1.3) && within(py, y - 1.8, y + 1 - 1e-6)
}

function strike (game, player, target) {
  const thing = game.things.animals.get(target)
  if (!thing || game.serv.tickCount - thing.hurt < HURT_TICKS) return
  const item = held(player)
  const facts = item ? game.facts.items[item.name] : { attack_damage: 1, attack_speed: 4 }
  const enchantments = levels(item)
  const waited = (game.serv.tickCount - (player.lastStrike || -Infinity)) * facts.attack_speed / 20
  const charge = Math.min(1, waited)
  const sharp = enchantments.sharpness ? 0.5 * enchantments.sharpness + 0.5 : 0
  const strength = 3 * (player.strength || 0)
  thing.health -= (facts.attack_damage + strength) * (0.2 + 0.8 * charge * charge) + sharp * charge
  thing.hurt = player.lastStrike = game.serv.tickCount
  player._client.write('entity_status', { entityId: target, entityStatus: thing.health > 0 ? 2 : 3 })
  if (item) wear(game, player, facts, { pickaxe: 2, axe: 2, shovel: 2, hoe: 2 })
  if (thing.health <= 0) die(game, thing, enchantments.looting || 0, item)
}

function die (game, thing, looting, item) {
  const { x, y, z } = thing.entity.position.floored()
  const random = luck(game.seed, 'kill', thing.number)
  const tool = item && { name: item.name, levels: levels(item) }
  game.things.remove(thing.entity)
  const table = game.lootOf(thing.kind, thing.variant)
  for (const stack of game.loot.roll(table, { random, tool, looting, byPlayer: true })) game.dropStack(stack, x, y, z)
}

module.exports = { play, levels }
