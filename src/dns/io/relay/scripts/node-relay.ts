/**
 * For Node 12 and later. Its argument is the idle limit in seconds.
 * What makes no sense is an error that ends it.
 */
export const NODE_RELAY = `
const net = require('net'), dgram = require('dgram')
const [OPEN_UDP, OPEN_TCP, CONNECT, SEND, SEND_TO, CLOSE, PING] = [1, 2, 3, 4, 5, 6, 7]
const [DONE, MESSAGE, DATA, ERROR, CLOSED, PONG] = [32, 33, 34, 35, 36, 37]
const PAYLOAD = 65407, SOCKETS = 1024, UNREAD = 1 << 24
const held = new Map()

const end = (code) => process.exit(code)
const say = (number, what, rest = Buffer.alloc(0)) => {
  const head = Buffer.alloc(7)
  head.writeUInt16BE(5 + rest.length, 0)
  head.writeUInt32BE(number, 2)
  head[6] = what
  process.stdout.write(Buffer.concat([head, rest]))
  if (process.stdout.writableLength > UNREAD) end(1)
}
const code = (error) => Buffer.from(String(error.code || error).slice(0, 200))

const address = (rest) => {
  const host = rest.toString('latin1', 3, 3 + rest[2])
  if (!net.isIP(host)) end(1)
  return { host, port: rest.readUInt16BE(0), rest: rest.slice(3 + rest[2]) }
}

const udp = (number, { host }) => {
  const socket = dgram.createSocket(net.isIP(host) === 6 ? 'udp6' : 'udp4')
  const done = (error) => say(number, DONE, error ? code(error) : undefined)
  socket.on('error', (error) => say(number, ERROR, code(error)))
  socket.on('message', (data, from) => {
    const head = Buffer.from([from.port >> 8, from.port & 255, from.address.length])
    say(number, MESSAGE, Buffer.concat([head, Buffer.from(from.address), data.slice(0, PAYLOAD)]))
  })
  const take = (what, rest) => {
    if (what === SEND) return socket.send(rest, done)
    const to = address(rest)
    if (what === CONNECT) socket.connect(to.port, to.host, done)
    else if (what === SEND_TO) socket.send(to.rest, to.port, to.host, done)
    else end(1)
  }
  return { take, close: () => socket.close() }
}

const tcp = (number, { host, port }) => {
  const socket = net.connect({ host, port })
  socket.setNoDelay()
  socket.on('connect', () => say(number, DONE))
  socket.on('data', (data) => {
    for (let from = 0; from < data.length; from += PAYLOAD) say(number, DATA, data.slice(from, from + PAYLOAD))
  })
  socket.on('error', (error) => say(number, ERROR, code(error)))
  socket.on('close', () => say(number, CLOSED))
  return { take: (what, rest) => (what === SEND ? socket.write(rest) : end(1)), close: () => socket.destroy() }
}

const open = (number, what, rest) => {
  const at = address(rest)
  if (held.has(number)) end(1)
  try {
    if (held.size >= SOCKETS) throw { code: 'EMFILE' }
    held.set(number, (what === OPEN_UDP ? udp : tcp)(number, at))
  } catch (error) {
    say(number, ERROR, code(error))
  }
}

const take = (number, what, rest) => {
  const one = held.get(number)
  if (what === OPEN_UDP || what === OPEN_TCP) open(number, what, rest)
  else if (what === PING) say(number, PONG)
  else if (what === CLOSE) held.delete(number) && one.close()
  else if (one) one.take(what, rest)
}

let idle = setTimeout(end, process.argv[1] * 1000, 1)
let received = Buffer.alloc(0)
process.stdin.on('end', () => end(0)).on('data', (more) => {
  idle.refresh()
  received = Buffer.concat([received, more])
  while (received.length > 1) {
    const length = 2 + received.readUInt16BE(0)
    if (length < 7) end(0)
    if (received.length < length) return
    const frame = received.slice(0, length)
    received = received.slice(length)
    take(frame.readUInt32BE(2), frame[6], frame.slice(7))
  }
})
`
