import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { answering, FakeApiServer, status } from './fake-api-server.ts'
import { followNodes, openFake, until } from './opened.ts'

const item = (name: string) => ({ metadata: { name, uid: `u-${name}`, resourceVersion: '1' } })

const page = (names: readonly string[], next = '') =>
  answering(200, { metadata: { resourceVersion: '7', continue: next }, items: names.map(item) })

async function scene(t: TestContext) {
  const server = await new FakeApiServer().start()
  return { server, ...(await openFake(t, server)) }
}

test('a list is read in pages of five hundred', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay('list', page(['a', 'b'], 'token two'))
  server.putInTheWay('list', page(['c']))
  const nodes = await cluster.list('nodes', signal)
  assert.deepEqual(
    nodes.map(({ name }) => name),
    ['a', 'b', 'c'],
  )
  const asked = server.requests.filter(({ path }) => path === '/api/v1/nodes').map(({ query }) => query.toString())
  assert.deepEqual(asked, ['limit=500', 'limit=500&continue=token+two'])
})

test('the versions of all nodes come in one page, as many nodes as Kubernetes allows', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay('list', page(['a', 'b'], 'more'))
  server.putInTheWay('list', page(['c']))
  const versions = await cluster.nodeVersions(signal)
  assert.deepEqual(
    versions,
    ['a', 'b', 'c'].map((name) => ({ name, uid: `u-${name}`, resourceVersion: '1' })),
  )
  const asked = server.requests.filter(({ path }) => path === '/api/v1/nodes').map(({ query }) => query.toString())
  assert.deepEqual(asked, ['limit=5000', 'limit=5000&continue=more'])
})

test('all VolumeAttachments come in one page', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay('GET /apis/storage.k8s.io/v1/volumeattachments', page([]))
  await cluster.list('volumeattachments', signal)
  const [asked] = server.requests.filter(({ path }) => path.endsWith('/volumeattachments'))
  assert.equal(asked?.query.get('limit'), '5000')
})

const BLOB = 'x'.repeat(1_400_000)
const largePage = (names: readonly string[], next = '') => {
  const items = names.map((name) => ({ metadata: { ...item(name).metadata, annotations: { large: BLOB } } }))
  return answering(200, { metadata: { resourceVersion: '7', continue: next }, items })
}
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `n${i}`)

test('law: a page that is too large is asked for again from the same place with fewer objects, down to one', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay('list', page(['a'], 'one'))
  server.putInTheWay('list', largePage(names(40), 'two'))
  server.putInTheWay('list', largePage(names(30)))
  server.putInTheWay('list', largePage(names(20), 'two'))
  server.putInTheWay('list', page(['z']))
  const nodes = await cluster.list('nodes', signal)
  assert.equal(nodes.length, 22)
  const asked = server.requests.filter(({ path }) => path === '/api/v1/nodes').map(({ query }) => query.toString())
  assert.deepEqual(asked, [
    'limit=500',
    'limit=500&continue=one',
    'limit=100&continue=one',
    'limit=20&continue=one',
    'limit=20&continue=two',
  ])
})

test('one object that is larger than any can be ends the list, and not one of several times that of etcd', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay('list', largePage(names(40)), 100)
  await assert.rejects(cluster.list('nodes', signal), { code: 'KUBE_TOO_LARGE' })
  assert.equal(server.count('list'), 5)
})

test('a token that has grown too old starts the list over, and nothing is listed twice', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay('list', page(['old', 'a'], 'x'))
  server.putInTheWay('list', answering(410, status(410, 'The provided continue parameter is too old')))
  server.putInTheWay('list', page(['a'], 'y'))
  server.putInTheWay('list', page(['b']))
  const nodes = await cluster.list('nodes', signal)
  assert.deepEqual(
    nodes.map(({ name }) => name),
    ['a', 'b'],
  )
})

test('a token that is always too old is given up', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay('list', answering(410, status(410)), 100)
  await assert.rejects(cluster.list('nodes', signal), { code: 'KUBE_GONE' })
  assert.equal(server.count('list'), 4)
})

test('a watch goes on from the moment of the first page, since later ones may tell of later moments', async (t) => {
  const opened = await scene(t)
  const { server } = opened
  server.putInTheWay('list', page(['a'], 'more'))
  server.putInTheWay('list', answering(200, { metadata: { resourceVersion: '9' }, items: [item('b')] }))
  followNodes(opened)
  await until(opened, 'the watch', () => server.count('watch') === 1)
  assert.equal(server.requests.at(-1)?.query.get('resourceVersion'), '7')
})

test('a list without end is given up', async (t) => {
  const { cluster, server, signal } = await scene(t)
  server.putInTheWay('list', page([], 'again'), 1_000_000)
  await assert.rejects(cluster.list('nodes', signal), { code: 'KUBE_REPLY', message: /does not end/ })
})

test('one object that makes no sense does not hide the others', async (t) => {
  const { cluster, server, signal, warnings } = await scene(t)
  const items = [item('a'), 7, null, { metadata: { name: 'x' } }, item('b')]
  server.putInTheWay('list', answering(200, { metadata: { resourceVersion: '7' }, items }))
  const nodes = await cluster.list('nodes', signal)
  assert.deepEqual(
    nodes.map(({ name }) => name),
    ['a', 'b'],
  )
  assert.equal(warnings.length, 3)
})

for (const body of [
  {},
  { items: {} },
  { metadata: {}, items: [] },
  { metadata: { resourceVersion: 7 } },
  'null',
  '"x"',
]) {
  test(`a list that is ${JSON.stringify(body)} makes no sense`, async (t) => {
    const { cluster, server, signal } = await scene(t)
    server.putInTheWay('list', answering(200, body))
    await assert.rejects(cluster.list('nodes', signal), { code: 'KUBE_REPLY', message: /^list nodes: the reply/ })
  })
}

test('the error names a resource that may not be listed', async (t) => {
  const { cluster, server, signal } = await scene(t)
  const message = 'poddisruptionbudgets.policy is forbidden: User "me" cannot list resource "poddisruptionbudgets"'
  server.putInTheWay('GET /apis/policy/v1/poddisruptionbudgets', answering(403, status(403, message)))
  await assert.rejects(cluster.list('disruptionbudgets', signal), {
    code: 'KUBE_FORBIDDEN',
    message: /^list poddisruptionbudgets\.policy: /,
  })
})
