import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import type { ProbeStatus } from '../../../src/ground/model/probe.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { DecideOnFresh } from '../../../src/roll/run/decide-on-fresh.ts'
import { BudgetWatch } from '../../../src/service/run/budget-watch.ts'
import { MemoryCluster } from '../../support/memory-cluster.ts'
import { aNode, anInstance, aServer, aSnapshot, aSpec } from '../../support/roll-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { shortDecision } from '../../support/short-decision.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const UNANSWERED = new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
const TOO_MANY = new WorldError('HTTP 429', { code: 'KUBE_THROTTLED', retry: 'backoff', retryAfterMs: 30_000 })
const NOT_READY = aNode('n2', { ready: 'False' })
const PROBE = { targets: [], baselineMs: 10_000, baselineLimitMs: 120_000 }
const YOUNG: ProbeStatus = {
  startedAt: wallMs(1_699_999_999_000),
  lastVerdictAt: wallMs(1_700_000_000_000),
  lanes: [],
  windows: [],
  notMeasured: [],
  greenStreak: 0,
}
const BUDGET = { namespace: 'evenkeel', name: 'evenkeel-budget', resourceVersion: '1', annotations: {} }

interface Ground {
  /** As the nodes are, which the watch of the roll does not show yet. */
  readonly nodes?: readonly Node[]
  /** As the watch shows them as well. */
  readonly watched?: readonly Node[]
  readonly probe?: ProbeStatus
  readonly maxOut?: string
  /** What the file asks for. */
  readonly asked?: number
  readonly renewed?: (s: RollSnapshot) => RollSnapshot
}

/** A roll is about to begin n1, and by its watch all is well. */
function ground({ nodes = [], watched = [], probe, maxOut, asked, renewed = (s) => s }: Ground = {}) {
  const clock = new VirtualClock()
  const { slots } = aSpec()
  const spec = aSpec({
    ...(asked === undefined ? {} : { slots: { ...slots, maxOut: { kind: 'count', count: asked } } }),
    ...(probe === undefined ? {} : { probe: PROBE }),
  })
  const seen = aSnapshot({ change: { spec, ...(probe === undefined ? {} : { probe }) } })
  const names = new Set(watched.map(({ name }) => name))
  const listed = [...seen.cluster.nodes.filter(({ name }) => !names.has(name)), ...watched]
  const base = { ...seen, cluster: { ...seen.cluster, nodes: listed } }
  const cluster = new MemoryCluster(clock, [...base.cluster.nodes, ...nodes])
  const world: { lists: number; reads: number; error?: WorldError } = { lists: 0, reads: 0 }
  const list: MemoryCluster['list'] = async (kind) => {
    world.lists += 1
    if (world.error !== undefined) throw world.error
    return cluster.list(kind)
  }
  const budget = new BudgetWatch({
    cluster: { readLease: cluster.readLease, list },
    configMaps: {
      read: async ({ name }) => {
        world.reads += 1
        return maxOut === undefined || name !== BUDGET.name ? undefined : { ...BUDGET, data: { maxOut } }
      },
    },
    clock,
    random: new SeededRandom(1),
    rights: 'deploy/roll-rbac.yaml',
    slots: spec.slots,
    nodeCount: () => base.cluster.nodes.length,
    onNews: () => undefined,
    say: () => undefined,
  })
  const fresh = new DecideOnFresh({ budget, clock, renewed })
  const decided = async (slot: RollSnapshot['slot']['state'], signal = new AbortController().signal) => {
    const facts = budget.facts()
    const s: RollSnapshot = {
      ...base,
      slot: { state: slot, mayAct: slot === 'mine' },
      ...(facts === undefined ? {} : { budget: facts }),
    }
    const { decision } = await fresh.decide(s, signal)
    return { decision, said: shortDecision(decision), why: decision.reasons.map(({ text }) => text) }
  }
  return { clock, cluster, world, decided }
}

test('law: all nodes are counted again between the slot and the first touch, and of several owners that are too many the one of the lowest slot goes on; what the watch does not show yet counts', async () => {
  const { said, why } = await ground({ nodes: [NOT_READY] }).decided('mine')
  assert.deepEqual([said, why], ['hold slot: OtherNodeBad', ['n2 is not Ready (Ready is False)']])
})

test('a node whose nodes are as the watch shows them is begun after one list, and the slot is asked for without one', async () => {
  const { world, decided } = ground()
  assert.deepEqual([(await decided('free')).said, world.lists], ['act slot: takeSlot', 0])
  assert.deepEqual([(await decided('mine')).said, world.lists], ['act record: writeRecord', 1])
})

test('a watch that lags has the slot taken and given back once: after that the list goes before the slot, every five seconds', async () => {
  const { clock, cluster, world, decided } = ground({ nodes: [NOT_READY], maxOut: '2', asked: 1 })
  assert.equal((await decided('free')).said, 'act slot: takeSlot')
  assert.equal((await decided('mine')).said, 'act slot: releaseSlot')
  for (let pass = 0; pass < 8; pass += 1) {
    assert.match((await decided('free')).said, /^hold slot: /)
    await clock.advance(500)
  }
  assert.equal(world.lists, 1)
  await clock.advance(1_000)
  assert.match((await decided('free')).said, /^hold slot: /)
  assert.equal(world.lists, 2)
  cluster.change('n2', { ready: 'True' })
  await clock.advance(5_000)
  assert.equal((await decided('free')).said, 'act slot: takeSlot')
  assert.equal((await decided('mine')).said, 'act record: writeRecord')
  assert.equal((await decided('free')).said, 'act slot: takeSlot')
  assert.equal(world.lists, 4)
})

test('a roll that begins beside a node that is out goes by the budget, and not by what it would be without one', async () => {
  const { decided } = ground({ watched: [NOT_READY], maxOut: '2' })
  assert.equal((await decided('free')).said, 'act slot: takeSlot')
  const { said, why } = await ground({ watched: [NOT_READY, aNode('n3', { ready: 'False' })], maxOut: '2' }).decided(
    'free',
  )
  assert.equal(said, 'hold slot: MostNodesNotReady BudgetUsedUp OtherNodeBad OtherNodeBad')
  assert.match(why[1] ?? '', /^2 nodes are out or about to be, and the budget allows at most 2$/)
})

test('the budget is looked at every five seconds while it holds the node up, and not in the baseline before', async () => {
  const held = ground({ watched: [NOT_READY] })
  await held.decided('free')
  assert.equal(held.world.reads, 2)
  for (let pass = 0; pass < 12; pass += 1) {
    await held.clock.advance(1_000)
    await held.decided('free')
  }
  assert.equal(held.world.reads, 6)
  const measuring = ground({ watched: [NOT_READY], probe: YOUNG })
  assert.match((await measuring.decided('free')).said, /^hold slot: Baseline/)
  assert.equal(measuring.world.reads, 0)
})

test('where the nodes cannot be listed nothing is begun', async () => {
  const { world, decided } = ground()
  world.error = UNANSWERED
  const { said, why } = await decided('mine')
  assert.deepEqual(
    [said, why],
    ['hold slot: BudgetUnread', ['the node budget could not be read: connect ECONNREFUSED']],
  )
})

test('a list that was refused is not asked for again before the time that the API server named', async () => {
  const { clock, world, decided } = ground()
  world.error = TOO_MANY
  for (let pass = 0; pass < 60; pass += 1) {
    assert.equal((await decided('mine')).said, 'hold slot: BudgetUnread')
    await clock.advance(500)
  }
  assert.equal(world.lists, 1)
  delete world.error
  await clock.advance(1_000)
  assert.equal((await decided('mine')).said, 'act record: writeRecord')
})

test('a server that a person took out while the nodes were listed goes into the record as it is then', async () => {
  const taken = aServer('n1', { adminState: 'maint', ownState: 'maint' })
  const instances = [anInstance([taken, aServer('n2'), aServer('n3')])]
  const { decision } = await ground({ renewed: (s) => ({ ...s, instances }) }).decided('mine')
  const actions = decision.kind === 'act' ? decision.actions : []
  const recorded = actions.flatMap((action) => (action.kind === 'writeRecord' ? action.record.servers : []))
  assert.deepEqual(
    recorded.map(({ server, state }) => [server, state]),
    [['n1', 'maint']],
  )
})

test('no node is begun once the roll is interrupted, though the nodes are being listed', async () => {
  const interrupt = new AbortController()
  interrupt.abort(new DOMException('interrupted', 'AbortError'))
  await assert.rejects(ground().decided('mine', interrupt.signal), /interrupted/)
})
