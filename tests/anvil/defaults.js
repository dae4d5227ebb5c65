// Prints the default state of every block of 1.19 as JSON: block to properties.
const registry = require('prismarine-registry')('1.19')
const Block = require('prismarine-block')(registry)
const states = registry.blocksArray.map(({ name, defaultState }) => {
  const properties = Object.entries(Block.fromStateId(defaultState, 0).getProperties())
  return [name, Object.fromEntries(properties.map(([key, value]) => [key, String(value)]))]
})
console.log(JSON.stringify(Object.fromEntries(states)))
