// Commands in the game's own syntax, as far as the harness sends them, with the game's replies.
const { strip, full } = require('./packs')
const { luck } = require('./luck')
const { levels } = require('./play')

const EFFECTS = { speed: 1, haste: 3, strength: 5, resistance: 11, saturation: 23 }
const ITEM = /^(?:minecraft:)?([a-z_]+)(\{.*\})?$/

/** Return the reply to a command; a command that is not known is answered as the game does. */
function run (game, line) {
  const [verb, ...words] = line.trim().replace(/^\//, '').split(/\s+/)
  const command = Object.hasOwn(COMMANDS, verb) && COMMANDS[verb]
  if (!command) return `Unknown or incomplete command, see below for error\n${line}<--[HERE]`
  return command(game, words) ?? `Incorrect argument for command\n${line}<--[HERE]`
}

const COMMANDS = {
  list: game => {
    const names = game.serv.players.map(p => p.username)
    return `There are ${names.length} of a max of ${game.serv._server.maxPlayers} players online: ${names.join(', ')}`
  },
  datapack: (game, [what, which]) => {
    if (what !== 'list' || which !== 'enabled') return
    const names = ['[vanilla (built-in)]', ...game.packs.map(name => `[file/${name} (world)]`)]
    return `There are ${names.length} data packs enabled: ${names.join(', ')}`
  },
  stop: game => {
    setImmediate(() => game.stop())
    return 'Stopping the server'
  },
  'save-all': () => 'Saved the game',
  gamerule: (game, [rule, value]) => {
    if (value === undefined) return `Gamerule ${rule} is currently set to: ${game.gamerules[rule]}`
    game.gamerules[rule] = value
    return `Gamerule ${rule} is now set to: ${value}`
  },
  difficulty: (game, [name]) => `The difficulty has been set to ${name[0].toUpperCase()}${name.slice(1)}`,
  weather: (game, [kind]) => kind === 'clear' ? 'Set the weather to clear' : undefined,
  time: (game, [verb, what]) => {
    if (verb === 'query') return `The time is ${what === 'gametime' ? game.serv.tickCount : game.serv.time}`
    game.serv.time = Number(what)
    game.things.tell('update_time', { age: [0, game.serv.tickCount], time: [0, game.serv.time] })
    return `Set the time to ${what}`
  },
  effect: (game, [verb, name, effect, seconds, amplifier]) => forPlayer(game, name, player => {
    const number = EFFECTS[strip(effect)]
    if (verb !== 'give' || !number) return
    if (number === EFFECTS.strength) player.strength = Number(amplifier) + 1
    player._client.write('entity_effect', {
      entityId: player.id, effectId: number, amplifier: Number(amplifier), duration: Number(seconds) * 20, hideParticles: 0
    })
    return `Applied effect ${strip(effect)} to ${name}`
  }),
  gamemode: (game, [mode, name]) => forPlayer(game, name, () => mode === 'survival'
    ? `Set ${name}'s game mode to Survival Mode`
    : undefined),
  experience: (game, [verb, name, amount, unit]) => forPlayer(game, name, player => {
    if (unit === 'points') return `Set ${amount} experience points on ${name}`
    if (unit !== 'levels') return
    game.setLevel(player, verb === 'set' ? Number(amount) : player.level + Number(amount))
    return `${verb === 'set' ? 'Set' : 'Gave'} ${amount} experience levels on ${name}`
  }),
  give: (game, [name, ...rest]) => forPlayer(game, name, player => {
    const found = ITEM.exec(rest.join(' ').replace(/ \d+$/, ''))
    const count = Number((/ (\d+)$/.exec(rest.join(' ')) || [0, 1])[1])
    if (!found || !game.serv.registry.itemsByName[found[1]]) return `Unknown item '${rest[0]}'`
    player.windows.giveOrDrop(game.itemOf(found[1], count, found[2]))
    return `Gave ${count} [${found[1]}] to ${name}`
  }),
  // loot give PLAYER mine X Y Z TOOL, and loot give PLAYER loot TABLE
  loot: (game, [verb, name, source, ...rest]) => forPlayer(game, name, player => {
    const context = { random: luck(game.seed, 'loot', game.count('loot')), byPlayer: false, tool: null, state: {} }
    let table = rest[0]
    if (source === 'mine') {
      const block = game.blocks.at(...rest.slice(0, 3).map(Number))
      const [, tool, data] = ITEM.exec(rest.slice(3).join(' '))
      const item = game.itemOf(tool, 1, data)
      context.tool = { name: tool, levels: levels(item) }
      context.state = block.getProperties()
      table = `blocks/${block.name}`
    } else if (source !== 'loot') return
    const stacks = game.loot.roll(table, context)
    for (const { item, count } of stacks) player.windows.giveOrDrop(game.item(item, count))
    return `Dropped ${stacks.length} items`
  }),
  clear: (game, [name, only]) => forPlayer(game, name, player => {
    if (!only) player.windows.close()
    const { slots } = player.inventory
    const gone = slots.map(item => !!item && (!only || item.name === strip(only)))
    const n = slots.reduce((sum, item, i) => sum + (gone[i] ? item.count : 0), 0)
    gone.forEach((yes, i) => { if (yes) slots[i] = null })
    player.windows.sync()
    return n ? `Removed ${n} items from player ${name}` : `No items were found on player ${name}`
  }),
  tp: (game, [name, ...place]) => forPlayer(game, name, player => {
    const [x, y, z] = place.map(Number)
    player.sendSelfPosition(player.position.clone().set(x, y, z))
    return `Teleported ${name} to ${x}, ${y}, ${z}`
  }),
  kick: (game, [name]) => forPlayer(game, name, player => {
    player.kick('Kicked by an operator')
    return `Kicked ${name}: Kicked by an operator`
  }),
  spawnpoint: (game, [name]) => `Set spawn point for ${name}`,
  setblock: (game, [x, y, z, block]) => {
    game.blocks.set(+x, +y, +z, game.stateOf(block))
    game.stations.close(game.blocks.at(+x, +y, +z).position)
    return `Changed the block at ${x}, ${y}, ${z}`
  },
  fill: (game, words) => {
    const [x1, y1, z1, x2, y2, z2] = words.slice(0, 6).map(Number)
    const state = game.stateOf(words[6])
    let n = 0
    for (let x = x1; x <= x2; x++) {
      for (let y = y1; y <= y2; y++) {
        for (let z = z1; z <= z2; z++) {
          n += game.blocks.set(x, y, z, state)
          game.stations.close(game.blocks.at(x, y, z).position)
        }
      }
    }
    return `Successfully filled ${n} blocks`
  },
  summon: (game, [kind, x, y, z]) => {
    game.things.summon(strip(kind), Number(x), Number(y), Number(z))
    return `Summoned new ${strip(kind)}`
  },
  kill: (game, [selector]) => {
    const kind = /^@e\[type=!?(?:minecraft:)?(\w+)\]$/.exec(selector)
    if (!kind) return
    const not = selector.includes('=!')
    const all = [...game.things.drops.values(), ...game.things.animals.values()].map(t => t.entity)
    const killed = all.filter(e => not ? e.name !== kind[1] : e.name === kind[1])
    killed.forEach(entity => game.things.remove(entity))
    return killed.length ? `Killed ${killed.length} entities` : 'No entity was found'
  },
  advancement: (game, [verb, name, which, id]) => forPlayer(game, name, player => {
    if (which === 'everything') game.advancements.set(player, null, verb === 'grant')
    else if (which === 'only') game.advancements.set(player, full(id), verb === 'grant')
    else return
    return `${verb === 'grant' ? 'Granted' : 'Revoked'} ${id || 'all advancements'} ${verb === 'grant' ? 'to' : 'from'} ${name}`
  }),
  execute: (game, words) => {
    const asked = /^if entity @a\[name=(\w+),advancements=\{([^=]+)=(true|false)\}\]$/.exec(words.join(' '))
    if (!asked) return
    const player = game.serv.players.find(p => p.username === asked[1])
    const known = game.advancements.list.some(a => a.id === full(asked[2]))
    const passes = player && known && game.advancements.done(player, full(asked[2])) === (asked[3] === 'true')
    return passes ? 'Test passed, count: 1' : 'Test failed'
  }
}

function forPlayer (game, name, act) {
  const player = game.serv.players.find(p => p.username === name && p.windows)
  return player ? act(player) : 'No player was found'
}

module.exports = { run }
