import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import type { EngineRequest } from '../support/virtual-roll/engine-request.ts'
import { runScenario } from '../support/virtual-roll/swarm/run-seed.ts'
import { type Scenario, scenarioOf } from '../support/virtual-roll/swarm/scenario.ts'
import { type BalancerKind, PLAIN_WORLD, type WorldKind } from '../support/virtual-roll/swarm/world-kind.ts'
import { worldSpec } from '../support/virtual-roll/swarm/world-spec.ts'

const test = simulationTest(import.meta.url)

/** One node of three is rolled, and nothing fails but what the world says. */
const scenarioIn = (world: Partial<WorldKind>): Scenario => ({
  seed: 'worlds',
  nodes: 3,
  darkMs: 500,
  whoami: { replicas: 3, graceSeconds: 2, startSeconds: 0 },
  databases: 0,
  cordoned: [],
  maint: [],
  drainsEdge: true,
  spec: { nodes: { names: ['n1'] }, soak: '1s', ...worldSpec({ ...PLAIN_WORLD, ...world }, true) },
  world: { ...PLAIN_WORLD, ...world },
  faults: [],
  cues: [],
  amends: {},
  healAtMs: 20_000,
  second: undefined,
  abortAfter: undefined,
})

/** What was seen that must not be, and everything that the roll had the world do. */
async function rolled(world: Partial<WorldKind>, more: Partial<Scenario> = {}) {
  const heard: EngineRequest[] = []
  const scenario = { ...scenarioIn(world), ...more }
  const { violations } = await runScenario(scenario, (request) => void heard.push(request))
  const lines = heard.flatMap((request) => (request.kind === 'balancer' ? [`${request.instance} ${request.line}`] : []))
  const reboots = heard.flatMap((request) => (request.kind === 'reboot' ? [request.node] : []))
  return { violations, lines, reboots }
}

/** Each server that was told something, with the first and the last state that it was told. */
function firstAndLast(lines: readonly string[]): readonly string[] {
  const words = lines.flatMap((line) =>
    [...line.matchAll(/set server (\S+) state (\S+?)(?=;|$)/g)].map(([, server = '', state = '']) => {
      return { key: `${line.slice(0, line.indexOf(' '))} ${server}`, state }
    }),
  )
  const byServer = Map.groupBy(words, ({ key }) => key)
  return [...byServer].map(([key, said]) => `${key} ${said[0]?.state} ${said.at(-1)?.state}`).toSorted()
}

const PAIR: readonly BalancerKind[] = [{ name: 'lb', instances: ['lb-1', 'lb-2'], backends: ['web', 'edge'] }]
const TWO: readonly BalancerKind[] = [
  { name: 'lb', instances: ['lb-1'], backends: ['web'] },
  { name: 'inner', instances: ['lb-2'], backends: ['edge'] },
]
const AGENTS_ALONE: readonly BalancerKind[] = [
  { name: 'none', instances: ['lb-1'], backends: [] },
  { name: 'by-checks', instances: ['lb-2'], backends: ['web'], by: 'agents' },
]

test('each instance of a pair is told to let a node go, and to take it back', async () => {
  const { violations, lines, reboots } = await rolled({ balancers: PAIR })
  assert.deepEqual(violations, [])
  assert.deepEqual(reboots, ['n1'])
  assert.deepEqual(firstAndLast(lines), [
    'lb-1 edge/n1 drain ready',
    'lb-1 web/n1 drain ready',
    'lb-2 edge/n1 drain ready',
    'lb-2 web/n1 drain ready',
  ])
})

test('an instance that forgets a node that is dark, while the other one remembers, is told again', async () => {
  const faults = [{ kind: 'instanceReload', instance: 'lb-2', atMs: 14_000, keepsStates: false }] as const
  const { violations, lines } = await rolled({ balancers: PAIR, faults }, { darkMs: 10_000 })
  assert.deepEqual(violations, [])
  const drains = (instance: string): number =>
    lines.filter((line) => line.startsWith(`${instance} set server web/n1 state drain`)).length
  assert.ok(drains('lb-2') > drains('lb-1'), `${drains('lb-2')} times, and ${drains('lb-1')} times the other one`)
})

test('of two balancers each gets commands for its own backend alone', async () => {
  const { violations, lines } = await rolled({ balancers: TWO })
  assert.deepEqual(violations, [])
  assert.deepEqual(firstAndLast(lines), ['lb-1 web/n1 drain ready', 'lb-2 edge/n1 drain ready'])
})

test('servers that clients come back to by a cookie go to maint, and no such client loses a request', async () => {
  const { violations, lines } = await rolled({ servers: 'cookies' })
  assert.deepEqual(violations, [])
  assert.deepEqual(firstAndLast(lines), ['lb-1 edge/n1 drain ready', 'lb-1 web/n1 maint ready'])
})

test('a server that tracks another one is out and back with it', async () => {
  const { violations, lines } = await rolled({ servers: 'track' })
  assert.deepEqual(violations, [])
  assert.deepEqual(firstAndLast(lines), ['lb-1 edge/n1 drain ready', 'lb-1 web/n1 drain ready'])
})

test('no node leaves while only a backup, a server that warms up or one of weight 0 would carry', async () => {
  const uneven = { slowStartMs: 6_000, backup: 'n3' }
  const both = { ...scenarioIn({}).spec, nodes: { names: ['n1', 'n2'] } }
  const first = await rolled({ uneven }, { spec: both })
  assert.deepEqual([first.violations, first.reboots], [[], ['n1', 'n2']])
  const weightless = { kind: 'weightless', instance: 'lb-1', server: 'web/n2', fromMs: 0, toMs: 15_000 } as const
  const second = await rolled({ uneven, faults: [weightless] })
  assert.deepEqual([second.violations, second.reboots], [[], ['n1']])
})

test('requests that outlast the idle limit are cut, and no other one is', async () => {
  const { violations, lines } = await rolled({ hasLongRequests: true })
  assert.deepEqual(violations, [])
  const cuts = new Set(lines.filter((line) => line.includes('shutdown sessions')))
  assert.deepEqual([...cuts], ['lb-1 shutdown sessions server web/n1'])
})

test('a balancer that goes by checks alone notices what the agent of the node answers, and nothing is lost', async () => {
  const agents = { countsConnections: false, declaresCheckers: true }
  const { violations, lines, reboots } = await rolled({ balancers: AGENTS_ALONE, agents })
  assert.deepEqual(violations, [])
  assert.deepEqual([lines, reboots], [[], ['n1']])
})

for (const by of ['mark', 'detacher', 'commands'] as const) {
  test(`a balancer without a runtime API that goes by ${by} lets a node go and takes it back, and nothing is lost`, async () => {
    const name = by === 'commands' ? 'lb-2' : `by-${by}`
    const balancers: readonly BalancerKind[] = [
      { name: 'none', instances: ['lb-1'], backends: [] },
      { name, instances: ['lb-2'], backends: ['web'], by },
    ]
    const { violations, lines, reboots } = await rolled({ balancers })
    assert.deepEqual(violations, [])
    assert.deepEqual(firstAndLast(lines), by === 'commands' ? ['lb-2 web/n1 drain ready'] : [])
    assert.deepEqual(reboots, ['n1'])
  })
}

for (const tight of ['room', 'spread'] as const) {
  test(`a node goes although no other node takes its pods, for their ${tight}, and they are back with it`, async () => {
    const { violations, reboots } = await rolled({ pods: { tight } })
    assert.deepEqual(violations, [])
    assert.deepEqual(reboots, ['n1'])
  })
}

test('a control target that fails beside a service that is well holds nothing up', async () => {
  const { violations, reboots } = await rolled({
    control: 'well',
    faults: [{ kind: 'controlFails', how: 'status', fromMs: 1_000, toMs: 8_000 }],
  })
  assert.deepEqual(violations, [])
  assert.deepEqual(reboots, ['n1'])
})

test('a seed puts no server into maint that others track: its node would use up the node budget for good', () => {
  const drawn = ['1002025', '1002049', '1002310', '1002394'].map((seed) => scenarioOf(seed))
  assert.deepEqual(
    drawn.map(({ world, maint }) => `${world.servers}: ${maint}`),
    ['track: edge/n2', 'track: edge/n3', 'track: edge/n1', 'track: edge/n2'],
  )
})

/** The node was put back. */
const attached = (lines: readonly string[]): boolean =>
  lines.some((line) => /set server web\/n1 state ready/.test(line))

for (const [what, pods] of Object.entries({
  'a static pod that takes its time': { staticSeconds: 6 },
  'a second container of a DaemonSet that takes its time': { besideSeconds: 6 },
  'replacements that run an init container, and wait for a gate': { initSeconds: 3, gateMs: 2_000 },
  'kubelets that hold up a shutdown, after which the pods of DaemonSets are others': { shutdownGraceMs: 8_000 },
}))
  test(`${what}: a roll waits for it`, async () => {
    const { violations, lines, reboots } = await rolled({ pods })
    assert.deepEqual(violations, [])
    assert.deepEqual([reboots, attached(lines)], [['n1'], true])
  })

test('while no image can be pulled, a roll waits for the replacement, and goes on by itself', async () => {
  const faults = [{ kind: 'registryAway', fromMs: 0, toMs: 12_000 }] as const
  const { violations, reboots } = await rolled({ pods: { pulls: true }, faults })
  assert.deepEqual(violations, [])
  assert.deepEqual(reboots, ['n1'])
})
