import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent, Kind, KindMap } from '../../../src/ground/ports/cluster.ts'
import { ClusterView } from '../../../src/roll/run/cluster-view.ts'
import { aWorkload } from '../../support/roll-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

/** An API server whose streams the test writes. */
function scene(isListed = true) {
  const clock = new VirtualClock()
  const sinks = new Map<Kind, (event: FollowEvent<never>) => void>()
  const cluster = {
    follow<K extends Kind>(kind: K, sink: (event: FollowEvent<KindMap[K]>) => void): Promise<void> {
      sinks.set(kind, sink)
      return new Promise(() => undefined)
    },
    list: () => Promise.resolve([]),
  }
  const view = new ClusterView({ cluster, clock, onChange: () => undefined })
  void view.run(new AbortController().signal)
  const error = new WorldError('reset', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  const list = (kinds = [...sinks.keys()]): void => {
    for (const kind of kinds) sinks.get(kind)?.({ type: 'listed', objects: [] })
  }
  const cut = (kind: Kind): void => sinks.get(kind)?.({ type: 'broken', error, retryInMs: 100 })
  const applied = (kind: Kind, object: unknown): void =>
    sinks.get(kind)?.({ type: 'applied', object } as FollowEvent<never>)
  if (isListed) list()
  return { clock, view, list, cut, applied, kinds: [...sinks.keys()] }
}

test('one stream that is cut is no loss of the API server', () => {
  const { view, cut } = scene()
  cut('pods')
  assert.equal(view.reading().lostAt, undefined)
  assert.equal(view.reading().staleForMs, 1)
})

test('all streams cut at once are, and the last moment of it is remembered', async () => {
  const { clock, view, list, cut, kinds } = scene()
  kinds.forEach(cut)
  await clock.advance(3000)
  const lostAt = view.reading().lostAt
  list()
  await clock.advance(20_000)
  assert.equal(lostAt, clock.monoMs() - 20_000)
  assert.deepEqual([view.reading().lostAt, view.reading().staleForMs], [monoMs(lostAt), 0])
})

test('the API server is back when the last stream is, not the first', async () => {
  const { clock, view, list, cut, kinds } = scene()
  kinds.forEach(cut)
  list(kinds.slice(1))
  await clock.advance(3000)
  assert.equal(view.reading().lostAt, clock.monoMs())
  list()
  await clock.advance(3000)
  assert.equal(view.reading().lostAt, clock.monoMs() - 3000)
})

test('a cluster of which one kind is not listed yet is not known', () => {
  const { view, list, kinds } = scene(false)
  list(kinds.slice(1))
  assert.equal(view.reading().staleForMs, 1)
  list(kinds.slice(0, 1))
  assert.equal(view.reading().staleForMs, 0)
})

test('a change of one kind of workload is seen beside the others, which stay as they are', () => {
  const { view, applied } = scene()
  const names = (): readonly string[] => view.reading().workloads.map(({ kind, name }) => `${kind} ${name}`)
  assert.deepEqual(names(), [])
  applied('replicasets', aWorkload())
  assert.deepEqual(names(), ['ReplicaSet cart'])
  applied('statefulsets', aWorkload({ kind: 'StatefulSet', name: 'db', uid: 'uid-db' }))
  assert.deepEqual(names(), ['ReplicaSet cart', 'StatefulSet db'])
  assert.equal(view.reading().workloads, view.reading().workloads)
})
