import assert from 'node:assert/strict'
import { Attacher } from '../support/roll-ground/attacher.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { placesOf } from '../support/roll-ground/node-with.ts'
import type { RollGround } from '../support/roll-ground/roll-ground.ts'

const GUARD = 'guard'
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments'
const GUARDED = { 'evenkeel.dev/guard': 'storage', app: GUARD }
/** How long after the last volume was detached the budget opens: long enough for the drain to be refused. */
const OPENS_AFTER_MS = 15_000

const guardOn = (node: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: GUARD },
  spec: {
    replicas: 1,
    selector: { matchLabels: GUARDED },
    template: {
      metadata: { labels: GUARDED },
      spec: {
        terminationGracePeriodSeconds: 1,
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: onlyOn(node) } },
        containers: [
          {
            name: 'app',
            image: 'testbed.local/app:1',
            imagePullPolicy: 'Never',
            env: [{ name: 'STOP', value: 'immediate' }],
          },
        ],
      },
    },
  },
})

const onlyOn = (node: string): object => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }],
})

const budget = (minAvailable: number): object => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: GUARD },
  spec: { minAvailable, selector: { matchLabels: GUARDED } },
})

/**
 * The pod of a NodeGuard is asked to leave once every other pod has left and no volume is attached any more, which is what its
 * budget waits for. A drain that waited for it before would have waited for ever.
 */
export async function guardLeavesLast(ground: RollGround): Promise<void> {
  const attacher = await Attacher.start(ground)
  const node = await attacher.nodeWithVolume()
  await ground.apply([guardOn(node), budget(1)])
  while ((await placesOf(ground, GUARD)).length === 0) await ground.pause(200)
  const before = (await ground.requests()).length
  const roll = await ground.roll({
    nodes: { names: [node] },
    drain: { daemonSets: ['app=edge'], blockedLimit: '2min' },
  })
  const held = roll.until(
    'a hold that names the NodeGuard',
    (event) =>
      event.type === 'hold.started' &&
      event.reasons.some(({ text }) => text.endsWith(`NodeGuard default/storage has not granted ${node} yet`)),
  )
  await roll.untilStep('drain')
  while (await isAttached(ground, node)) await ground.pause(200)
  await ground.pause(OPENS_AFTER_MS)
  await ground.apply([budget(0)])
  await held
  const { code, story } = await roll.ended()
  await attacher.stop()
  assert.equal(code, 0, story)
  assert.deepEqual(await leftoversOf(ground), [])
  assert.deepEqual(await placesOf(ground, GUARD), [node])

  const evictions = (await ground.requests()).slice(before).filter(({ subresource }) => subresource === 'eviction')
  const isGuard = (name = ''): boolean => name.startsWith(GUARD)
  const firstAsked = evictions.findIndex(({ name }) => isGuard(name))
  assert.ok(evictions.slice(0, firstAsked).some(({ name, code: answer }) => name?.startsWith('db-') && answer === 201))
  assert.ok(
    evictions.slice(0, firstAsked).some(({ name, code: answer }) => name?.startsWith('edge-') && answer === 201),
  )
  const codes = evictions.slice(firstAsked).map(({ name, code: answer }) => `${isGuard(name)} ${answer}`)
  assert.deepEqual([...new Set(codes)], ['true 429', 'true 201'], 'once it is asked, no other pod is left to leave')
}

async function isAttached({ list }: RollGround, node: string): Promise<boolean> {
  return (await list(ATTACHMENTS)).some(({ spec }) => spec.nodeName === node)
}
