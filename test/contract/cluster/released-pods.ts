import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterGround } from './cluster-ground.ts'
import { condition, isGoing, isReady } from './pod-facts.ts'
import type { SeenPod } from './seen-objects.ts'

const CORE = '/api/v1/namespaces/default'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
const NAME = 'released'
const HASH = 'pod-template-hash'

const template = {
  metadata: { labels: { app: NAME, part: 'web' } },
  spec: {
    terminationGracePeriodSeconds: 2,
    containers: [
      {
        name: 'app',
        image: 'testbed.local/app:1',
        imagePullPolicy: 'Never',
        env: [{ name: 'STOP', value: 'immediate' }],
        ports: [{ containerPort: 8080 }],
        readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
      },
    ],
  },
}

/** Pods whose labels are overwritten: what their ReplicaSet, their Service and their budget make of it. */
export function releasedPodsContract(ground: () => ClusterGround): void {
  let from = 0
  const ours = (): readonly SeenPod[] =>
    ground()
      .log.all('pod')
      .filter(({ metadata }) => metadata.labels?.part === 'web')
  const pod = (name: string): SeenPod | undefined => ground().log.named('pod', name)
  const owners = (name: string): readonly string[] =>
    (pod(name)?.metadata.ownerReferences ?? []).map(({ kind }) => kind)
  const owned = (): readonly SeenPod[] => ours().filter(({ metadata }) => owners(metadata.name).length > 0)
  const relabel = (name: string, labels: object): Promise<void> =>
    ground().patch(`${CORE}/pods/${name}`, { metadata: { labels } })
  const budgets = () =>
    ground()
      .log.changes('budget', from)
      .flatMap(({ object }) => (object.metadata.name === NAME ? [object.status] : []))
  const complete = (): Promise<void> =>
    ground().until('two pods behind the Service', () => {
      const ready = owned().filter((each) => isReady(each) && !isGoing(each))
      return ready.length === 2 && ready.every(({ metadata }) => ground().endpoint(metadata.uid) !== undefined)
    })
  let old = ''
  let oldUid = ''
  const isOut = (): boolean => ground().endpoint(oldUid) === undefined

  test('a pod without the hash of its ReplicaSet is let go and serves on, and another one is made', async () => {
    await ground().create(DEPLOYMENTS, {
      metadata: { name: NAME },
      spec: { replicas: 2, selector: { matchLabels: { app: NAME } }, template },
    })
    await ground().create(`${CORE}/services`, {
      metadata: { name: NAME },
      spec: { selector: { app: NAME }, ports: [{ port: 80, targetPort: 8080 }] },
    })
    await ground().create(BUDGETS, {
      metadata: { name: NAME },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: NAME } } },
    })
    await complete()
    const first = ours()[0]?.metadata
    old = first?.name ?? ''
    oldUid = first?.uid ?? ''
    await ground().until('the budget', () => ground().log.named('budget', NAME)?.status.disruptionsAllowed === 1)
    from = (await ground().now()).revision
    await relabel(old, { [HASH]: 'leaving' })
    await ground().until('another pod', () => owners(old).length === 0 && owned().length === 2)
    await complete()
    assert.ok(isReady(pod(old) as SeenPod))
    assert.equal(ground().endpoint(oldUid)?.conditions.ready, true)
    const all = ground().log.changes('pod', from)
    assert.ok(all.every(({ object }) => object.metadata.uid !== oldUid || isReady(object)))
    assert.deepEqual(
      all.filter(({ object }) => isGoing(object) && object.metadata.labels?.part === 'web'),
      [],
    )
  })

  test('its budget expects as many as its Deployment wants, counts it as healthy, and is never below', async () => {
    await ground().until('three healthy', () => budgets().at(-1)?.currentHealthy === 3)
    const now = ground().log.named('budget', NAME)
    assert.deepEqual([now?.status.expectedPods, now?.status.desiredHealthy, now?.status.disruptionsAllowed], [2, 1, 2])
    assert.ok(budgets().every(({ currentHealthy, expectedPods }) => currentHealthy >= 2 && expectedPods === 2))
    assert.equal(now && condition(now, 'DisruptionAllowed')?.reason, 'SufficientPods')
  })

  test('without the label of its Service and its budget it is no endpoint, and runs on', async () => {
    await relabel(old, { app: 'leaving' })
    await ground().until('its endpoint to go', isOut)
    assert.ok(isReady(pod(old) as SeenPod))
    assert.equal(owned().length, 2)
  })

  test('the budget counts it no more, at the latest once another pod that it selects changes', async () => {
    const [other] = owned()
    await ground().patch(`${CORE}/pods/${other?.metadata.name}`, { metadata: { annotations: { seen: 'yes' } } })
    await ground().until('two healthy', () => budgets().at(-1)?.currentHealthy === 2)
  })

  test('evicted then, it goes, and no other is made for it', async () => {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: old, namespace: 'default' } }
    const { status } = await ground().ask('POST', `${CORE}/pods/${old}/eviction`, { body })
    assert.equal(status, 201)
    const kept = owned().map(({ metadata }) => metadata.uid)
    await ground().until('it to be gone', () => pod(old) === undefined)
    assert.deepEqual(
      ours().map(({ metadata }) => metadata.uid),
      kept,
    )
  })

  test('a pod that has its labels back is taken back, and the pod that is not ready goes', async () => {
    const cordon = (value: boolean | null) =>
      Promise.all(
        ground().door.nodes.map((node) => ground().patch(`/api/v1/nodes/${node}`, { spec: { unschedulable: value } })),
      )
    await cordon(true)
    const [first, second] = owned().map(({ metadata }) => metadata)
    assert.ok(first && second)
    const hash = first.labels?.[HASH]
    await relabel(first.name, { [HASH]: 'leaving', app: 'leaving' })
    await ground().until('one that waits', () => owned().some(({ status }) => status.phase === 'Pending'))
    await relabel(first.name, { [HASH]: hash, app: NAME })
    await ground().until('the one that waits to go', () => ours().length === 2)
    await complete()
    assert.deepEqual(new Set(owned().map(({ metadata }) => metadata.uid)), new Set([first.uid, second.uid]))
    await cordon(null)
  })

  test('a label that is written under an old version of the pod is refused', async () => {
    const [first] = owned()
    const body = { metadata: { resourceVersion: '1', labels: { [HASH]: 'leaving' } } }
    const contentType = 'application/merge-patch+json'
    const { status } = await ground().ask('PATCH', `${CORE}/pods/${first?.metadata.name}`, { contentType, body })
    assert.equal(status, 409)
  })

  test('deleted, it all leaves the cluster as it was', async () => {
    const background = { body: { propagationPolicy: 'Background' } }
    for (const path of [`${DEPLOYMENTS}/${NAME}`, `${CORE}/services/${NAME}`, `${BUDGETS}/${NAME}`]) {
      assert.equal((await ground().ask('DELETE', path, background)).status, 200)
    }
    await ground().until('its pods to be gone', () => ours().length === 0)
    await ground().settled(10)
  })
}
