import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConfigMap } from '../../../src/ground/model/config-map.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { BudgetWatch } from '../../../src/service/run/budget-watch.ts'
import { MemoryCluster } from '../../support/memory-cluster.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
type Told = Readonly<Record<string, string>> | Error

/** What is told of `evenkeel-budget` and of `evenkeel-cordon-grants`; absent: there is none. */
function watched(maps: { budget?: Told; grants?: Told }, nodeCount = 8) {
  const clock = new VirtualClock()
  const said: string[] = []
  const asked: string[] = []
  const cluster = new MemoryCluster(clock, [])
  /** How long the first slot takes to be read. */
  const lease = { delayMs: 0 }
  const readLease: MemoryCluster['readLease'] = async (ref, signal) => {
    const { delayMs } = lease
    const found = await cluster.readLease(ref, signal)
    if (delayMs > 0 && ref.name.endsWith('-0')) await clock.sleep(delayMs, signal)
    return found
  }
  const read = async ({ namespace, name }: { namespace: string; name: string }): Promise<ConfigMap | undefined> => {
    asked.push(`${namespace}/${name}`)
    const found = name === 'evenkeel-budget' ? maps.budget : maps.grants
    if (found instanceof Error) throw found
    return found === undefined ? undefined : { namespace, name, resourceVersion: '1', annotations: {}, data: found }
  }
  const budget = new BudgetWatch({
    cluster: { readLease, list: cluster.list.bind(cluster) },
    configMaps: { read },
    clock,
    random: new SeededRandom(1),
    rights: 'deploy/roll-rbac.yaml',
    slots: { namespace: 'evenkeel', leaseDurationMs: 120_000, grantsNamespace: 'agents' },
    nodeCount: () => nodeCount,
    onNews: () => said.push('news'),
    say: (text) => said.push(text),
  })
  return { budget, clock, cluster, said, asked, maps, lease }
}

const forbidden = new WorldError('configmaps is forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' })
const grants = JSON.stringify({ version: 1, granted: ['n2'], max: 1, of: 4 })

test('without the objects one node may be out, and no brake holds a cordon back', async () => {
  const { budget, said, asked } = watched({})
  assert.deepEqual(await budget.read(never), { limit: { kind: 'count', count: 1 }, cordons: 'noBrake', slots: [] })
  assert.deepEqual(said, [])
  assert.deepEqual(asked, ['evenkeel/evenkeel-budget', 'agents/evenkeel-cordon-grants'])
})

test('a budget that changes is gone by at the next reading', async () => {
  const { budget, maps } = watched({ budget: { maxOut: '25%' }, grants: { grants } })
  const { limit, cordons } = await budget.read(never)
  assert.deepEqual([limit, cordons], [{ kind: 'percent', percent: 25 }, JSON.parse(grants)])
  maps.budget = { maxOut: '3' }
  assert.deepEqual((await budget.read(never)).limit, { kind: 'count', count: 3 })
})

test('law: a budget that makes no sense begins nothing, and one that disappears leaves the last known in force; a budget that disappears in mid-roll leaves the last known in force, and that is said once', async () => {
  const { budget, maps, said } = watched({ budget: { maxOut: '2' } })
  await budget.read(never)
  delete maps.budget
  const { limit, fault } = await budget.read(never)
  await budget.read(never)
  assert.deepEqual([limit, fault], [{ kind: 'count', count: 2 }, undefined])
  assert.deepEqual(said, ['ConfigMap evenkeel/evenkeel-budget is gone; what it said last stays in force: maxOut 2'])
})

test('a budget that may not be read any more leaves the last known in force, and is not said to be gone', async () => {
  const { budget, maps, said } = watched({ budget: { maxOut: '2' } })
  await budget.read(never)
  maps.budget = forbidden
  assert.deepEqual((await budget.read(never)).limit, { kind: 'count', count: 2 })
  assert.deepEqual(said, [
    'this identity is not allowed to get ConfigMap evenkeel/evenkeel-budget, so maxOut stays 2, as it said last: see deploy/roll-rbac.yaml',
  ])
})

test('law: a budget that makes no sense begins nothing, and one that disappears leaves the last known in force; a budget that makes no sense begins nothing, and what it said last stays in force for what has begun', async () => {
  const { budget, maps } = watched({ budget: { maxOut: '2' } })
  await budget.read(never)
  maps.budget = { maxOut: '101%' }
  const { limit, fault } = await budget.read(never)
  assert.deepEqual([limit, fault?.code], [{ kind: 'count', count: 2 }, 'MaxOutInvalid'])
})

test('a roll without the right to read them goes on with one node, and says once what it cannot count', async () => {
  const { budget, said } = watched({ budget: forbidden, grants: forbidden })
  const facts = await budget.read(never)
  await budget.read(never)
  assert.deepEqual(facts, { limit: { kind: 'count', count: 1 }, cordons: 'unknown', slots: [] })
  assert.deepEqual(said, [
    'this identity is not allowed to get ConfigMap evenkeel/evenkeel-budget, so one node may be out at a time: see deploy/roll-rbac.yaml',
    'this identity is not allowed to get ConfigMap agents/evenkeel-cordon-grants, so a node that is out by a granted cordon counts once its checks fail: see deploy/roll-rbac.yaml',
  ])
})

test('where the API does not answer nothing is begun, and what was known stays known', async () => {
  const { budget, maps } = watched({ budget: { maxOut: '2' }, grants: { grants } })
  await budget.read(never)
  maps.grants = new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  const { limit, fault, cordons } = await budget.read(never)
  assert.deepEqual(fault, { code: 'BudgetUnread', text: 'the node budget could not be read: connect ECONNREFUSED' })
  assert.deepEqual([limit, cordons], [{ kind: 'count', count: 2 }, JSON.parse(grants)])
})

test('a budget that was answered binds, though the grants beside it could not be read', async () => {
  const { budget, maps } = watched({ budget: { maxOut: '2' } })
  await budget.read(never)
  maps.budget = { maxOut: '1' }
  maps.grants = new WorldError('HTTP 500', { code: 'KUBE_SERVER', retry: 'backoff' })
  await budget.read(never)
  delete maps.budget
  delete maps.grants
  assert.deepEqual((await budget.read(never)).limit, { kind: 'count', count: 1 })
})

test('grants that make no sense change nothing, and that is said', async () => {
  const { budget, maps, said } = watched({ grants: { grants } })
  await budget.read(never)
  maps.grants = { grants: '{' }
  assert.deepEqual((await budget.read(never)).cordons, JSON.parse(grants))
  assert.deepEqual(said, ['it is not known which cordons are granted: the ConfigMap of the brake makes no sense'])
})

test('beside the passes it is looked at every five seconds, and news wakes them', async () => {
  const { budget, clock, maps, said, asked } = watched({})
  budget.want(never)
  await clock.advance(4_999)
  budget.want(never)
  assert.equal(asked.length, 2)
  await clock.advance(1)
  maps.budget = { maxOut: '2' }
  budget.want(never)
  await clock.advance(1)
  assert.deepEqual([asked.length, said, budget.facts()?.limit], [4, ['news', 'news'], { kind: 'count', count: 2 }])
})

test('the time for a reading grows with the number of slots: what is too long for one of them is not for four hundred', async () => {
  for (const [maxOut, code] of [
    ['1', 'BudgetUnread'],
    ['100%', undefined],
  ] as const) {
    const { budget, clock, lease } = watched({ budget: { maxOut } }, 400)
    await budget.read(never)
    lease.delayMs = 25_000
    const reading = budget.read(never)
    await clock.advance(25_000)
    assert.equal((await reading).fault?.code, code, maxOut)
  }
})

test('a reading that began earlier and ends later replaces nothing: all of its answer may be older', async () => {
  const { budget, clock, cluster, lease } = watched({})
  lease.delayMs = 3_000
  const slow = budget.read(never)
  for (let i = 0; i < 20; i += 1) await Promise.resolve()
  lease.delayMs = 0
  await cluster.writeLease(
    {
      ...{ namespace: 'evenkeel', name: 'evenkeel-slot-0', holder: 'x/a', durationSeconds: 120, transitions: 0 },
      ...{ resourceVersion: '', renewTime: '2026-01-01T00:00:00Z', annotations: { 'evenkeel.dev/node': 'n1' } },
    },
    never,
  )
  assert.equal((await budget.read(never)).slots.length, 1)
  await clock.advance(3_000)
  assert.deepEqual([(await slow).slots.length, budget.facts()?.slots.length], [1, 1])
})
