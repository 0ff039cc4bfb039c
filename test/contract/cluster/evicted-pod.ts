import assert from 'node:assert/strict'
import type { ClusterGround } from './cluster-ground.ts'
import type { Change } from './cluster-log.ts'
import { condition, isGoing, isOf, isReady } from './pod-facts.ts'
import type { SeenPod } from './seen-objects.ts'

/** What an evicted pod goes through, and its endpoint with it. */
export function isEvicted(ground: ClusterGround, before: SeenPod, afterRevision: number): void {
  const { name, uid } = before.metadata
  const changes = ground.log.changes('pod', afterRevision).filter(({ object }) => object.metadata.uid === uid)
  const first = (what: string, is: (pod: SeenPod) => boolean): Change<'pod'> => {
    const found = changes.find(({ object }) => is(object))
    assert.ok(found, `${name}: ${what}`)
    return found
  }
  const endpointAt = (revision: number) => ground.endpoint(uid, revision)?.conditions

  const marked = first('marked', (pod) => condition(pod, 'DisruptionTarget') !== undefined)
  const { status, reason, message } = condition(marked.object, 'DisruptionTarget') ?? {}
  assert.deepEqual([status, reason, message], ['True', 'EvictionByEvictionAPI', 'Eviction API: evicting'])
  assert.ok(!isGoing(marked.object) && isReady(marked.object))

  const going = first('going', isGoing)
  assert.ok(going.revision > marked.revision)
  assert.equal(going.object.metadata.deletionGracePeriodSeconds, isOf(before, 'StatefulSet') ? 10 : 20)
  assert.ok(isReady(going.object))

  const ended = first('ended', ({ status: { phase } }) => phase === 'Succeeded')
  assert.deepEqual([isReady(ended.object), condition(ended.object, 'Ready')?.reason], [false, 'PodCompleted'])
  assert.equal(ended.object.status.containerStatuses?.[0]?.state.terminated?.exitCode, 0)
  const servedMs = ended.atMs - going.atMs
  assert.ok(servedMs >= (isOf(before, 'StatefulSet') ? 500 : 2_000), `served on for ${servedMs} ms`)

  const slices = ground.log.changes('slice', going.revision)
  const told = slices.find(({ revision }) => endpointAt(revision)?.terminating === true)
  assert.ok(told && told.revision < ended.revision)
  assert.deepEqual(endpointAt(told.revision), { ready: false, serving: true, terminating: true })
  const out = slices.find(({ revision }) => endpointAt(revision) === undefined)
  assert.ok(out && out.revision > ended.revision, 'what has ended is no endpoint')

  const [last, gone] = changes.slice(-2)
  assert.deepEqual([last?.type, last?.object.metadata.deletionGracePeriodSeconds], ['MODIFIED', 0])
  // Its endpoint and the pod itself go by different controllers, and nothing says which of them is first.
  assert.equal(gone?.type, 'DELETED')
}
