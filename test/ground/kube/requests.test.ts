import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { type Answer, answering, FakeApiServer, status } from './fake-api-server.ts'
import { openFake } from './opened.ts'

const NODE = { metadata: { name: 'a', uid: 'u', resourceVersion: '1' } }

async function scene(t: TestContext) {
  const server = await new FakeApiServer().start()
  return { server, ...(await openFake(t, server)) }
}

test('many calls go over one TLS connection', async (t) => {
  const { cluster, server, signal } = await scene(t)
  for (let call = 0; call < 200; call++) await cluster.list('nodes', signal)
  assert.equal(server.connections, 1)
})

test('each request names the program and carries the credential', async (t) => {
  const { cluster, server, signal } = await scene(t)
  await cluster.list('nodes', signal)
  const { headers } = server.requests.at(-1) ?? assert.fail()
  assert.equal(headers['user-agent'], 'evenkeel/test')
  assert.equal(headers.authorization, 'Bearer let-me-in')
  assert.equal(headers.accept, 'application/json')
})

test('a node that is not there is absent', async (t) => {
  const { cluster, signal } = await scene(t)
  assert.equal(await cluster.readNode('nobody', signal), undefined)
})

const PATH = 'GET /api/v1/nodes/a'
const forbidden = status(403, 'nodes "a" is forbidden: User "me" cannot get resource "nodes"')

const REFUSALS: readonly {
  readonly answer: Answer
  readonly code: string
  readonly text: RegExp
  readonly retry: string
}[] = [
  { answer: answering(403, forbidden), code: 'KUBE_FORBIDDEN', text: /^get nodes: .*cannot get/, retry: 'never' },
  { answer: answering(401, status(401)), code: 'KUBE_UNAUTHORIZED', text: /^get nodes: HTTP 401$/, retry: 'backoff' },
  { answer: answering(409, status(409)), code: 'KUBE_CONFLICT', text: /409/, retry: 'now' },
  { answer: answering(410, status(410)), code: 'KUBE_GONE', text: /410/, retry: 'now' },
  { answer: answering(429, status(429)), code: 'KUBE_THROTTLED', text: /429/, retry: 'backoff' },
  { answer: answering(500, status(500, 'etcd')), code: 'KUBE_SERVER', text: /etcd \(HTTP 500\)/, retry: 'backoff' },
  { answer: answering(502, '<html>bad gateway'), code: 'KUBE_SERVER', text: /HTTP 502/, retry: 'backoff' },
  { answer: answering(422, status(422)), code: 'KUBE_INVALID', text: /422/, retry: 'never' },
  { answer: answering(302, '', { location: '/' }), code: 'KUBE_REPLY', text: /302/, retry: 'backoff' },
  { answer: answering(200, '<html>hello'), code: 'KUBE_REPLY', text: /not JSON/, retry: 'backoff' },
  { answer: answering(200, ''), code: 'KUBE_REPLY', text: /metadata\.name is missing/, retry: 'backoff' },
  { answer: answering(200, [1]), code: 'KUBE_REPLY', text: /object is not an object/, retry: 'backoff' },
  { answer: (response) => response.socket?.destroy(), code: 'KUBE_UNREACHABLE', text: /failed/, retry: 'backoff' },
]

for (const { answer, code, text, retry } of REFUSALS) {
  test(`${code} says ${text.source}`, async (t) => {
    const { cluster, server, signal } = await scene(t)
    server.putInTheWay(PATH, answer, 10)
    await assert.rejects(cluster.readNode('a', signal), { name: 'WorldError', code, message: text, retry })
  })
}

test('Retry-After is reported, within reason', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay(PATH, answering(429, status(429), { 'retry-after': '3' }))
  await assert.rejects(cluster.readNode('a', signal), { code: 'KUBE_THROTTLED', retryAfterMs: 3000 })
  server.putInTheWay(PATH, answering(503, status(503), { 'retry-after': '999999999' }))
  await assert.rejects(cluster.readNode('a', signal), { code: 'KUBE_SERVER', retryAfterMs: 120_000 })
  server.putInTheWay(PATH, answering(503, status(503), { 'retry-after': '-5' }))
  await assert.rejects(cluster.readNode('a', signal), { code: 'KUBE_SERVER', retryAfterMs: undefined })
})

test('what a refusal says cannot steer the terminal it is printed on', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay(PATH, answering(500, status(500, `\u001b[2J\n${'x'.repeat(5000)}`)))
  await assert.rejects(cluster.readNode('a', signal), (error: Error) => {
    assert.doesNotMatch(error.message, /[\u001b\n]/)
    assert.ok(error.message.length < 700)
    return true
  })
})

test('an answer without end is given up', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay(PATH, (response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 20, 32)));
    }
    response.on('drain', more)
    more()
  })
  await assert.rejects(cluster.readNode('a', signal), { code: 'KUBE_TOO_LARGE', message: /larger than 64 MiB/ })
})

test('a call that is not answered ends after half a minute', async (t) => {
  const { cluster, clock, server, signal } = await scene(t)
  server.putInTheWay(PATH, () => undefined)
  const over = assert.rejects(cluster.readNode('a', signal), { code: 'KUBE_TIMEOUT', message: /get nodes: no answer/ })
  await waitFor({ what: 'the request', limitMs: 5000 }, () => server.count(PATH) || undefined)
  await clock.advance(30_000)
  await over
  assert.equal(clock.sleeping(), 0)
})

test('a body that stops half-way ends the call after half a minute as well', async (t) => {
  const { cluster, clock, server, signal } = await scene(t)
  server.putInTheWay(PATH, (response) => response.write('{"metadata":'))
  const over = assert.rejects(cluster.readNode('a', signal), { code: 'KUBE_TIMEOUT' })
  await waitFor({ what: 'the request', limitMs: 5000 }, () => server.count(PATH) || undefined)
  await clock.advance(30_000)
  await over
})

test('an aborted call rejects with the reason of its signal', async (t) => {
  const { cluster, server } = await scene(t)
  server.putInTheWay(PATH, () => undefined)
  const stop = new AbortController()
  const reason = new Error('enough')
  const over = assert.rejects(cluster.readNode('a', stop.signal), (error) => error === reason)
  await waitFor({ what: 'the request', limitMs: 5000 }, () => server.count(PATH) || undefined)
  stop.abort(reason)
  await over
})

test('a read goes out again when the kept connection turns out to be closed', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay(PATH, (response) => response.socket?.destroy())
  server.putInTheWay(PATH, answering(200, NODE))
  assert.equal((await cluster.readNode('a', signal))?.name, 'a')
})

test('a call that was not answered in time drops the connections beside it, which may lead nowhere as well', async (t) => {
  const { cluster, clock, server, signal } = await scene(t)
  await Promise.all(Array.from({ length: 6 }, () => cluster.list('nodes', signal)))
  assert.equal(server.connections, 6)
  server.deafenConnections()
  server.putInTheWay(PATH, answering(200, NODE))
  const asked = server.requests.length
  const over = assert.rejects(cluster.readNode('a', signal), { code: 'KUBE_TIMEOUT' })
  await waitFor({ what: 'the request', limitMs: 5000 }, () => server.requests.length > asked || undefined)
  await clock.advance(30_000)
  await over
  assert.equal((await cluster.readNode('a', signal))?.name, 'a')
})

test('a write does not: it may have been carried out', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay('PATCH /api/v1/nodes/a', (response) => response.socket?.destroy())
  await assert.rejects(cluster.patchNode('a', [], signal), { code: 'KUBE_UNREACHABLE' })
  assert.equal(server.count('PATCH /api/v1/nodes/a'), 1)
})

test('a name from outside cannot leave its place in the path', async (t) => {
  const { cluster, server, signal } = await scene(t)
  const before = server.requests.length
  await assert.rejects(cluster.readNode('../secrets?x=1', signal), { code: 'KUBE_NAME', retry: 'never' })
  assert.equal(server.requests.length, before)
})

test('a patch that no longer applies is a conflict, one that is wrong is not', async (t) => {
  const { cluster, server, signal } = await scene(t)
  const path = 'PATCH /api/v1/nodes/a'
  server.putInTheWay(path, answering(422, status(422, 'the server rejected our request')))
  await assert.rejects(cluster.patchNode('a', [], signal), { code: 'KUBE_CONFLICT', retry: 'now' })
  const causes = [{ reason: 'FieldValueInvalid', message: 'Invalid value' }]
  server.putInTheWay(path, answering(422, status(422, 'Node "a" is invalid', { causes })))
  await assert.rejects(cluster.patchNode('a', [], signal), { code: 'KUBE_INVALID', message: /is invalid/ })
})
