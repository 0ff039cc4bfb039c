import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterGround } from './cluster-ground.ts'
import type { Change } from './cluster-log.ts'
import { condition, isReady } from './pod-facts.ts'
import { isRestarted } from './restarted-pod.ts'
import type { SeenNode, SeenPod } from './seen-objects.ts'

const UNREACHABLE = 'node.kubernetes.io/unreachable'
/** The clusters of the contract miss a node after 10 s without a renewal, and look each second. */
const MISSED_AFTER_MS = { least: 8_000, most: 20_000 }
const BACK_WITHIN_MS = 20_000

/** Two loops of the controller manager add and remove them, each in its own time: no order is promised. */
const effects = ({ spec }: SeenNode): readonly string[] =>
  (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).toSorted()
const BOTH = [`${UNREACHABLE}:NoExecute`, `${UNREACHABLE}:NoSchedule`]

/** A node that stays dark for longer than it may be silent, and is back. */
export function darkNodesContract(ground: () => ClusterGround): void {
  const node = 'n3'
  let pods: readonly SeenPod[] = []
  let deleted: SeenPod | undefined
  let darkFrom = { revision: 0, atMs: 0 }
  const changes = (afterRevision: number): readonly Change<'node'>[] =>
    ground()
      .log.changes('node', afterRevision)
      .filter(({ object }) => object.metadata.name === node)
  const seen = (what: string, is: (object: SeenNode) => boolean, afterRevision: number): Promise<Change<'node'>> =>
    ground().door.waitUntil({ what, limitMs: 60_000 }, () => changes(afterRevision).find(({ object }) => is(object)))

  test('a dark node is Unknown after its grace, its pods not ready, then tainted against new pods and old ones', async () => {
    const { door, log } = ground()
    pods = ground().podsOn(node)
    const bootId = log.named('node', node)?.status.nodeInfo.bootID
    darkFrom = await ground().now()
    await door.powerOff(node)
    const unknown = await seen('the node to be missed', (object) => !isReady(object), darkFrom.revision)
    // From its last sign of life, which on a busy machine may be older than the dark.
    const lastSign = log
      .changes('lease')
      .findLast(({ object, revision }) => object.metadata.name === node && revision < unknown.revision)
    const afterMs = unknown.atMs - (lastSign?.atMs ?? Number.NaN)
    assert.ok(afterMs >= MISSED_AFTER_MS.least && afterMs <= MISSED_AFTER_MS.most, `missed after ${afterMs} ms`)
    const { status, reason, message } = condition(unknown.object, 'Ready') ?? {}
    assert.deepEqual(
      [status, reason, message],
      ['Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'],
    )
    assert.equal(unknown.object.status.nodeInfo.bootID, bootId)
    const early = log
      .changes('pod', darkFrom.revision)
      .filter(({ object, revision }) => object.spec.nodeName === node && revision < unknown.revision)
    assert.deepEqual(early, [], 'until then its pods read as before')

    const first = await seen('a first taint', ({ spec }) => spec.taints !== undefined, darkFrom.revision)
    assert.ok(first.revision > unknown.revision)
    const second = await seen('a second taint', ({ spec }) => spec.taints?.length === 2, darkFrom.revision)
    assert.deepEqual(effects(second.object), BOTH)
    assert.ok(second.object.spec.taints?.every(({ timeAdded }) => timeAdded?.endsWith('Z')))
  })

  test('its pods are not ready by the word of others alone: their containers read as they last did', async () => {
    await ground().until('all endpoints on it to be not ready', () =>
      pods.every(({ metadata }) => ground().endpoint(metadata.uid)?.conditions.ready === false),
    )
    for (const before of pods) {
      const pod = ground().log.named('pod', before.metadata.name)
      assert.ok(pod)
      assert.deepEqual(
        [condition(pod, 'Ready')?.status, condition(pod, 'ContainersReady')?.status, pod.status.phase],
        ['False', 'True', 'Running'],
      )
      assert.deepEqual(pod.status.containerStatuses, before.status.containerStatuses)
      assert.equal(pod.metadata.deletionTimestamp, undefined)
      const { conditions, addresses } = ground().endpoint(before.metadata.uid) ?? {}
      assert.deepEqual(conditions, { ready: false, serving: false, terminating: false })
      assert.deepEqual(addresses, [before.status.podIP])
    }
    await ground().until('the DaemonSet to count it out', () => daemons(ground())?.numberReady === 2)
  })

  test('a pod that is deleted there stays, on its way out, and has no other in its place', async () => {
    deleted = pods.find(({ metadata }) => metadata.labels?.app === 'edge')
    assert.ok(deleted)
    const { name, uid } = deleted.metadata
    const { revision } = await ground().now()
    assert.equal((await ground().ask('DELETE', `/api/v1/namespaces/default/pods/${name}`)).status, 200)
    await ground().until('its endpoint to know', () => ground().endpoint(uid)?.conditions.terminating === true)
    assert.deepEqual(ground().endpoint(uid)?.conditions, { ready: false, serving: false, terminating: true })
    await ground().until('two heartbeats of another node', () => {
      const renewals = ground().log.changes('lease', revision)
      return renewals.filter(({ object }) => object.metadata.name === 'n1').length >= 2
    })
    // On a busy machine another node may be missed for a moment, and its pods read as not ready.
    const changes = ground()
      .log.changes('pod', revision)
      .filter(({ type, object }) => type !== 'MODIFIED' || object.spec.nodeName === node)
    assert.deepEqual(
      changes.map(({ type, object }) => [type, object.metadata.uid, object.metadata.deletionGracePeriodSeconds]),
      [['MODIFIED', uid, 20]],
    )
  })

  test('back, it is Ready with its new boot id in one commit, loses its taints, and its pods start anew', async () => {
    const { door, log } = ground()
    const start = await ground().now()
    await door.powerOn(node)
    const boot = await seen('the node to be Ready', isReady, start.revision)
    const dark = log.all('node', start.revision).find(({ metadata }) => metadata.name === node)
    assert.notEqual(boot.object.status.nodeInfo.bootID, dark?.status.nodeInfo.bootID)
    assert.deepEqual(effects(boot.object), BOTH)
    const fewer = await seen('a taint to go', ({ spec }) => spec.taints?.length === 1, start.revision)
    const none = await seen('all taints to go', ({ spec }) => spec.taints === undefined, start.revision)
    assert.ok(fewer.revision > boot.revision && none.revision > fewer.revision)
    assert.ok(none.atMs - boot.atMs < BACK_WITHIN_MS)
    await ground().settled(10)
    for (const before of pods) if (before !== deleted) isRestarted(ground(), before, { boot, start: darkFrom })
    assert.ok(ground().door.nowMs() - boot.atMs < 2 * BACK_WITHIN_MS)
    await ground().until('the DaemonSet to count it in', () => daemons(ground())?.numberReady === 3)
    assert.deepEqual([daemons(ground())?.desiredNumberScheduled, daemons(ground())?.numberMisscheduled], [3, 0])
    const others = log
      .changes('pod', darkFrom.revision)
      .filter(({ object }) => object.metadata.labels?.app !== 'edge')
      .map(({ type }) => type)
    assert.deepEqual([...new Set(others)], ['MODIFIED'], 'no pod came or went that nobody deleted')
  })

  test('the pod that was deleted has failed by then, and goes; another takes its place', () => {
    const { log } = ground()
    const changes = log
      .changes('pod', darkFrom.revision)
      .filter(({ object }) => object.metadata.labels?.app === 'edge' && object.spec.nodeName === node)
    const failed = changes.find(({ object }) => object.status.phase === 'Failed')
    assert.equal(failed?.object.metadata.uid, deleted?.metadata.uid)
    assert.equal(failed?.object.status.containerStatuses?.[0]?.state.terminated?.exitCode, 255)
    const gone = changes.find(({ type }) => type === 'DELETED')
    assert.equal(gone?.object.metadata.uid, deleted?.metadata.uid)
    const place = changes.find(({ object }) => object.metadata.uid !== deleted?.metadata.uid)
    assert.ok(failed && gone && place && gone.revision > failed.revision && place.revision > failed.revision)
    assert.equal(place.object.metadata.deletionTimestamp, undefined)
  })
}

const daemons = ({ log }: ClusterGround) => log.named('daemonSet', 'edge')?.status
