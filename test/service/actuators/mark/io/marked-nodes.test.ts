import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { systemClock } from '../../../../../src/ground/machine/system-clock.ts'
import type { Node } from '../../../../../src/ground/model/node.ts'
import { MarkedNodes } from '../../../../../src/service/actuators/mark/io/marked-nodes.ts'
import type { HealthCheckSpec, NodeCheck } from '../../../../../src/service/model/health-check.ts'
import { MemoryCluster } from '../../../../support/memory-cluster.ts'
import { aNode } from '../../../../support/roll-world.ts'

const KEY = 'ToBeDeletedByClusterAutoscaler'
const NEVER = new AbortController().signal

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const at = server.address()
  assert.ok(typeof at === 'object' && at !== null)
  return at.port
}

const served = (t: TestContext, answer: RequestListener): Promise<number> =>
  listening(
    t,
    createServer((request, reply) => answer(request, reply)).on('connection', (socket) =>
      t.after(() => socket.destroy()),
    ),
  )

interface Given {
  readonly port: number
  readonly check?: Partial<NodeCheck>
  readonly change?: Partial<HealthCheckSpec>
  readonly nodes?: readonly Node[]
}

const local = (name: string, change: Partial<Node> = {}): Node =>
  aNode(name, { internalAddresses: ['127.0.0.1'], ...change })

function marked({ port, check = {}, change = {}, nodes = [local('n1')] }: Given) {
  const healthCheck: HealthCheckSpec = {
    mark: { kind: 'taint', key: KEY, value: 'evenkeel' },
    check: { url: `http://{address}:${port}/at/{node}`, expectStatus: [200, 399], timeoutMs: 500, ...check },
    markDelayMs: 10_000,
    checks: { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 2_000 },
    dataPort: 443,
    ...change,
  }
  const spec = {
    name: 'edge',
    instances: ['edge'],
    backends: ['nodes'],
    allowLastServer: false,
    via: { kind: 'mark' as const, ...healthCheck },
  }
  return new MarkedNodes({ spec, cluster: new MemoryCluster(systemClock, nodes), clock: systemClock })
}

async function answerOf(given: Given): Promise<string> {
  const { backends } = await marked(given).inspect('edge', NEVER)
  const check = backends[0]?.servers[0]?.nodeCheck
  return check?.asked === true ? `${check.answer}: ${check.text}` : 'not asked'
}

test('only an answer that is not the wanted one is a refusal; whatever gives none is not known', async (t) => {
  const withStatus = (status: number) => served(t, (_request, reply) => reply.writeHead(status).end('OK\n'))
  const silent = await served(t, () => undefined)
  const cut = await served(t, (_request, reply) => {
    reply.writeHead(200, { 'content-length': '10' })
    reply.write('OK')
    setTimeout(() => reply.destroy(), 20)
  })
  const rubbish = await listening(
    t,
    createTcpServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-x\r\n')),
  )
  const closed = createTcpServer()
  const closedPort = await listening(t, closed)
  await new Promise((resolve) => closed.close(resolve))
  const ok = await withStatus(200)
  assert.equal(await answerOf({ port: ok }), 'good: good')
  assert.equal(await answerOf({ port: await withStatus(302) }), 'good: good')
  assert.match(await answerOf({ port: await withStatus(503) }), /^refused: HTTP 503/)
  assert.match(await answerOf({ port: await withStatus(404) }), /^refused: HTTP 404/)
  assert.match(await answerOf({ port: ok, check: { expectBody: 'UP' } }), /^refused: the body does not contain/)
  assert.equal(await answerOf({ port: ok, check: { expectBody: 'OK' } }), 'good: good')
  assert.equal(await answerOf({ port: silent, check: { timeoutMs: 100 } }), 'unheard: it did not answer in 100 ms')
  for (const port of [cut, rubbish, closedPort]) assert.match(await answerOf({ port }), /^unheard: ./)
})

test('the URL names the node, and an address where no request may go is not asked', async (t) => {
  const paths: (string | undefined)[] = []
  const port = await served(t, ({ url }, reply) => {
    paths.push(url)
    reply.end()
  })
  await answerOf({ port, nodes: [local('n1')] })
  assert.deepEqual(paths, ['/at/n1'])
  const metadata = local('n1', { internalAddresses: ['169.254.169.254'] })
  assert.match(await answerOf({ port, nodes: [metadata] }), /^unheard: its URL cannot be used/)
})

test('each node that is selected is a server, and its mark says whether it is to be out', async (t) => {
  const port = await served(t, (_request, reply) => reply.writeHead(503).end())
  const nodes = [
    local('n1', { labels: { ingress: 'true' }, taints: [{ key: KEY, effect: 'NoSchedule' }] }),
    local('n2', { labels: { ingress: 'true' } }),
    local('n3'),
  ]
  const only = { matchLabels: { ingress: 'true' }, matchExpressions: [] }
  const { backends } = await marked({ port, nodes, change: { nodes: only } }).inspect('edge', NEVER)
  assert.deepEqual(
    backends[0]?.servers.map(({ ref, ownState, operational, port: at }) => [ref.server, ownState, operational, at]),
    [
      ['n1', 'drain', 'stopping', 443],
      ['n2', 'ready', 'down', 443],
    ],
  )
})

test('a poll waits for the nodes that decisions are made by, and asks the others beside it', async (t) => {
  const held: (() => void)[] = []
  const port = await served(t, ({ url }, reply) => {
    if (url === '/at/n2') held.push(() => reply.end())
    else reply.end()
  })
  const reader = marked({ port, nodes: [local('n1'), local('n2')] })
  const own = [{ instance: 'edge', backend: 'nodes', server: 'n1' }]
  const { servers } = await reader.read('edge', NEVER, own)
  assert.deepEqual(
    servers.map(({ nodeCheck }) => nodeCheck?.asked === true && nodeCheck.answer),
    ['good', 'unheard'],
  )
  for (const answer of held) answer()
})

test('a file without a check asks nothing', async () => {
  const { check: _, ...spec } = { check: undefined, mark: { kind: 'taint', key: KEY, value: 'evenkeel' } } as const
  const healthCheck: HealthCheckSpec = {
    ...spec,
    markDelayMs: 0,
    checks: { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 0 },
    dataPort: 443,
  }
  const edge = {
    name: 'edge',
    instances: ['edge'],
    backends: ['nodes'],
    allowLastServer: false,
    via: { kind: 'mark' as const, ...healthCheck },
  }
  const cluster = new MemoryCluster(systemClock, [local('n1')])
  const { servers } = await new MarkedNodes({ spec: edge, cluster, clock: systemClock }).read('edge', NEVER)
  assert.deepEqual(
    servers.map(({ nodeCheck, operational }) => [nodeCheck, operational]),
    [[{ asked: false }, 'up']],
  )
})
