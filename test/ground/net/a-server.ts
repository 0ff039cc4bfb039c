import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { Lane, ProbeTarget } from '../../../src/ground/model/probe.ts'
import { NodeHttpProbe } from '../../../src/ground/net/node-http-probe.ts'
import type { HttpVerdict } from '../../../src/ground/ports/http-probe.ts'
import { aTarget } from '../../roll/decide/availability/a-sample.ts'

interface RawServer {
  readonly url: string
  /** Connections taken so far. */
  readonly taken: () => number
}

/** A server of bytes: `onRequest` runs for each request head that has come in, numbered within its connection. */
export async function aServer(t: TestContext, onRequest: (socket: Socket, nth: number) => void): Promise<RawServer> {
  const sockets = new Set<Socket>()
  let taken = 0
  const server = net.createServer((socket) => {
    taken += 1
    sockets.add(socket)
    let nth = 0
    let text = ''
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk.toString()
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        text = text.slice(end + 4)
        nth += 1
        onRequest(socket, nth)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, taken: () => taken }
}

export const answer = (body = 'OK', head = ''): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${head}\r\n${body}`

/** Asks with a prober of the test's own; each request dies after `limitMs`. */
export function aProber(t: TestContext, changes: Partial<ProbeTarget>, limitMs = 400) {
  const probe = new NodeHttpProbe()
  t.after(() => probe.close())
  const target = aTarget({ keptConnections: 1, ...changes })
  return (lane: Lane = 'new'): Promise<HttpVerdict> => probe.ask(target, lane, AbortSignal.timeout(limitMs))
}
