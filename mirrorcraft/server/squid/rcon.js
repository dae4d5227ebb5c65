// RCON on loopback, by the game's protocol.
const net = require('net')

const [LOGIN, COMMAND, REPLY] = [3, 2, 0]
const PART = 4096

/** Serve commands: `run(line)` returns the reply. Returns a promise of the listening server. */
function serveRcon (port, password, run) {
  const server = net.createServer(socket => {
    let waiting = Buffer.alloc(0)
    let known = false
    socket.on('error', () => socket.destroy())
    socket.on('data', data => {
      waiting = Buffer.concat([waiting, data])
      while (waiting.length >= 4 && waiting.length >= 4 + waiting.readInt32LE(0)) {
        const end = 4 + waiting.readInt32LE(0)
        const [id, type] = [waiting.readInt32LE(4), waiting.readInt32LE(8)]
        const body = waiting.toString('utf8', 12, end - 2)
        waiting = waiting.subarray(end)
        if (type === LOGIN) {
          known = body === password
          send(socket, known ? id : -1, COMMAND, '')
        } else if (!known) return socket.destroy()
        else if (type === COMMAND) answer(socket, id, run(body))
        else send(socket, id, REPLY, `Unknown request ${type.toString(16)}`)
      }
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function answer (socket, id, text) {
  const bytes = Buffer.from(text, 'utf8')
  for (let at = 0; at === 0 || at < bytes.length; at += PART) send(socket, id, REPLY, bytes.subarray(at, at + PART))
}

function send (socket, id, type, body) {
  const bytes = Buffer.from(body)
  const packet = Buffer.alloc(14 + bytes.length)
  packet.writeInt32LE(10 + bytes.length, 0)
  packet.writeInt32LE(id, 4)
  packet.writeInt32LE(type, 8)
  bytes.copy(packet, 12)
  socket.write(packet)
}

module.exports = { serveRcon }
