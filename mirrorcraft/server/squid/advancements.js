// Advancements of the packs: what completes them, and what the client is told.
const { strip } = require('./packs')

// Triggers that something here can cause; of the others only their names are known, and nothing completes them.
const CAUSED = ['inventory_changed', 'enchanted_item']
const KNOWN = CAUSED.concat('cured_zombie_villager', 'entity_hurt_player', 'changed_dimension', 'location', 'impossible', 'recipe_unlocked')

/** The advancements of all packs, and who has completed what. */
class Advancements {
  constructor (files, itemTags) {
    this.tags = itemTags
    this.list = [...files].map(([id, json]) => ({
      id, json, requirements: json.requirements || Object.keys(json.criteria).map(name => [name])
    }))
    for (const { id, json } of this.list) {
      for (const { trigger } of Object.values(json.criteria)) {
        if (!KNOWN.includes(strip(trigger))) throw new Error(`advancement ${id}: this server does not know ${trigger}`)
      }
    }
    this.progress = new Map() // player's name -> Map of advancement id to Map of criterion to date
  }

  of (player) {
    if (!this.progress.has(player.username)) this.progress.set(player.username, new Map())
    return this.progress.get(player.username)
  }

  done (player, id) {
    const advancement = this.list.find(a => a.id === id)
    const got = this.of(player).get(id)
    return !!advancement && !!got && advancement.requirements.every(group => group.some(name => got.has(name)))
  }

  /** Tell a client that joined of all advancements. */
  greet (player) {
    const advancementMapping = this.list.map(({ id, json, requirements }) => ({
      key: id,
      value: {
        parentId: json.parent,
        displayData: undefined,
        criteria: Object.keys(json.criteria).map(key => ({ key, value: undefined })),
        requirements
      }
    }))
    player._client.write('advancements', {
      reset: true, advancementMapping, identifiers: [], progressMapping: this.list.map(a => this.told(player, a))
    })
  }

  told (player, { id, json }) {
    const got = this.of(player).get(id) || new Map()
    return {
      key: id,
      value: Object.keys(json.criteria).map(name => ({
        criterionIdentifier: name, criterionProgress: got.has(name) ? BigInt(got.get(name)) : undefined
      }))
    }
  }

  inventory (player, items) {
    this.trigger(player, 'inventory_changed', { items })
  }

  /** Something happened to a player: complete the criteria that it meets. */
  trigger (player, name, event) {
    for (const advancement of this.list) {
      for (const [criterion, { trigger, conditions = {} }] of Object.entries(advancement.json.criteria)) {
        const got = this.of(player).get(advancement.id)
        if (strip(trigger) !== name || (got && got.has(criterion)) || !this.meets(conditions, event)) continue
        this.grant(player, advancement, criterion)
      }
    }
  }

  meets (conditions, event) {
    if (conditions.items) return conditions.items.every(wanted => event.items.some(item => this.fits(wanted, item)))
    if (conditions.item) return this.fits(conditions.item, event.item)
    return !Object.keys(conditions).length
  }

  fits (wanted, item) {
    const { items, tag, ...rest } = wanted
    if (Object.keys(rest).length) throw new Error(`advancements: this server does not know the predicate ${Object.keys(rest)}`)
    if (items && !items.map(strip).includes(item.name)) return false
    return !tag || this.tags.members(tag).has(item.name)
  }

  grant (player, advancement, criterion) {
    const all = this.of(player)
    if (!all.has(advancement.id)) all.set(advancement.id, new Map())
    all.get(advancement.id).set(criterion, Date.now())
    this.tell(player, advancement)
  }

  tell (player, advancement) {
    player._client.write('advancements', {
      reset: false, advancementMapping: [], identifiers: [], progressMapping: [this.told(player, advancement)]
    })
  }

  /** Grant or revoke all criteria of one advancement, or revoke everything. */
  set (player, id, granted) {
    for (const advancement of this.list.filter(a => !id || a.id === id)) {
      this.of(player).delete(advancement.id)
      if (granted) for (const name of Object.keys(advancement.json.criteria)) this.grant(player, advancement, name)
      else this.tell(player, advancement)
    }
  }
}

module.exports = { Advancements }
