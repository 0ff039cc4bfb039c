import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterGround } from './cluster-ground.ts'
import { condition, isGoing, isReady } from './pod-facts.ts'
import type { SeenPod } from './seen-objects.ts'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const NAME = 'apart'
const ENDED = ['Succeeded', 'Failed']

const affinity = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: NAME } } },
    ],
  },
}

const template = {
  metadata: { labels: { app: NAME, edition: 'first' } },
  spec: {
    affinity,
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

/** A Deployment whose pods are not to share a node. */
export function apartContract(ground: () => ClusterGround): void {
  const places = (pods: readonly SeenPod[]): readonly string[] =>
    pods.flatMap(({ spec }) => spec.nodeName ?? []).toSorted()
  const waiting = (): readonly SeenPod[] =>
    ground()
      .pods(NAME)
      .filter(({ spec, metadata }) => (spec.nodeName ?? '') === '' && metadata.deletionTimestamp === undefined)
  const ready = (edition: string): readonly SeenPod[] =>
    ground()
      .pods(NAME)
      .filter((pod) => pod.metadata.labels?.edition === edition && isReady(pod) && !isGoing(pod))
  const nodes = (): readonly string[] => ground().door.nodes.toSorted()

  test('pods that are not to share a node get one each, and one too many waits and is told why', async () => {
    await ground().create(DEPLOYMENTS, {
      metadata: { name: NAME },
      spec: {
        replicas: nodes().length + 1,
        selector: { matchLabels: { app: NAME } },
        strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        template,
      },
    })
    await ground().until('a pod on each node', () => ready('first').length === nodes().length)
    assert.deepEqual(places(ready('first')), nodes())
    const why = (): string => waiting().map((pod) => condition(pod, 'PodScheduled')?.message ?? '')[0] ?? ''
    await ground().until('a reason', () => why() !== '')
    const count = nodes().length
    assert.ok(
      why().startsWith(`0/${count} nodes are available: ${count} node(s) didn't match pod anti-affinity rules. `),
      why(),
    )
    assert.ok(why().endsWith(`${count} No preemption victims found for incoming pod.`), why())
  })

  test('scaled down by one, the pod that waits goes and the others stay', async () => {
    const kept = ready('first').map(({ metadata }) => metadata.uid)
    await ground().patch(`${DEPLOYMENTS}/${NAME}`, { spec: { replicas: nodes().length } })
    await ground().until('none to wait', () => waiting().length === 0)
    assert.deepEqual(new Set(ready('first').map(({ metadata }) => metadata.uid)), new Set(kept))
  })

  test('rolled out without a surge, each node gets its new pod once the old one has ended', async () => {
    const from = (await ground().now()).revision
    await ground().patch(`${DEPLOYMENTS}/${NAME}`, {
      spec: { template: { metadata: { labels: { edition: 'second' } } } },
    })
    await ground().until(
      'a new pod on each node',
      () => ready('second').length === nodes().length && ground().pods(NAME).length === nodes().length,
    )
    assert.deepEqual(places(ready('second')), nodes())
    for (const { revision } of ground().log.changes('pod', from)) {
      const there = ground()
        .log.all('pod', revision)
        .filter(({ metadata, status }) => metadata.labels?.app === NAME && !ENDED.includes(status.phase))
      const on = places(there)
      assert.equal(new Set(on).size, on.length, `at revision ${revision} there are pods on ${on.join(', ')}`)
    }
  })

  test('deleted, it leaves the cluster as it was', async () => {
    const { status } = await ground().ask('DELETE', `${DEPLOYMENTS}/${NAME}`, {
      body: { propagationPolicy: 'Background' },
    })
    assert.equal(status, 200)
    await ground().until('all of it to be gone', () => ground().pods(NAME).length === 0)
    await ground().settled(10)
  })
}
