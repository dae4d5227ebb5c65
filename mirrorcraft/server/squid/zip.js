// Reading a zip file: path to bytes. Stored and deflated entries; anything else is refused.
const fs = require('fs')
const zlib = require('zlib')

const END = 0x06054b50
const ENTRY = 0x02014b50

/** Return a Map of path to Buffer of all files in a zip. Throws on a file that is no zip. */
function readZip (file) {
  const data = fs.readFileSync(file)
  let end = data.length - 22
  while (end >= 0 && data.readUInt32LE(end) !== END) end--
  if (end < 0) throw new Error(`${file} is no zip file`)
  const files = new Map()
  let at = data.readUInt32LE(end + 16)
  for (let n = data.readUInt16LE(end + 10); n > 0; n--) {
    if (data.readUInt32LE(at) !== ENTRY) throw new Error(`${file}: damaged directory`)
    const nameLength = data.readUInt16LE(at + 28)
    const name = data.toString('utf8', at + 46, at + 46 + nameLength)
    if (!name.endsWith('/')) files.set(name, content(data, at, `${file}: ${name}`))
    at += 46 + nameLength + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32)
  }
  return files
}

function content (data, at, name) {
  const method = data.readUInt16LE(at + 10)
  const local = data.readUInt32LE(at + 42)
  const start = local + 30 + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28)
  const bytes = data.subarray(start, start + data.readUInt32LE(at + 20))
  if (method === 0) return bytes
  if (method === 8) return zlib.inflateRawSync(bytes)
  throw new Error(`${name}: compression method ${method} is not known`)
}

module.exports = { readZip }
