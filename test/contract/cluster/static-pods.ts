import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterGround } from './cluster-ground.ts'
import { condition, containerId, isGoing, isReady, restarts } from './pod-facts.ts'
import type { SeenPod } from './seen-objects.ts'

const NODE = 'n2'
const FILE = 'static'
const NAME = `${FILE}-${NODE}`
const PATH = `/api/v1/namespaces/default/pods/${NAME}`
const MIRROR = 'kubernetes.io/config.mirror'

const MANIFEST = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: FILE, labels: { app: FILE } },
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

/** A pod that lies as a file on its node, and the mirror that the kubelet shows of it. */
export function staticPodsContract(ground: () => ClusterGround): void {
  const mirror = (): SeenPod | undefined => ground().log.named('pod', NAME)
  const known = (): SeenPod => {
    const found = mirror()
    if (found === undefined) throw new Error('there is no mirror')
    return found
  }
  let first: SeenPod | undefined

  test('a file on a node becomes a pod of that node, which its Node owns', async () => {
    await ground().door.staticPod(NODE, FILE, MANIFEST)
    await ground().until('it to be Ready', () => mirror() !== undefined && isReady(known()))
    first = known()
    const { annotations, ownerReferences } = first.metadata
    assert.equal(annotations?.['kubernetes.io/config.source'], 'file')
    assert.equal(annotations?.[MIRROR], annotations?.['kubernetes.io/config.hash'])
    assert.deepEqual(
      [first.spec.nodeName, ownerReferences?.map(({ kind, name, controller }) => [kind, name, controller])],
      [NODE, [['Node', NODE, true]]],
    )
  })

  test('deleted, the mirror is made anew at once, its status follows within ten seconds, and the container runs on', async () => {
    const before = known()
    const start = await ground().now()
    assert.equal((await ground().ask('DELETE', PATH)).status, 200)
    await ground().until(
      'another mirror',
      () => mirror()?.metadata.uid !== before.metadata.uid && mirror() !== undefined,
    )
    const madeMs = ground().door.nowMs() - start.atMs
    assert.ok(madeMs < 5_000, `after ${madeMs} ms`)
    await ground().until('it to be Ready', () => isReady(known()))
    const readyMs = ground().door.nowMs() - start.atMs
    assert.ok(readyMs < 16_000, `after ${readyMs} ms`)
    const after = known()
    assert.deepEqual([containerId(after), restarts(after)], [containerId(before), restarts(before)])
    assert.equal(after.metadata.annotations?.[MIRROR], before.metadata.annotations?.[MIRROR])
    const types = ground()
      .log.changes('pod', start.revision)
      .filter(({ object }) => object.metadata.name === NAME)
    assert.ok(types.some(({ object }) => isGoing(object)))
    assert.deepEqual([...new Set(types.map(({ type }) => type))].slice(0, 3), ['MODIFIED', 'DELETED', 'ADDED'])
  })

  test('after a boot it is the same mirror, which reads Ready from before, and then another container', async () => {
    const before = known()
    const start = await ground().now()
    const bootId = ground().log.named('node', NODE)?.status.nodeInfo.bootID
    await ground().door.powerCycle(NODE)
    const boot = await ground().door.waitUntil({ what: 'the new boot id', limitMs: 60_000 }, () =>
      ground()
        .log.changes('node', start.revision)
        .find(({ object }) => object.metadata.name === NODE && object.status.nodeInfo.bootID !== bootId),
    )
    const stale = ground()
      .log.all('pod', boot.revision)
      .find(({ metadata }) => metadata.name === NAME)
    assert.ok(stale && isReady(stale) && containerId(stale) === containerId(before))
    await ground().until('another container', () => isReady(known()) && containerId(known()) !== containerId(before))
    assert.deepEqual([known().metadata.uid, restarts(known())], [before.metadata.uid, restarts(before) + 1])
    assert.equal(condition(known(), 'DisruptionTarget'), undefined)
  })

  test('without its file it goes', async () => {
    await ground().door.staticPod(NODE, FILE, undefined)
    await ground().until('it to be gone', () => mirror() === undefined)
    await ground().settled(10)
  })
}
