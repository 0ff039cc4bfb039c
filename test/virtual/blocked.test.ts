import assert from 'node:assert/strict'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { isReady, type PodObject } from '../../src/sim/actors/pod-object.ts'
import { budget, shutApp, whoami } from '../../src/sim/cluster/article-workloads.ts'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { NODES, PODS } from '../../src/sim/world/api-resource.ts'
import { politeRoll } from '../scenarios/polite.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { RollHandle } from '../support/roll-ground/roll-ground.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { balancerBefore, smallWorld, WEB } from '../support/virtual-roll/small-world.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 3_600_000

const aWorld = (manifests: readonly object[]): Promise<VirtualCluster> =>
  smallWorld({ seed: 'blocked', nodes: 2, darkMs: 500, manifests, instances: [balancerBefore(WEB)] })

const podsOf = ({ world }: VirtualCluster, app: string): readonly PodObject[] =>
  ([...world.store.all(PODS)] as PodObject[]).filter(
    ({ metadata }) => metadata.labels?.app === app && metadata.deletionTimestamp === undefined,
  )

const onlyPod = (cluster: VirtualCluster, app: string): PodObject => {
  const [pod, ...more] = podsOf(cluster, app)
  assert.ok(pod !== undefined && more.length === 0)
  return pod
}

const specFor = (pod: PodObject, blocked: object, limits: object = {}) => ({
  nodes: { names: [pod.spec.nodeName] },
  balancers: [{ name: 'lb', instances: [{ name: 'lb-1', socket: '/run/haproxy.sock' }], backends: ['web'] }],
  drain: { blocked: [blocked], ...limits },
})

const says =
  (code: string, text: RegExp = /./) =>
  (event: StampedEvent): boolean =>
    (event.type === 'hold.started' || event.type === 'hold.changed') &&
    event.reasons.some((reason) => reason.code === code && text.test(reason.text))

const written = ({ events }: RollHandle, action: string): number =>
  events.filter((event) => event.type === 'write' && event.action === action && event.ok).length

const asked = ({ events }: RollHandle): number => events.filter(says('AnswerAwaited')).length

function answer({ world }: VirtualCluster, { metadata }: PodObject, text: string): void {
  const pod = world.store.get(PODS, metadata) as PodObject
  const annotations = { ...pod.metadata.annotations, 'evenkeel.dev/blocked': text }
  world.store.put(PODS, { ...pod, metadata: { ...pod.metadata, annotations } })
}

test('the only pod of a service that exits at once is replaced first, past a budget that never allows its eviction', async () => {
  const cluster = await aWorld([...whoami({ service: 'plain', replicas: 1 }), budget('whoami', 'whoami', 1)])
  const ground = new VirtualGround(cluster)
  const before = onlyPod(cluster, 'whoami')
  const spec = specFor(before, { selector: 'app=whoami', wait: '5s', surge: '2min' })
  const { code, failed, story } = await cluster.time.settle(politeRoll(ground, spec), LIMIT_MS)
  assert.deepEqual([code, failed], [0, 0], story)
  assert.match(story, /"action":"releasePod"/)
  assert.doesNotMatch(story, /"action":"deletePod"/)
  assert.notEqual(onlyPod(cluster, 'whoami').metadata.uid, before.metadata.uid)
  assert.deepEqual(await leftoversOf(ground), [])
  cluster.end()
})

test('where the replacement never becomes Ready the old pod stays, and is asked about; it has its labels back in the end', async () => {
  const cluster = await aWorld([...whoami({ service: 'plain', replicas: 1 }), budget('whoami', 'whoami', 1)])
  const ground = new VirtualGround(cluster)
  const before = onlyPod(cluster, 'whoami')
  const other = cluster.nodes.find((node) => node !== before.spec.nodeName) ?? ''
  const node = cluster.world.store.get(NODES, { name: other })
  assert.ok(node)
  cluster.world.store.put(NODES, { ...node, spec: { ...(node.spec as object), unschedulable: true } })
  const spec = specFor(
    before,
    { namespaces: ['default'], wait: '5s', surge: '20s', ask: '30s' },
    { blockedLimit: '10s', stageLimit: '10s' },
  )
  const { code, failed, story } = await cluster.time.settle(politeRoll(ground, spec), LIMIT_MS)
  await cluster.time.advance(2_000)
  assert.deepEqual([code, failed], [3, 0], story)
  assert.match(story, /"AnswerAwaited"[^\n]*0\/2 nodes are available/)
  const after = onlyPod(cluster, 'whoami')
  assert.deepEqual(
    [after.metadata.uid, after.metadata.labels, isReady(after)],
    [before.metadata.uid, before.metadata.labels, true],
  )
  assert.deepEqual(await leftoversOf(ground), [`${other} taint node.kubernetes.io/unschedulable`, `${other} cordoned`])
  cluster.end()
})

const ASK = { selector: 'app=legacy', wait: '5s', ask: '1min' }

test('a question is answered by wait, then by what is no answer, then by delete', async () => {
  const cluster = await aWorld([...whoami({ service: 'improved', replicas: 2 }), ...shutApp('legacy')])
  const ground = new VirtualGround(cluster)
  const before = onlyPod(cluster, 'legacy')
  const scenario = async (): Promise<void> => {
    const roll = await ground.roll(specFor(before, ASK))
    await roll.until('the question', says('AnswerAwaited', /budget default\/legacy needs 1 healthy, has 1 of 1/))
    answer(cluster, before, 'wait')
    await roll.until('the wait that is over', says('AnswerAwaited', /that wait is over/))
    assert.equal(
      roll.events.filter(says('BudgetExhausted', /it is waited for 5 s, then the roll waits for an answer/)).length,
      2,
    )
    answer(cluster, before, 'yes, please')
    await roll.until('what is no answer', says('AnswerAwaited', /"yes, please" is no answer/))
    assert.deepEqual([written(roll, 'deletePod'), onlyPod(cluster, 'legacy').metadata.uid], [0, before.metadata.uid])
    answer(cluster, before, 'delete')
    const { code, story } = await roll.ended()
    assert.equal(code, 0, story)
    assert.equal(written(roll, 'deletePod'), 1)
    assert.ok(roll.events.some((event) => event.type === 'pod.moved' && event.deleted === true))
  }
  await cluster.time.settle(scenario(), LIMIT_MS)
  const after = onlyPod(cluster, 'legacy')
  assert.deepEqual([after.metadata.uid !== before.metadata.uid, isReady(after)], [true, true])
  assert.deepEqual(await leftoversOf(ground), [])
  cluster.end()
})

for (const [deletes, expected] of [
  [false, { code: 3, deleted: 0 }],
  [true, { code: 0, deleted: 1 }],
] as const) {
  test(`a question without an answer ${deletes ? 'ends in a deletion where the file says so' : 'gives the drain up'}`, async () => {
    const cluster = await aWorld([...whoami({ service: 'improved', replicas: 2 }), ...shutApp('legacy')])
    const ground = new VirtualGround(cluster)
    const before = onlyPod(cluster, 'legacy')
    const scenario = async (): Promise<void> => {
      const roll = await ground.roll(specFor(before, { ...ASK, delete: deletes }, { blockedLimit: '10s' }))
      const { code, story } = await roll.ended()
      assert.deepEqual({ code, deleted: written(roll, 'deletePod') }, expected, story)
      assert.equal(asked(roll), 1, story)
    }
    await cluster.time.settle(scenario(), LIMIT_MS)
    assert.equal(onlyPod(cluster, 'legacy').metadata.uid === before.metadata.uid, !deletes)
    assert.deepEqual(await leftoversOf(ground), [])
    cluster.end()
  })
}

test('a pod with data in an emptyDir is deleted after its wait, where the file says so', async () => {
  const volume = { volumes: [{ name: 'scratch', emptyDir: {} }] }
  const cluster = await aWorld([...whoami({ service: 'improved', replicas: 2 }), ...shutApp('legacy', volume)])
  const ground = new VirtualGround(cluster)
  const before = onlyPod(cluster, 'legacy')
  const scenario = async (): Promise<void> => {
    const roll = await ground.roll(specFor(before, { selector: 'app=legacy', wait: '5s', delete: true }))
    await roll.until('the hold', says('PodRefused', /it is waited for 5 s, then it is deleted/))
    const { code, story } = await roll.ended()
    assert.deepEqual([code, written(roll, 'deletePod')], [0, 1], story)
  }
  await cluster.time.settle(scenario(), LIMIT_MS)
  assert.notEqual(onlyPod(cluster, 'legacy').metadata.uid, before.metadata.uid)
  cluster.end()
})

test('a process that is killed while it waits for an answer asks again, and the answer is heard', async () => {
  const cluster = await aWorld([...whoami({ service: 'improved', replicas: 2 }), ...shutApp('legacy')])
  const ground = new VirtualGround(cluster)
  const before = onlyPod(cluster, 'legacy')
  const scenario = async (): Promise<void> => {
    const roll = await ground.roll(specFor(before, ASK))
    await roll.until('the question', says('AnswerAwaited'))
    await roll.kill()
    answer(cluster, before, 'delete')
    const next = await ground.resume()
    const { code, story } = await next.ended()
    assert.deepEqual([code, written(next, 'deletePod'), asked(next)], [0, 1, 0], story)
  }
  await cluster.time.settle(scenario(), LIMIT_MS)
  assert.notEqual(onlyPod(cluster, 'legacy').metadata.uid, before.metadata.uid)
  assert.deepEqual(await leftoversOf(ground), [])
  cluster.end()
})

test('a pod that a finalizer keeps holds the drain by its name, and the roll takes no finalizer off', async () => {
  const cluster = await aWorld([...whoami({ service: 'improved', replicas: 2 }), ...shutApp('legacy')])
  const ground = new VirtualGround(cluster)
  const before = onlyPod(cluster, 'legacy')
  const finalizers = ['example.com/audit']
  cluster.world.store.put(PODS, { ...before, metadata: { ...before.metadata, finalizers } })
  const spec = specFor(
    before,
    { selector: 'app=legacy', wait: '5s', delete: true },
    { stageLimit: '30s', blockedLimit: '20s' },
  )
  const scenario = async (): Promise<void> => {
    const roll = await ground.roll(spec)
    await roll.until(
      'the finalizer',
      says('PodFinalizer', /has ended and is kept by its finalizer example\.com\/audit/),
    )
    const { code, story } = await roll.ended()
    assert.equal(code, 3, story)
  }
  await cluster.time.settle(scenario(), LIMIT_MS)
  const after = cluster.world.store.get(PODS, before.metadata) as PodObject
  assert.deepEqual((after.metadata as { finalizers?: unknown }).finalizers, finalizers)
  assert.deepEqual(await leftoversOf(ground), [])
  cluster.end()
})

test('a pod that leaves a machine that has lost its power is said to be on a silent node', async () => {
  const cluster = await aWorld([...whoami({ service: 'improved', replicas: 2 }), ...shutApp('legacy')])
  const ground = new VirtualGround(cluster)
  const before = onlyPod(cluster, 'legacy')
  const spec = specFor(before, { selector: 'app=legacy', wait: '5s', delete: true }, { stageLimit: '5min' })
  const scenario = async (): Promise<void> => {
    const roll = await ground.roll(spec)
    await roll.until('the deletion', (event) => event.type === 'write' && event.action === 'deletePod')
    await ground.powerOff(before.spec.nodeName ?? '')
    await roll.until('the silent node', says('NodeUnreachable', /is not Ready, so no kubelet says that it has ended/))
    await roll.kill()
  }
  await cluster.time.settle(scenario(), LIMIT_MS)
  cluster.end()
})

test('an API server that is away for a minute while an answer is awaited deletes no pod, and the ladder goes on after it', async () => {
  const cluster = await aWorld([...whoami({ service: 'improved', replicas: 2 }), ...shutApp('legacy')])
  const ground = new VirtualGround(cluster)
  const before = onlyPod(cluster, 'legacy')
  const scenario = async (): Promise<void> => {
    const roll = await ground.roll(specFor(before, { ...ASK, ask: '10s', delete: true }))
    await roll.until('the question', says('AnswerAwaited'))
    await ground.killApiServer()
    await ground.pause(60_000)
    await ground.startApiServer()
    assert.equal(written(roll, 'deletePod'), 0)
    const backAt = ground.nowMs()
    const deletion = await roll.until('the deletion', (event) => event.type === 'write' && event.action === 'deletePod')
    assert.ok(Date.parse(deletion.at) - backAt > 60_000, `${deletion.at}`)
    const { code, story } = await roll.ended()
    assert.deepEqual([code, written(roll, 'deletePod')], [0, 1], story)
  }
  await cluster.time.settle(scenario(), LIMIT_MS)
  assert.notEqual(onlyPod(cluster, 'legacy').metadata.uid, before.metadata.uid)
  assert.deepEqual(await leftoversOf(ground), [])
  cluster.end()
})

test('an API server that is away for a minute while a replacement is awaited costs no request', async () => {
  const cluster = await aWorld([...whoami({ service: 'plain', replicas: 1 }), budget('whoami', 'whoami', 1)])
  const ground = new VirtualGround(cluster)
  const before = onlyPod(cluster, 'whoami')
  const scenario = async (): Promise<void> => {
    const roll = await ground.roll(specFor(before, { selector: 'app=whoami', wait: '5s', surge: '5min' }))
    await roll.until('the release', (event) => event.type === 'write' && event.action === 'releasePod')
    await ground.killApiServer()
    await ground.pause(60_000)
    await ground.startApiServer()
    const { code, story } = await roll.ended()
    const ended = roll.events.findLast((event) => event.type === 'roll.ended')
    assert.deepEqual([code, ended?.load?.failed], [0, 0], story)
  }
  await cluster.time.settle(scenario(), LIMIT_MS)
  assert.notEqual(onlyPod(cluster, 'whoami').metadata.uid, before.metadata.uid)
  assert.deepEqual(await leftoversOf(ground), [])
  cluster.end()
})
