// Dropped items and animals: where they are, who picks them up, what kills them.
const { Vec3 } = require('vec3')

const PICKUP_TICKS = 10
const VANISH_TICKS = 6000
// Places in the metadata of 1.19: the stack of a dropped item, the colour of a sheep.
const ITEM_SLOT = { key: 8, type: 6 }
const SHEEP_COLOUR = { key: 17, type: 0 }
// A player of 0.6 x 1.8 reaches one block aside and half a block up and down; an item is a quarter block wide.
const ASIDE = 0.3 + 1 + 0.125
const BELOW = 0.5 + 0.25
const ABOVE = 1.8 + 0.5

/** The things in a game's world that are neither blocks nor players. */
class Things {
  constructor (game) {
    this.game = game
    this.drops = new Map() // entity id -> {entity, item, born}
    this.animals = new Map() // entity id -> {entity, kind, health, variant, number, hurt}
  }

  /** Drop an Item into a cell, at its middle; it falls from there. */
  drop (item, x, y, z) {
    const { serv } = this.game
    const place = new Vec3(x + 0.5, y, z + 0.5)
    const entity = serv.spawnObject(serv.registry.entitiesByName.item.id, serv.overworld, place, {
      itemId: item.type, itemCount: item.count
    })
    entity.size = undefined // the server's own physics leaves things without a size alone
    entity.name = 'item'
    this.drops.set(entity.id, { entity, item, born: serv.tickCount })
  }

  /** What a client is told about a thing beside its kind and place. */
  metadata (entity) {
    const animal = this.animals.get(entity.id)
    if (animal || entity.itemId === undefined) return animal && animal.kind === 'sheep' ? [{ ...SHEEP_COLOUR, value: animal.variant }] : []
    const { item } = this.drops.get(entity.id) || { item: null }
    const shown = item || this.game.item(this.game.serv.registry.items[entity.itemId].name, entity.itemCount)
    return [{ ...ITEM_SLOT, value: this.game.Item.toNotch(shown) }]
  }

  summon (kind, x, y, z, { health, colour = 0 } = {}) {
    const { serv, facts } = this.game
    const type = serv.registry.entitiesByName[kind]
    if (!type || !facts.entities[kind]) throw new Error(`no living entity ${kind}`)
    serv.registry.mobs[type.id] ??= type // the data counts animals as something else
    const entity = serv.spawnMob(type.id, serv.overworld, new Vec3(x, y, z))
    entity.size = undefined
    const number = this.animals.size
    this.animals.set(entity.id, {
      entity, kind, number, variant: colour, health: health || facts.entities[kind].health, hurt: -Infinity
    })
    return entity
  }

  /** One tick: what has nothing under it falls, what is near a player is picked up, what is old vanishes. */
  tick () {
    const { serv } = this.game
    for (const drop of [...this.drops.values()]) {
      const { entity, born } = drop
      if (serv.tickCount - born >= VANISH_TICKS) this.remove(entity)
      else {
        this.fall(entity)
        if (serv.tickCount - born >= PICKUP_TICKS) this.offer(drop)
      }
    }
    for (const { entity } of this.animals.values()) this.fall(entity)
  }

  fall (entity) {
    const { x, y, z } = entity.position
    if (y < -64) return
    if (this.game.blocks.carries(Math.floor(x), Math.ceil(y) - 1, Math.floor(z))) return
    entity.position = new Vec3(x, Math.ceil(y) - 1, z)
    this.tell('entity_teleport', {
      entityId: entity.id, x, y: entity.position.y, z, yaw: 0, pitch: 0, onGround: true
    })
  }

  offer (drop) {
    const { entity, item } = drop
    for (const player of this.game.serv.players) {
      const [dx, dy, dz] = entity.position.minus(player.position).toArray()
      if (Math.abs(dx) > ASIDE || Math.abs(dz) > ASIDE || dy > ABOVE || dy < -BELOW || !player.windows) continue
      const left = player.windows.give(item)
      if (left === item.count) continue
      this.tell('collect', {
        collectedEntityId: entity.id, collectorEntityId: player.id, pickupItemCount: item.count - left
      })
      if (left === 0) return this.remove(entity)
      item.count = left
    }
  }

  remove (entity) {
    this.drops.delete(entity.id)
    this.animals.delete(entity.id)
    this.tell('entity_destroy', { entityIds: [entity.id] })
    delete this.game.serv.entities[entity.id]
  }

  tell (packet, data) {
    for (const player of this.game.serv.players) player._client.write(packet, data)
  }
}

module.exports = { Things }
