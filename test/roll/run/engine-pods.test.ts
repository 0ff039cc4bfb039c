import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import type { EvictedPod } from '../../../src/roll/decide/evidence.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aPod, aServer, aSpec, aWorkload } from '../../support/roll-world.ts'

const BUDGET = {
  namespace: 'evenkeel',
  name: 'evenkeel-budget',
  resourceVersion: '1',
  annotations: {},
  data: { maxOut: '2' },
}

function begun(t: TestContext, roll: MemoryRoll): MemoryRoll {
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return roll
}

/** ReplicaSet `cart` with one pod on n1, which an eviction takes away at once, and one elsewhere. */
function withCart(roll: MemoryRoll) {
  const pods = [aPod('cart-1', 'n1'), aPod('cart-2', 'n2')]
  let sink: (event: FollowEvent<Pod>) => void = () => undefined
  const follow = roll.cluster.follow.bind(roll.cluster)
  const list = roll.cluster.list.bind(roll.cluster)
  roll.cluster.list = async (kind) => {
    const objects: Partial<Record<string, readonly unknown[]>> = { pods, replicasets: [aWorkload()] }
    return (objects[kind] ?? (await list(kind))) as Awaited<ReturnType<typeof list<typeof kind>>>
  }
  roll.cluster.follow = (kind, heardBy, signal) => {
    if (kind === 'pods') sink = heardBy as unknown as typeof sink
    return follow(kind, heardBy, signal)
  }
  const leaves = (pod: Pod): void => sink({ type: 'deleted', object: pod })
  const comes = (pod: Pod): void => sink({ type: 'applied', object: pod })
  const [first = aPod('cart-1', 'n1')] = pods
  return { leaves: () => leaves(first), comes }
}

test('an eviction is in the journal with its pod, its stage and its workload', async (t) => {
  const entries: JournalEntry[] = []
  const roll = memoryRoll({ append: async (entry) => void entries.push(entry) })
  withCart(roll)
  begun(t, roll)
  await roll.clock.advance(10_000)
  assert.deepEqual(
    entries.filter(({ type }) => type === 'evicted').map(({ node, uid, pod }) => ({ node, uid, pod })),
    [{ node: 'n1', uid: 'uid-cart-1', pod: { name: 'shop/cart-1', stage: 2, workload: 'ReplicaSet shop/cart' } }],
  )
})

const isMeant = ({ type, actions }: JournalEntry): boolean =>
  type === 'meant' && JSON.stringify(actions).includes('"evict"')

/** What a process that is killed in the middle of the eviction leaves of it. */
const leftOf = (entries: readonly JournalEntry[]) =>
  entries.flatMap((entry) => {
    if (isMeant(entry)) return ['meant']
    if (entry.type !== 'evicting' && entry.type !== 'evicted') return []
    return [entry.pod === undefined ? 'stays' : `${entry.type} ${(entry.pod as EvictedPod).workload}`]
  })

test('an eviction is in the journal with its workload before it is sent, so that a process that is killed leaves it to the next one', async (t) => {
  const entries: JournalEntry[] = []
  const roll = memoryRoll({ append: async (entry) => void entries.push(entry) })
  withCart(roll)
  let left: readonly string[] = []
  const evict = roll.cluster.evict.bind(roll.cluster)
  roll.cluster.evict = (...asked) => {
    left = leftOf(entries)
    return evict(...asked)
  }
  begun(t, roll)
  await roll.clock.advance(10_000)
  assert.deepEqual(left, ['evicting ReplicaSet shop/cart', 'meant'])
  assert.deepEqual(leftOf(entries), [...left, 'evicted ReplicaSet shop/cart'])
})

test('a pod whose eviction was refused is none that was evicted, in the journal as well', async (t) => {
  const entries: JournalEntry[] = []
  const roll = memoryRoll({ append: async (entry) => void entries.push(entry) })
  withCart(roll)
  roll.cluster.evict = async () => ({ kind: 'refused', text: 'not allowed', status: 403 })
  begun(t, roll)
  await roll.clock.advance(1_000)
  assert.deepEqual(leftOf(entries).slice(0, 3), ['evicting ReplicaSet shop/cart', 'meant', 'stays'])
})

test('an eviction that is never answered is in the journal once, however often it is asked for', async (t) => {
  const entries: JournalEntry[] = []
  const roll = memoryRoll({ append: async (entry) => void entries.push(entry) })
  withCart(roll)
  let asked = 0
  roll.cluster.evict = async () => {
    asked += 1
    throw new WorldError('the API server cannot be reached (ECONNRESET)', {
      code: 'KUBE_UNREACHABLE',
      retry: 'backoff',
    })
  }
  begun(t, roll)
  await roll.clock.advance(10_000)
  assert.ok(asked > 1, `asked ${asked} times`)
  assert.deepEqual(
    entries.filter(({ type }) => type === 'evicted').map(({ uid, pod }) => ({ uid, pod })),
    [{ uid: 'uid-cart-1', pod: { name: 'shop/cart-1', stage: 2, workload: 'ReplicaSet shop/cart' } }],
  )
})

test('an eviction that may have been accepted stays in the journal where another try is left undone at the last moment', async (t) => {
  const entries: JournalEntry[] = []
  let asked = 0
  let isBack = false
  const server = { instance: 'lb-1', backend: 'web', server: 'n1' }
  const roll: MemoryRoll = memoryRoll({
    append: async (entry) => {
      entries.push(entry)
      if (!isMeant(entry) || asked !== 1 || isBack) return
      isBack = true
      roll.balancer.change(server, { adminState: 'ready', ownState: 'ready' })
    },
  })
  withCart(roll)
  roll.cluster.evict = async () => {
    asked += 1
    throw new WorldError('ECONNRESET', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  }
  begun(t, roll)
  await roll.clock.advance(10_000)
  assert.ok(leftOf(entries).filter((left) => left === 'meant').length > 1)
  assert.ok(!leftOf(entries).includes('stays'), leftOf(entries).join(', '))
})

test('how far a drain is, is reported with its stages: a third one where DaemonSets are drained as well', async (t) => {
  const drain = aSpec().drain
  for (const [daemonSets, stages] of [
    [[], 2],
    [[{ matchLabels: { app: 'ingress' }, matchExpressions: [] }], 3],
  ] as const) {
    const roll = memoryRoll({ run: { spec: aSpec({ drain: { ...drain, daemonSets } }) } })
    withCart(roll)
    begun(t, roll)
    await roll.clock.advance(10_000)
    const [changed] = roll.events.filter((event) => event.type === 'step.changed')
    assert.deepEqual(changed && [changed.node, changed.done, changed.total, changed.unit, changed.stage], [
      'n1',
      0,
      1,
      'pods',
      [2, stages],
    ])
  }
})

test('a pod that its controller puts back on a node that is being drained is reported once', async (t) => {
  const roll = memoryRoll()
  const { leaves, comes } = withCart(roll)
  begun(t, roll)
  await roll.clock.advance(5000)
  leaves()
  comes(aPod('cart-3', 'n1', { ready: false, phase: 'Pending' }))
  for (let change = 0; change < 5; change += 1) {
    await roll.clock.advance(1000)
    comes(aPod('cart-3', 'n1', { ready: false, phase: 'Pending', labels: { app: 'cart', change: String(change) } }))
  }
  const warnings = roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  assert.deepEqual(warnings, [
    'shop/cart-3 was put back on n1 by its controller; it is not evicted again and goes down with the node',
  ])
})

test('the data port of a node is asked no more once the node is in service again', async (t) => {
  const [asked, attached]: [number[], number[]] = [[], []]
  const roll: MemoryRoll = memoryRoll({
    run: { order: ['n1'] },
    onPortAsked: () => asked.push(roll.clock.monoMs()),
  })
  roll.balancer.onState = (_, state) => {
    if (state === 'ready') attached.push(roll.clock.monoMs())
  }
  begun(t, roll)
  await roll.clock.advance(400_000)
  const [attachedAt = 0] = attached
  const later = asked.filter((at) => at > attachedAt + 1000)
  assert.deepEqual([roll.ended()?.outcome, asked.length > 0, later], ['completed', true, []])
})

test('the data port of a node is asked again where people take its server out in the soak, and no check of it shows that it serves', async (t) => {
  const servers = ['n1', 'n2', 'n3'].map((node) => aServer(node, { check: 'none', checkText: 'no check' }))
  const roll = memoryRoll({ servers, run: { order: ['n1'], spec: aSpec({ soakMs: 60_000 }) } })
  begun(t, roll)
  const soaks = (): boolean => roll.events.some((event) => event.type === 'step.started' && event.step === 'soak')
  for (let second = 0; second < 400 && !soaks(); second += 1) await roll.clock.advance(1000)
  await roll.balancer.setState({ instance: 'lb-1', backend: 'web', server: 'n1' }, 'drain')
  await roll.clock.advance(120_000)
  assert.deepEqual([roll.ended()?.outcome, roll.balancer.state('n1')], ['completed', 'ready'])
})

for (const limitMs of [52_500, 90_000]) {
  test(`a roll that can do nothing is held within 5.5 s of its limit of ${limitMs / 1000} s, however rarely it tries again`, async (t) => {
    const entries: JournalEntry[] = []
    const drain = { ...aSpec().drain, blockedLimitMs: limitMs, stageLimitMs: limitMs }
    const roll = memoryRoll({ run: { spec: aSpec({ drain }) }, append: async (entry) => void entries.push(entry) })
    roll.balancer.onState = () => {
      throw new WorldError('Permission denied', { code: 'BALANCER_PERMISSION', retry: 'never' })
    }
    begun(t, roll)
    await roll.clock.advance(2 * limitMs)
    const [heldAt = 0] = entries.flatMap(({ type, at }) =>
      type === 'verdict' ? [Date.parse(at) - Date.parse('2026-01-01')] : [],
    )
    assert.ok(heldAt >= limitMs && heldAt < limitMs + 5500, `held after ${heldAt} ms`)
  })
}

test('a node that is removed while it waits for its slot does not count as rolled', async (t) => {
  const roll = memoryRoll()
  const slot = { namespace: 'evenkeel', name: 'evenkeel-slot-0' }
  const lease = { ...slot, resourceVersion: '', durationSeconds: 120, renewTime: '', transitions: 0, annotations: {} }
  roll.cluster.leases.put({ ...lease, holder: 'run-9/another' })
  begun(t, roll)
  await roll.clock.advance(5000)
  roll.cluster.remove('n1')
  roll.cluster.leases.put({ ...lease, holder: '' })
  await roll.clock.advance(800_000)
  const { outcome, exitCode, reasons } = roll.ended() ?? {}
  assert.deepEqual([roll.reboots, outcome, exitCode], [['n2', 'n3'], 'stopped', 1])
  assert.deepEqual(
    reasons?.map(({ code, object }) => [code, object]),
    [['NodeGone', 'n1']],
  )
})

test('two lanes that begin to drain at the same moment take one pod of a workload together, though each eviction is answered late', async (t) => {
  const asked: string[] = []
  const roll: MemoryRoll = memoryRoll({
    run: { spec: aSpec({ parallel: { nodes: 2, oneZone: false } }) },
    nodes: ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name)),
    servers: ['n1', 'n2', 'n3', 'n4'].map((name) => aServer(name)),
    configMaps: { read: async ({ name }) => (name === BUDGET.name ? BUDGET : undefined) },
  })
  withCart(roll)
  roll.cluster.evict = async ({ name }) => {
    asked.push(name)
    await roll.clock.sleep(200, new AbortController().signal)
    return { kind: 'accepted' }
  }
  begun(t, roll)
  await roll.clock.advance(30_000)
  assert.deepEqual([roll.cluster.node('n1').unschedulable, roll.cluster.node('n2').unschedulable], [true, true])
  assert.deepEqual(asked, ['cart-1'])
})
