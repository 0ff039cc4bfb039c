import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ForwardedCounters } from '../../../src/dns/io/forwarded-counters.ts'
import type { CountersReading } from '../../../src/dns/ports/pod-counters.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { begin, fail, type PortForwardApi, portForwardApi, toLoopback } from '../../support/dns/port-forward-api.ts'
import { ephemeralPort } from '../../support/ephemeral-port.ts'

const never = new AbortController().signal
const METRICS = `coredns_dns_requests_total{proto="udp",zone="."} 12
coredns_dns_response_size_bytes_count{proto="udp",zone="."} 11
`

const read = ({ client }: PortForwardApi, port: number, signal = never): Promise<CountersReading> =>
  new ForwardedCounters({ client, clock }).udpCounts({ namespace: 'kube-system', name: 'coredns-1', port }, signal)

async function http(t: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

/** A server that says this once it is asked, whatever that is. */
async function saying(t: TestContext, say: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined).once('data', () => say(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

test('what a pod counts over UDP is read at its metrics port, by port-forward', async (t) => {
  const asked: string[] = []
  const port = await http(t, ({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers.host} ${headers.authorization}`)
    response.end(METRICS)
  })
  const api = await portForwardApi(t, toLoopback())
  assert.deepEqual(await read(api, port), { kind: 'counts', counts: { received: 12, answered: 11 } })
  assert.deepEqual(asked, ['GET /metrics localhost undefined'], 'the credential is not passed on to the pod')
  assert.deepEqual(api.paths, [
    `/api/v1/namespaces/kube-system/pods/coredns-1/portforward?ports=${port} Bearer let-me-in v4.channel.k8s.io`,
  ])
})

test('metrics of two megabytes in many pieces are read', async (t) => {
  const port = await http(t, async (_, response) => {
    for (let i = 0; i < 2_000; i += 1) response.write(`coredns_other{i="${i}"} ${'1'.repeat(1_000)}\n`)
    response.end(METRICS)
  })
  const reading = await read(await portForwardApi(t, toLoopback()), port)
  assert.deepEqual(reading, { kind: 'counts', counts: { received: 12, answered: 11 } })
})

const ANSWERS: readonly (readonly [what: string, listener: RequestListener, text: RegExp])[] = [
  ['401', (_, response) => response.writeHead(401).end('Unauthorized'), /take a credential of their own \(HTTP 401\)/],
  ['403', (_, response) => response.writeHead(403).end(METRICS), /take a credential of their own \(HTTP 403\)/],
  [
    'a redirect, which is not followed',
    (_, response) => response.writeHead(302, { location: '/metrics?again' }).end(METRICS),
    /GET \/metrics is answered with HTTP 302/,
  ],
  ['404', (_, response) => response.writeHead(404).end(), /HTTP 404/],
  [
    'a page',
    (_, response) => response.end('<html>\u001b[31mLog in</html>\n'),
    /cannot be used: they are not metrics of CoreDNS/,
  ],
  [
    'a number that is none',
    (_, response) => response.end(METRICS.replace('12', 'NaN')),
    /a counter is not a whole number/,
  ],
  ['a line that breaks off', (_, response) => response.end(METRICS.slice(0, -2)), /they break off/],
  [
    'more than is read',
    (_, response) => {
      for (let i = 0; i < 5; i += 1) response.write('coredns_x 1\n'.repeat(100_000))
      response.end()
    },
    /is broken \(Error: it is longer than 4194304 bytes\)/,
  ],
]

for (const [what, listener, text] of ANSWERS)
  test(`the port answers with ${what}: the counters may be at another one`, async (t) => {
    const reading = await read(await portForwardApi(t, toLoopback()), await http(t, listener))
    assert.equal(reading.kind, 'elsewhere', JSON.stringify(reading))
    assert.match('text' in reading ? reading.text : '', text)
  })

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'
const BYTES: readonly (readonly [what: string, say: (socket: Socket) => void, text: RegExp])[] = [
  ['what is no HTTP', (socket) => socket.end('\x15\x03\x01\x00\x02\x02\x16'), /is broken \(HPE_/],
  [
    'less than it said',
    (socket) => socket.end(`${HEAD}content-length: 9999\r\n\r\n${METRICS}`),
    /is broken \(ECONNRESET/,
  ],
  [
    'a chunk that breaks off',
    (socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n5000\r\n${METRICS}`),
    /is broken/,
  ],
  ['an answer without an end', (socket) => socket.end(`${HEAD}connection: close\r\n\r\n${METRICS}`), /they do not end/],
  [
    'headers without end',
    (socket) => socket.write(`${HEAD}x: ${'y'.repeat(100_000)}`),
    /is broken \(HPE_HEADER_OVERFLOW/,
  ],
  [
    'a change of protocol',
    (socket) => socket.write('HTTP/1.1 101 Now\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    /is broken/,
  ],
  ['nothing', (socket) => socket.end(), /is broken \(ECONNRESET/],
]

for (const [what, say, text] of BYTES)
  test(`the port says ${what}: the counters may be at another one`, async (t) => {
    const reading = await read(await portForwardApi(t, toLoopback()), await saying(t, say))
    assert.equal(reading.kind, 'elsewhere', JSON.stringify(reading))
    assert.match('text' in reading ? reading.text : '', text)
  })

test('nothing listens at the port: the counters may be at another one', async (t) => {
  const reading = await read(await portForwardApi(t, toLoopback()), await ephemeralPort())
  assert.equal(reading.kind, 'elsewhere')
  assert.match('text' in reading ? reading.text : '', /connection refused/)
})

test('the pod cannot be asked at all: it is not known what it counts, and no other port is worth a try', async (t) => {
  const forbidden = await read(await portForwardApi(t, toLoopback(), 403), 9153)
  assert.deepEqual(forbidden, { kind: 'unknown', text: 'get pods/portforward: no (HTTP 403)' })
  const broken = await read(await portForwardApi(t, (socket, { port }) => fail(socket, port, 'no sandbox')), 9153)
  assert.equal(broken.kind, 'unknown', JSON.stringify(broken))
  const ended = performance.now()
  const late = await read(await portForwardApi(t, toLoopback()), await saying(t, (socket) => socket.write(HEAD)))
  assert.deepEqual([late.kind, 'text' in late && /gave no metrics within 3 s/.test(late.text)], ['unknown', true])
  assert.ok(performance.now() - ended < 10_000)
})

const PARTS: readonly (readonly [what: string, head: string])[] = [
  ['has an end', 'HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n'],
  ['ends with its connection', 'HTTP/1.0 200 OK\r\n\r\n'],
]

for (const [what, head] of PARTS)
  test(`a port-forward that breaks within an answer that ${what} is no word of the pod`, async (t) => {
    const api = await portForwardApi(t, (socket, { port }) => {
      begin(socket, port)
      socket.once('message', () =>
        socket.send(Buffer.concat([Buffer.of(0), Buffer.from(`${head}${METRICS}`)]), () => socket.terminate()),
      )
    })
    const reading = await read(api, 9153)
    assert.equal(reading.kind, 'unknown', JSON.stringify(reading))
    assert.match('text' in reading ? reading.text : '', /the connection broke \(1006\)/)
  })

test('a reading that is given up ends its WebSocket', async (t) => {
  const [opened, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const api = await portForwardApi(t, (socket, { port }) => {
    begin(socket, port)
    socket.on('close', () => closed.resolve())
    opened.resolve()
  })
  const stop = new AbortController()
  const reading = read(api, 9153, stop.signal)
  await opened.promise
  stop.abort(new Error('enough'))
  await assert.rejects(reading, { message: 'enough' })
  await closed.promise
})
