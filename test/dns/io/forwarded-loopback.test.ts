import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode } from 'dns-packet'
import type { WebSocket } from 'ws'
import { ForwardedLoopback } from '../../../src/dns/io/forwarded-loopback.ts'
import type { DnsOutcome } from '../../../src/dns/model/dns.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { reply } from '../../support/dns/fake-dns-server.ts'
import { begin as beginAt, fail, type PortForwardApi, portForwardApi } from '../../support/dns/port-forward-api.ts'

const QUESTION = { name: 'id.server', type: 'TXT', class: 'CH' } as const
const POD = { namespace: 'kube-system', name: 'coredns-1', port: 53 }

const ask = ({ client }: PortForwardApi, signal = new AbortController().signal): Promise<DnsOutcome> =>
  new ForwardedLoopback({ client, clock, random }).ask({ pod: POD, question: QUESTION, timeoutMs: 200 }, signal)

const begin = (socket: WebSocket): void => beginAt(socket, POD.port)

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
  const served = await portForwardApi(t, answering)
  const outcome = await ask(served)
  assert.equal(outcome.kind === 'reply' && outcome.reply.rcode, 'REFUSED')
  assert.deepEqual(served.paths, [
    '/api/v1/namespaces/kube-system/pods/coredns-1/portforward?ports=53 Bearer let-me-in v4.channel.k8s.io',
  ])
})

const fault =
  (text: string) =>
  (socket: WebSocket): void =>
    fail(socket, POD.port, text)

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
  ['a channel that there is not', (socket) => socket.send(Buffer.of(7, 1, 2)), 'notAsked', /on an unknown channel/],
  ['text where bytes are due', (socket) => socket.send('hello'), 'notAsked', /on an unknown channel/],
  ['an empty message', (socket) => socket.send(Buffer.alloc(0)), 'notAsked', /on an unknown channel/],
  ['a message without end', (socket) => socket.send(Buffer.alloc(2 * 1024 * 1024)), 'notAsked', /size exceeded/],
]

for (const [what, serve, kind, text] of ODD)
  test(`${what}: ${kind}`, async (t) => {
    const outcome = await ask(await portForwardApi(t, serve))
    assert.equal(outcome.kind, kind, JSON.stringify(outcome))
    assert.match('text' in outcome ? outcome.text : '', text)
  })

test('without the right to it nothing is asked, and the right is named', async (t) => {
  const outcome = await ask(await portForwardApi(t, begin, 403))
  assert.deepEqual(outcome, { kind: 'notAsked', text: 'get pods/portforward: no (HTTP 403)' })
})

test('a query that is given up ends its WebSocket', async (t) => {
  const closed = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  const served = await portForwardApi(t, (socket) => {
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
