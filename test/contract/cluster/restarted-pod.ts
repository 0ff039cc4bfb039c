import assert from 'node:assert/strict'
import type { ClusterGround, Moment } from './cluster-ground.ts'
import type { Change } from './cluster-log.ts'
import { condition, containerId, isReady, restarts } from './pod-facts.ts'
import type { SeenPod } from './seen-objects.ts'

interface Boot {
  /** Before the machine went down. */
  readonly start: Moment
  /** The commit in which the Node shows the new boot. */
  readonly boot: Change<'node'>
}

/**
 * From the new boot id until a pod is told to have ended: about a second, and longer on a busy machine. Each of the two is
 * heard of late there, so that nothing can be said of the least; which of them came first is told by their revisions.
 */
const STALE_LIMIT_MS = 10_000

/** What a pod of a machine that booted anew goes through: stale, ended unseen, anew at another address, Ready. */
export function isRestarted(ground: ClusterGround, before: SeenPod, { boot, start }: Boot): void {
  const { name, uid } = before.metadata
  const changes = ground.log
    .changes('pod', start.revision)
    .filter(({ object, type }) => object.metadata.name === name && type === 'MODIFIED')
  const first = (what: string, is: (pod: SeenPod) => boolean, after: Change): Change<'pod'> => {
    const found = changes.find(({ object, revision }) => revision > after.revision && is(object))
    assert.ok(found, `${name}: ${what}`)
    return found
  }

  const stale = ground.log.all('pod', boot.revision).find(({ metadata }) => metadata.uid === uid)
  assert.ok(stale)
  assert.deepEqual(
    [containerId(stale), restarts(stale), stale.status.podIP],
    [containerId(before), restarts(before), before.status.podIP],
    'the new boot id shows before anything is told of the pods',
  )

  const ended = first('ended', ({ status }) => 'terminated' in (status.containerStatuses?.[0]?.state ?? {}), boot)
  const state = ended.object.status.containerStatuses?.[0]?.state.terminated
  assert.deepEqual([state?.exitCode, state?.reason], [255, 'Unknown'])
  assert.deepEqual([isReady(ended.object), restarts(ended.object)], [false, restarts(before)])
  assert.equal(ended.object.status.phase, 'Running')
  assert.equal(ended.object.status.podIP, undefined, 'its address is gone with its sandbox')
  const staleMs = ended.atMs - boot.atMs
  assert.ok(staleMs <= STALE_LIMIT_MS, `stale for ${staleMs} ms`)
  assert.ok(!changes.some(({ revision }) => revision > boot.revision && revision < ended.revision), 'nothing between')

  const started = first('started', (pod) => restarts(pod) === restarts(before) + 1, ended)
  assert.equal(started.object.metadata.uid, uid)
  assert.notEqual(containerId(started.object), containerId(before))
  assert.ok('running' in (started.object.status.containerStatuses?.[0]?.state ?? {}))
  assert.equal(started.object.status.containerStatuses?.[0]?.lastState.terminated?.reason, 'Unknown')
  assert.match(String(started.object.status.podIP), /^10\.244\./)
  assert.notEqual(started.object.status.podIP, before.status.podIP)

  const ready = changes.find(({ object, revision }) => revision >= started.revision && isReady(object))
  assert.ok(ready)
  const slices = ground.log.changes('slice', ended.revision)
  const between = slices.filter(({ revision }) => revision < started.revision).map(({ revision }) => revision)
  const withoutAddress = between.map((revision) => ground.endpoint(uid, revision))
  assert.ok(withoutAddress.includes(undefined), 'a pod without an address is no endpoint')
  const anew = slices.find(
    ({ revision }) => revision > started.revision && ground.endpoint(uid, revision)?.conditions.ready === true,
  )
  assert.ok(anew !== undefined && anew.revision > ready.revision, 'its endpoint is ready after it is')
  assert.deepEqual(ground.endpoint(uid, anew.revision)?.addresses, [started.object.status.podIP])
  assert.equal(condition(ready.object, 'DisruptionTarget'), undefined)
}

/** All of these pods read Ready at that commit, and so do their endpoints. */
export function readsReady(ground: ClusterGround, pods: readonly SeenPod[], atRevision: number): boolean {
  const uids = pods.map(({ metadata }) => metadata.uid)
  const then = ground.log.all('pod', atRevision).filter(({ metadata }) => uids.includes(metadata.uid))
  return (
    then.length === pods.length &&
    then.every(isReady) &&
    uids.every((uid) => ground.endpoint(uid, atRevision)?.conditions.ready === true)
  )
}
