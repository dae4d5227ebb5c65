// Luck that repeats: a stream of draws whose seed is made of names, as the harness's own.
const { createHash } = require('crypto')

/** Return a function that draws floats in [0, 1), the same ones for the same names. */
function luck (...names) {
  let state = createHash('sha256').update(names.join('\x1f')).digest().readUInt32LE(0)
  return () => { // mulberry32
    state = (state + 0x6D2B79F5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

module.exports = { luck }
