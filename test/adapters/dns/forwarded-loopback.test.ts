import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, Agent as HttpAgent } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { decode } from 'dns-packet'
import { type WebSocket, WebSocketServer } from 'ws'
import { ForwardedLoopback } from '../../../src/adapters/dns/forwarded-loopback.ts'
import { ApiClient } from '../../../src/adapters/kube/api-client.ts'
import { systemClock as clock } from '../../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../../src/adapters/node/system-random.ts'
import type { DnsOutcome } from '../../../src/model/dns.ts'
import { reply } from '../../support/dns/fake-dns-server.ts'

const QUESTION = { name: 'id.server', type: 'TXT', class: 'CH' } as const
const POD = { namespace: 'kube-system', name: 'coredns-1', port: 53 }
const PORT_BYTES = Buffer.of(53, 0)
const [DATA, ERROR] = [Buffer.of(0), Buffer.of(1)]

interface Served {
  readonly client: ApiClient
  readonly paths: string[]
}

/** An API server that upgrades to the protocol of port-forward, and then does what a test says. */
async function serving(t: TestContext, serve: (socket: WebSocket) => void, refuse?: number): Promise<Served> {
  const paths: string[] = []
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false })
  server.on('upgrade', (request, socket, head) => {
    paths.push(`${request.url} ${request.headers.authorization} ${request.headers['sec-websocket-protocol']}`)
    if (refuse === undefined) sockets.handleUpgrade(request, socket, head, serve)
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

const ask = ({ client }: Served, signal = new AbortController().signal): Promise<DnsOutcome> =>
  new ForwardedLoopback({ client, clock, random }).ask({ pod: POD, question: QUESTION, timeoutMs: 200 }, signal)

/** Both channels begin with the port. */
function begin(socket: WebSocket): void {
  socket.send(Buffer.concat([DATA, PORT_BYTES]))
  socket.send(Buffer.concat([ERROR, PORT_BYTES]))
}

/** Answers each query, in pieces of one byte. */
function answering(socket: WebSocket): void {
  begin(socket)
  let received = Buffer.alloc(0)
  socket.on('message', (message: Buffer) => {
    received = Buffer.concat([received, message.subarray(1)])
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
    const bytes = reply(received.subarray(2), { rcode: 5 })
    const framed = Buffer.concat([Buffer.of(bytes.length >> 8, bytes.length & 0xff), bytes])
    for (const byte of framed) socket.send(Buffer.of(0, byte))
    assert.equal(decode(received.subarray(2)).questions?.[0]?.name, 'id.server')
  })
}

test('a query goes to the pod’s loopback by port-forward, with the credential of every other request', async (t) => {
  const served = await serving(t, answering)
  const outcome = await ask(served)
  assert.equal(outcome.kind === 'reply' && outcome.reply.rcode, 'REFUSED')
  assert.deepEqual(served.paths, [
    '/api/v1/namespaces/kube-system/pods/coredns-1/portforward?ports=53 Bearer let-me-in v4.channel.k8s.io',
  ])
})

const fault =
  (text: string) =>
  (socket: WebSocket): void => {
    begin(socket)
    socket.send(Buffer.concat([ERROR, Buffer.from(text)]))
  }

const ODD: readonly (readonly [
  what: string,
  serve: (socket: WebSocket) => void,
  outcome: DnsOutcome['kind'],
  text: RegExp,
])[] = [
  ['nothing listens in the pod', fault('dial tcp4 127.0.0.1:53: connect: connection refused'), 'refused', /^$/],
  ['the runtime fails, in colours', fault('no sandbox \u001b[31mfound'), 'notAsked', /port 53 .* no sandbox .*x1b/],
  ['the pod says nothing', begin, 'timeout', /^$/],
  ['the connection is closed', (socket) => socket.close(), 'closed', /^$/],
  ['a channel that there is not', (socket) => socket.send(Buffer.of(7, 1, 2)), 'notAsked', /of no channel/],
  ['text where bytes are due', (socket) => socket.send('hello'), 'notAsked', /of no channel/],
  ['an empty message', (socket) => socket.send(Buffer.alloc(0)), 'notAsked', /of no channel/],
  ['a message without end', (socket) => socket.send(Buffer.alloc(2 * 1024 * 1024)), 'notAsked', /size exceeded/],
]

for (const [what, serve, kind, text] of ODD)
  test(`${what}: ${kind}`, async (t) => {
    const outcome = await ask(await serving(t, serve))
    assert.equal(outcome.kind, kind, JSON.stringify(outcome))
    assert.match('text' in outcome ? outcome.text : '', text)
  })

test('without the right to it nothing is asked, and the right is named', async (t) => {
  const outcome = await ask(await serving(t, begin, 403))
  assert.deepEqual(outcome, { kind: 'notAsked', text: 'get pods/portforward: no (HTTP 403)' })
})

test('a query that is given up ends its WebSocket', async (t) => {
  const closed = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const served = await serving(t, (socket) => {
    begin(socket)
    socket.on('close', () => closed.resolve())
    opened.resolve()
  })
  const stop = new AbortController()
  const asked = ask(served, stop.signal)
  await opened.promise
  stop.abort(new Error('enough'))
  await assert.rejects(asked, { message: 'enough' })
  await closed.promise
})
