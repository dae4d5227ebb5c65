// The thirteen skills by name.
const SKILLS = Object.fromEntries([
  'mine', 'explore', 'prepare_access', 'craft_grid', 'smelt', 'attack', 'enchant', 'place', 'equip', 'collect', 'ascend',
  'trade', 'wait'
].map(name => [name, require(`./${name}`)]))

module.exports = { SKILLS }
