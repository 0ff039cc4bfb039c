import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent, Kind, KindMap } from '../../../src/ground/ports/cluster.ts'
import type { AdminState } from '../../../src/service/model/balancer.ts'
import { formatRecord, INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aRecord, aServer, drained } from '../../support/roll-world.ts'

const RECORDED = { [RECORD_ANNOTATION]: formatRecord(aRecord()) }
const N1_IS_OUT = aNode('n1', { unschedulable: true, annotations: RECORDED })

/** run-1 is resumed with n1 out, as its journal says. The list of one kind hangs, or is refused, until `answer`. */
function resumed(t: TestContext, kind: Kind, n1: Node = N1_IS_OUT, refusal?: WorldError) {
  const roll = memoryRoll({
    run: { resumed: true, underWay: 'n1' },
    nodes: [n1, aNode('n2'), aNode('n3')],
    servers: drained(),
  })
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const follow = roll.cluster.follow.bind(roll.cluster)
  roll.cluster.follow = async <K extends Kind>(
    followed: K,
    sink: (event: FollowEvent<KindMap[K]>) => void,
    signal: AbortSignal,
  ) => {
    if (followed === kind) {
      if (refusal !== undefined) sink({ type: 'broken', error: refusal, retryInMs: 1000 })
      await answered
    }
    return follow(followed, sink, signal)
  }
  const begin = (): void => {
    const running = roll.begin()
    t.after(() => {
      answer()
      return leave(roll, running)
    })
  }
  return { ...roll, begin, answer }
}

/** HAProxy is reloaded without a state file and has n1 ready again; then a second passes. */
async function reloaded({ balancer, clock }: Pick<MemoryRoll, 'balancer' | 'clock'>): Promise<AdminState | undefined> {
  await balancer.setState(aServer('n1').ref, 'ready')
  await clock.advance(1000)
  return balancer.state('n1')
}

const KINDS = [
  'nodes',
  'pods',
  'disruptionbudgets',
  'deployments',
  'replicasets',
  'statefulsets',
  'daemonsets',
  'volumeattachments',
  'volumeclaims',
  'endpointslices',
] as const

for (const kind of KINDS) {
  test(`a resumed roll answers a reload within a second while the list of ${kind} hangs`, async (t) => {
    const roll = resumed(t, kind)
    roll.begin()
    await roll.clock.advance(3000)
    assert.equal(await reloaded(roll), 'drain')
  })

  test(`a resumed roll does nothing else while the list of ${kind} hangs, and goes on when it is there`, async (t) => {
    const roll = resumed(t, kind)
    roll.begin()
    await roll.clock.advance(30_000)
    const writes = roll.events.flatMap((event) => (event.type === 'write' ? [event.action] : []))
    const holds = roll.events.flatMap((event) => (event.type === 'hold.started' ? event.reasons : []))
    assert.deepEqual([writes, holds.map(({ code }) => code)], [['takeSlot'], ['NotListedYet']])
    roll.answer()
    await roll.clock.advance(10_000)
    assert.deepEqual(roll.reboots, ['n1'])
  })
}

test('a resumed roll with an announced reboot answers a reload that came before it, though a list hangs', async (t) => {
  const intent = { version: 1, run: 'run-1', bootId: N1_IS_OUT.bootId, at: '2026-01-01T00:00:00.000Z' } as const
  const annotations = { ...RECORDED, [INTENT_ANNOTATION]: formatRecord(intent) }
  const roll = resumed(t, 'pods', { ...N1_IS_OUT, annotations })
  await roll.balancer.setState(aServer('n1').ref, 'ready')
  roll.begin()
  await roll.clock.advance(1500)
  assert.equal(roll.balancer.state('n1'), 'drain')
})

test('the node that is out is read again where the first read hangs or fails', async (t) => {
  const roll = resumed(t, 'nodes')
  const readNode = roll.cluster.readNode.bind(roll.cluster)
  let reads = 0
  roll.cluster.readNode = (name: string) => {
    reads += 1
    if (reads === 1) return new Promise(() => undefined)
    if (reads > 2) return readNode(name)
    return Promise.reject(new WorldError('get nodes: for now', { code: 'KUBE_SERVER', retry: 'backoff' }))
  }
  roll.begin()
  await roll.clock.advance(4000)
  assert.equal(await reloaded(roll), 'drain')
})

test('a resumed roll keeps its node out without a limit where a list is refused, and says why', async (t) => {
  const refusal = new WorldError('list pods: forbidden (HTTP 403)', { code: 'KUBE_FORBIDDEN', retry: 'never' })
  const roll = resumed(t, 'pods', N1_IS_OUT, refusal)
  roll.begin()
  await roll.clock.advance(300_000)
  assert.equal(await reloaded(roll), 'drain')
  const text = roll.events.flatMap((event) => (event.type === 'hold.started' ? event.reasons : []))[0]?.text
  assert.equal(
    text,
    'the API server has not listed pods yet (list pods: forbidden (HTTP 403)); until then n1 is kept out and nothing else is done',
  )
})

test('a node that does not bear the record of the run is not begun before everything is listed', async (t) => {
  const roll = resumed(t, 'pods', aNode('n1'))
  roll.begin()
  await roll.clock.advance(30_000)
  assert.deepEqual(
    roll.events.map(({ type }) => type),
    ['roll.started'],
  )
})

test('a node that was back in service before the resume stays so while a list hangs', async (t) => {
  const roll = resumed(t, 'pods', aNode('n1', { annotations: RECORDED, bootId: 'another' }))
  await roll.balancer.setState(aServer('n1').ref, 'ready')
  const words: AdminState[] = []
  roll.balancer.onState = (_, state) => words.push(state)
  roll.begin()
  await roll.clock.advance(50_000)
  assert.deepEqual(words, [])
})

test('a list that is older than the node as it was read shows no record that an earlier process has taken off', async (t) => {
  const roll = memoryRoll({
    run: { resumed: true, underWay: 'n1' },
    nodes: [aNode('n1', { resourceVersion: '20' }), aNode('n2'), aNode('n3')],
  })
  const follow = roll.cluster.follow.bind(roll.cluster)
  const old = aNode('n1', { unschedulable: true, annotations: RECORDED, resourceVersion: '10' })
  roll.cluster.follow = (kind, sink, signal) =>
    follow(
      kind,
      (event) => {
        const isList = kind === 'nodes' && event.type === 'listed'
        const listed = { type: 'listed', objects: [old, aNode('n2'), aNode('n3')] } as unknown as typeof event
        sink(isList ? listed : event)
      },
      signal,
    )
  const recordedAtDetach: boolean[] = []
  roll.balancer.onState = (server) => {
    if (server === 'n1') recordedAtDetach.push(RECORD_ANNOTATION in roll.cluster.node('n1').annotations)
  }
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(10_000)
  assert.equal(recordedAtDetach[0], true)
})
