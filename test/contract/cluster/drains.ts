import assert from 'node:assert/strict'
import { test } from 'node:test'
import { field } from '../api/field.ts'
import type { ClusterGround, Moment } from './cluster-ground.ts'
import type { Change } from './cluster-log.ts'
import { condition, isGoing, isOf, isReady } from './pod-facts.ts'
import type { SeenPod } from './seen-objects.ts'

/** What an evicted pod goes through, and its endpoint with it. */
function isEvicted(ground: ClusterGround, before: SeenPod, afterRevision: number): void {
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
  const leaving = slices.find(({ revision }) => endpointAt(revision)?.terminating === true)
  assert.ok(leaving && leaving.revision < ended.revision)
  assert.deepEqual(endpointAt(leaving.revision), { ready: false, serving: true, terminating: true })
  const out = slices.find(({ revision }) => endpointAt(revision) === undefined)
  assert.ok(out && out.revision > ended.revision, 'what has ended is no endpoint')

  const [last, gone] = changes.slice(-2)
  assert.deepEqual([last?.type, last?.object.metadata.deletionGracePeriodSeconds], ['MODIFIED', 0])
  // Its endpoint and the pod itself go by different controllers, and nothing says which of them is first.
  assert.equal(gone?.type, 'DELETED')
}

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'
const PODS = '/api/v1/namespaces/default/pods'

/** A node is cordoned, drained by evictions as `kubectl drain` does it, and uncordoned. */
export function drainsContract(ground: () => ClusterGround): void {
  let node = ''
  let start: Moment = { revision: 0, atMs: 0 }
  let evicted: readonly SeenPod[] = []
  /** How often each was refused, by name. */
  const refused = new Map<string, number>()

  const guarded = (): readonly SeenPod[] => evicted.filter(({ metadata }) => metadata.labels?.app === 'whoami')

  test('a cordon is followed by a taint against new pods', async () => {
    await ground().settled(10)
    node = busiest(ground())
    start = await ground().now()
    await ground().patch(`/api/v1/nodes/${node}`, { spec: { unschedulable: true } })
    await ground().until('the taint', () => ground().log.named('node', node)?.spec.taints !== undefined)
    const changes = ground().log.changes('node', start.revision)
    const cordoned = changes.find(({ object }) => object.metadata.name === node && object.spec.unschedulable === true)
    assert.ok(cordoned)
    assert.equal(cordoned.object.spec.taints, undefined, 'the taint is another commit, of the node controller')
    const [taint] = ground().log.named('node', node)?.spec.taints ?? []
    assert.deepEqual([taint?.key, taint?.effect], [UNSCHEDULABLE, 'NoSchedule'])
    assert.match(String(taint?.timeAdded), /Z$/)
  })

  test('a drain evicts what it may, again and again, until none is left but the DaemonSet’s', async () => {
    evicted = ground()
      .podsOn(node)
      .filter((pod) => !isOf(pod, 'DaemonSet'))
    assert.ok(guarded().length >= 2)
    await ground().door.waitUntil({ what: 'the node to be empty', limitMs: 90_000 }, async () => {
      for (const { metadata } of evicted) {
        const pod = ground().log.named('pod', metadata.name)
        if (pod?.metadata.uid !== metadata.uid || isGoing(pod)) continue
        const { status, body } = await evict(ground(), pod)
        if (status !== 429) assert.ok(status === 201 || status === 404, JSON.stringify(body))
        else {
          assert.equal(field(body, 'reason'), 'TooManyRequests')
          refused.set(metadata.name, (refused.get(metadata.name) ?? 0) + 1)
        }
      }
      const left = ground().podsOn(node)
      return left.every((pod) => isOf(pod, 'DaemonSet')) || undefined
    })
    await ground().settled(10)
    const [daemon, ...others] = ground().podsOn(node)
    assert.ok(daemon !== undefined && isReady(daemon))
    assert.deepEqual(others, [])
  })

  test('each pod is marked as disrupted, then as going, serves on, ends, and goes by two commits', () => {
    for (const pod of evicted) isEvicted(ground(), pod, start.revision)
  })

  test('its budget is spent before the pod is marked, and opens when another is Ready in its place', () => {
    const budgets = ground()
      .log.changes('budget', start.revision)
      .map(({ object, revision }) => ({ ...object.status, revision }))
    const spent = guarded()
      .map(({ metadata }) => {
        const spending = budgets.find(({ disruptedPods }) => disruptedPods?.[metadata.name] !== undefined)
        const marked = ground()
          .log.changes('pod', start.revision)
          .find(({ object }) => object.metadata.uid === metadata.uid && condition(object, 'DisruptionTarget'))
        assert.ok(spending !== undefined && marked !== undefined && spending.revision < marked.revision)
        assert.equal(spending.disruptionsAllowed, 0)
        return spending
      })
      .toSorted((a, b) => a.revision - b.revision)
    const [first, second] = spent
    assert.ok(first && second)
    const open = budgets.findLast(({ revision }) => revision < second.revision)
    assert.ok(open !== undefined && open.disruptionsAllowed === 1 && open.currentHealthy === 5)
    assert.ok(budgets.every(({ currentHealthy, desiredHealthy }) => currentHealthy >= 4 && desiredHealthy === 4))
    assert.ok(budgets.some(({ expectedPods }) => expectedPods > 5, 'what goes is still expected'))
    assert.ok([...refused.values()].some((times) => times > 0))
    const made = madeFor(ground(), start.revision).filter(({ revision }) => revision < second.revision)
    assert.equal(made.length, 1)
    const { disruptedPods, expectedPods, disruptionsAllowed } = budgets.at(-1) ?? {}
    assert.deepEqual([disruptedPods, expectedPods, disruptionsAllowed], [undefined, 5, 1])
  })

  test('a pod that has ended is expected by its budget for as long as it is there', () => {
    const { log } = ground()
    const ofGuarded = log
      .changes('pod', start.revision)
      .filter(({ object }) => guarded().some(({ metadata }) => metadata.uid === object.metadata.uid))
    const gone = ofGuarded.find(({ type }) => type === 'DELETED')
    const ended = ofGuarded.find(
      ({ object }) => object.metadata.uid === gone?.object.metadata.uid && object.status.phase === 'Succeeded',
    )
    assert.ok(ended && gone)
    const expected = log
      .changes('budget', start.revision)
      .filter(({ revision }) => revision < gone.revision)
      .map(({ object }) => object.status.expectedPods)
    assert.deepEqual(
      expected,
      expected.toSorted((a, b) => a - b),
    )
  })

  test('others take their place on other nodes: a Deployment’s at once, a StatefulSet’s when the old one is gone', () => {
    const { log } = ground()
    for (const { object } of madeFor(ground(), start.revision)) {
      const now = log.named('pod', object.metadata.name)
      assert.ok(now?.spec.nodeName !== undefined && now.spec.nodeName !== node)
    }
    const old = evicted.find((pod) => isOf(pod, 'StatefulSet'))
    assert.ok(old)
    const ofName = log.changes('pod', start.revision).filter(({ object }) => object.metadata.name === old.metadata.name)
    const types = ofName.map(({ type }) => type)
    assert.ok(types.indexOf('DELETED') < types.indexOf('ADDED') && types.indexOf('DELETED') >= 0, types.join())
    const now = log.named('pod', old.metadata.name)
    assert.ok(now && isReady(now) && now.metadata.uid !== old.metadata.uid && now.spec.nodeName !== node)
  })

  test('a DaemonSet’s pod that is deleted comes back to the cordoned node, once the old one has ended', async () => {
    const { log } = ground()
    const old = ground().podsOn(node)[0]
    assert.ok(old)
    const { status } = await ground().ask('DELETE', `${PODS}/${old.metadata.name}`)
    assert.equal(status, 200)
    await ground().until('the old one to be gone', () => log.named('pod', old.metadata.name) === undefined)
    await ground().settled(10)
    const [now] = ground().podsOn(node)
    assert.ok(now && isReady(now) && isOf(now, 'DaemonSet') && now.metadata.uid !== old.metadata.uid)
    const all = log.changes('pod', start.revision)
    const ended = all.find(
      ({ object }) => object.metadata.uid === old.metadata.uid && object.status.phase === 'Succeeded',
    )
    const made = all.find(({ object }) => object.metadata.uid === now.metadata.uid)
    assert.ok(ended && made && made.revision > ended.revision)
  })

  test('an uncordon is followed by the end of the taint', async () => {
    const { revision } = await ground().now()
    await ground().patch(`/api/v1/nodes/${node}`, { spec: { unschedulable: null } })
    await ground().until('the taint to go', () => ground().log.named('node', node)?.spec.taints === undefined)
    const uncordoned = ground()
      .log.changes('node', revision)
      .find(({ object }) => object.metadata.name === node && object.spec.unschedulable !== true)
    assert.equal(uncordoned?.object.spec.taints?.[0]?.key, UNSCHEDULABLE)
  })
}

const evict = (ground: ClusterGround, { metadata: { name } }: SeenPod) =>
  ground.ask('POST', `${PODS}/${name}/eviction`, {
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } },
  })

/** New pods of `whoami`. */
const madeFor = ({ log }: ClusterGround, afterRevision: number) =>
  log
    .changes('pod', afterRevision)
    .filter(({ type, object }) => type === 'ADDED' && object.metadata.labels?.app === 'whoami')

/** Two pods of `whoami` and one of `db`: with five over three nodes and two over three there is such a node. */
function busiest(ground: ClusterGround): string {
  const found = ground.door.nodes.find((node) => {
    const pods = ground.podsOn(node)
    const count = (app: string) => pods.filter(({ metadata }) => metadata.labels?.app === app).length
    return count('whoami') >= 2 && count('db') >= 1
  })
  assert.ok(found, 'a node with two pods of whoami and one of db')
  return found
}
