import { once } from 'node:events'
import { createServer, Agent as HttpAgent } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { TestContext } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'
import { ApiClient } from '../../../src/ground/kube/api-client.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'

const DATA = Buffer.of(0)
const ERROR = Buffer.of(1)

interface ForwardedTo {
  readonly pod: string
  readonly port: number
}

type Serve = (socket: WebSocket, to: ForwardedTo) => void

export interface PortForwardApi {
  readonly client: ApiClient
  /** What was asked for, with the credential and the protocol. */
  readonly paths: string[]
}

/** An API server that upgrades to the protocol of port-forward, and then does what a test says; or refuses by that status. */
export async function portForwardApi(t: TestContext, serve: Serve, refuse?: number): Promise<PortForwardApi> {
  const paths: string[] = []
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false })
  server.on('upgrade', (request, socket, head) => {
    paths.push(`${request.url} ${request.headers.authorization} ${request.headers['sec-websocket-protocol']}`)
    const [, pod = '', port = ''] = /\/pods\/([^/]+)\/portforward\?ports=(\d+)$/.exec(request.url ?? '') ?? []
    if (refuse === undefined)
      sockets.handleUpgrade(request, socket, head, (opened) => serve(opened, { pod, port: Number(port) }))
    else
      socket.end(
        `HTTP/1.1 ${refuse} Refused\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"kind":"Status","message":"no"}`,
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new HttpAgent({ keepAlive: true })
  t.after(() => {
    agent.destroy()
    for (const socket of sockets.clients) socket.terminate()
    server.close()
  })
  const connection = {
    server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    agent,
    headers: { authorization: 'Bearer let-me-in' },
  }
  const credentials = { current: async () => connection, accept: () => undefined, drop: () => undefined }
  return { client: new ApiClient({ credentials, clock, userAgent: 'evenkeel/test' }), paths }
}

/** Both channels begin with the port. */
export function begin(socket: WebSocket, port: number): void {
  const bytes = Buffer.of(port & 0xff, port >> 8)
  socket.send(Buffer.concat([DATA, bytes]))
  socket.send(Buffer.concat([ERROR, bytes]))
}

export function fail(socket: WebSocket, port: number, text: string): void {
  begin(socket, port)
  socket.send(Buffer.concat([ERROR, Buffer.from(text)]))
}

/** As a node does it: to what listens on a loopback, which is this machine's. `portOf`: where that of the pod is there. */
export const toLoopback =
  (portOf: (to: ForwardedTo) => number = ({ port }) => port): Serve =>
  (socket, to) => {
    const stream = connect(portOf(to), '127.0.0.1')
    stream.once('connect', () => begin(socket, to.port))
    stream.on('data', (chunk) => socket.send(Buffer.concat([DATA, chunk])))
    stream.on('error', ({ message }) => {
      const isRefused = message.includes('ECONNREFUSED')
      fail(socket, to.port, isRefused ? 'dial tcp4 127.0.0.1: connect: connection refused' : message)
    })
    stream.once('close', () => socket.close())
    socket.on('message', (message: Buffer) => stream.write(message.subarray(1)))
    socket.once('close', () => stream.destroy())
  }
