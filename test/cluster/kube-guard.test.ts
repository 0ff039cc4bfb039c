import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { GuardBed } from '../support/guard-bed/guard-bed.ts'
import { guardPods } from '../support/guard-bed/guarded-nodes.ts'
import type { KubectlDrain } from '../support/guard-bed/kubectl-drain.ts'
import { type ApiObject, hostOf, isLeaving, isReady, nodeOf } from '../support/ingress-api/api-object.ts'
import type { Change } from '../support/ingress-api/api-view.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { volumeAttachment } from '../support/virtual-guard/guard-manifests.ts'

const real = { ...requires('testbed', 'helm'), timeout: 300_000 }
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments'

let opened: GuardBed | undefined
const place = (): GuardBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false) opened = await GuardBed.open()
})
after(async () => opened?.close())

const isCordonOf =
  (node: string) =>
  ({ kind, object }: Change): boolean =>
    kind === 'nodes' && object.metadata.name === node && object.spec?.unschedulable === true

const isGuardOn = (node: string, { kind, object }: Change): boolean =>
  kind === 'pods' && object.metadata.labels?.['evenkeel.dev/guard'] !== undefined && hostOf(object) === node

const leaves =
  (node: string) =>
  (change: Change): boolean =>
    isGuardOn(node, change) && isLeaving(change.object)

const isOpen = (gate: ApiObject | undefined): boolean => gate?.spec?.minAvailable === 0

/** The budget of that node, in mode PerNode. */
const opens =
  (node: string) =>
  ({ kind, object }: Change): boolean =>
    kind === 'gates' && nodeOf(object) === node && isOpen(object)

const seconds = (fromMs: number, toMs: number): string => `${((toMs - fromMs) / 1_000).toFixed(2)} s`

/** The drain that ended first, and the other one, which still waits. */
async function firstOf(drains: readonly [KubectlDrain, KubectlDrain]): Promise<readonly [KubectlDrain, KubectlDrain]> {
  const [one, other] = drains
  await place().until('one of them to be drained', () => one.isOver || other.isOver)
  assert.ok(!one.isOver || !other.isOver, 'both are drained')
  return one.isOver ? [await one.drained(), other] : [await other.drained(), one]
}

/** The other one waits until the first node is back, and is drained then. */
async function thenTheOther(t: TestContext, name: string, [first, second]: readonly KubectlDrain[]): Promise<void> {
  assert.ok(first && second)
  await second.refusedAgain()
  const waits = await place().row(name, second.node)
  assert.equal(waits?.state, 'Requested')
  assert.match(waits.message ?? '', new RegExp(`waits for ${first.node}`))
  const since = place().history.version()
  await place().uncordon(first.node)
  await second.drained()
  const isBack = (change: Change): boolean => isGuardOn(first.node, change) && isReady(change.object)
  const backMs = place().firstAt(since, isBack)
  const leftMs = place().firstAt(since, leaves(second.node))
  assert.ok(leftMs > backMs)
  t.diagnostic(`${second.node} left ${seconds(backMs, leftMs)} after ${first.node} was guarded again`)
  await place().uncordon(second.node)
  await place().guardedAgain(name)
  for (const { node, tookMs } of [first, second]) t.diagnostic(`the drain of ${node} took ${seconds(0, tookMs)}`)
}

test(
  'Budget: of two nodes that are drained at once the second goes once the first is back, and one at a time is without a guard',
  real,
  async (t) => {
    await place().guard({ mode: 'Budget' }, 'budget')
    assert.deepEqual(place().guarded(), ['n1', 'n2', 'n3'])
    const since = place().history.version()
    const drains = await firstOf([place().drain('n1'), place().drain('n2')])
    const [{ node }] = drains
    const [cordonedMs, leftMs] = [isCordonOf(node), leaves(node)].map((is) => place().firstAt(since, is))
    t.diagnostic(`${node} was let go ${seconds(cordonedMs ?? 0, leftMs ?? 0)} after its cordon`)
    await thenTheOther(t, 'budget', drains)
    assert.deepEqual(place().without(since), ['n1', 'n2'])
    await place().remove('budget')
  },
)

test(
  'PerNode: a drain waits while a volume is attached to its node, goes on once it is detached, and the next one waits for it',
  real,
  async (t) => {
    const volumes = { drivers: ['driver.example.com'] }
    await place().guard({ mode: 'PerNode', holds: [{ name: 'volumes', volumes }] }, 'held')
    await place().bed.apply([volumeAttachment('pvc-1', 'n1')])
    const since = place().history.version()
    const first = place().drain('n1')
    await first.refusedAgain()
    await place().until('n1 to be held', async () => (await place().row('held', 'n1'))?.state === 'Held')
    assert.match((await place().row('held', 'n1'))?.message ?? '', /n1 is held by volumes: .*pvc-1/)
    await first.refusedAgain()
    const budget = place().gateOf('n1')?.metadata.name ?? ''
    assert.match(budget, /^held-ng-/)
    assert.ok(
      first.refused.every((pod) => pod.startsWith(`${budget}-`)),
      first.refused.join(),
    )
    assert.equal((await place().ask('DELETE', `${ATTACHMENTS}/pvc-1`)).status, 200)
    const detachedMs = performance.now()
    await place().until('the budget of n1 to open', () => isOpen(place().gateOf('n1')), 5_000)
    const openMs = place().firstAt(since, opens('n1'))
    t.diagnostic(`the budget of n1 was open ${seconds(detachedMs, openMs)} after its volume was detached`)
    const second = place().drain('n2')
    await first.drained()
    t.diagnostic(`n1 was drained ${seconds(openMs, performance.now())} after that`)
    await thenTheOther(t, 'held', [first, second])
    assert.deepEqual(place().without(since), ['n1', 'n2'])
    await place().remove('held')
    assert.deepEqual(place().forbidden(), [])
  },
)

/** Nodes that were without a guard although the DaemonSet did not leave them, n3 aside; those of the same moment together. */
const leftAlone = (since: number): readonly string[] => [
  ...new Set(
    place()
      .without(since)
      .map((nodes) => nodes.replace(/ ?n3$/, '')),
  ),
]

async function selectBy(nodeSelector: object | null): Promise<void> {
  const patch = JSON.stringify({ spec: { template: { spec: { nodeSelector } } } })
  await place().bed.kubectl(['patch', 'daemonset/storage', '--type=merge', `--patch=${patch}`])
}

for (const { mode, others } of [
  { mode: 'PerNode', others: [''] },
  // The selector is in the pods of all nodes, so that they are replaced one by one.
  { mode: 'Budget', others: ['', 'n1', 'n2'] },
] as const)
  atNight(`${mode}: guards follow the labels of a node and the selector of the DaemonSet`, real, async (t) => {
    const { kubectl } = place().bed
    const name = `follows-${mode.toLowerCase()}`
    await place().guard({ mode }, name)
    const since = place().history.version()
    const startedMs = performance.now()
    await kubectl(['label', 'node/n3', 'storage=no'])
    await place().guardedAgain(name, ['n1', 'n2'])
    t.diagnostic(`n3 had no guard ${seconds(startedMs, place().firstAt(since, leaves('n3')))} after its label`)
    assert.deepEqual(place().without(since), ['n3'])
    await kubectl(['label', 'node/n3', 'storage-'])
    await place().guardedAgain(name)
    await kubectl(['label', 'node/n1', 'node/n2', 'tier=data'])
    const before = place().history.version()
    await selectBy({ tier: 'data' })
    await place().guardedAgain(name, ['n1', 'n2'])
    await selectBy(null)
    await place().guardedAgain(name)
    const alone = leftAlone(before)
    assert.deepEqual(
      alone.filter((nodes) => !others.some((other) => other === nodes)),
      [],
    )
    assert.ok(alone.includes(''))
    t.diagnostic(`all of it took ${seconds(startedMs, performance.now())}`)
    await place().remove(name)
  })

for (const mode of ['PerNode', 'Budget'] as const)
  atNight(
    `${mode}: a node that is removed is guarded and counted no more, and one that joins is guarded`,
    real,
    async (t) => {
      const { bed } = place()
      const name = `joins-${mode.toLowerCase()}`
      await place().guard({ mode }, name)
      await bed.powerOff('n3')
      await bed.kubectl(['delete', 'node/n3'])
      const removedMs = performance.now()
      await place().guardedAgain(name, ['n1', 'n2'])
      t.diagnostic(`nothing was left of n3 ${seconds(removedMs, performance.now())} after its Node was deleted`)
      // No drain waits for it.
      await place().drain('n1').drained()
      await place().uncordon('n1')
      await place().guardedAgain(name, ['n1', 'n2'])
      await bed.powerOn('n3')
      const joinedMs = performance.now()
      await place().guardedAgain(name)
      t.diagnostic(`n3 was guarded ${seconds(joinedMs, performance.now())} after its machine was started`)
      await place().remove(name)
    },
  )

atNight(
  'the second lock: a guard that is deleted by force stays while its node is held, and goes once the hold is clear',
  real,
  async (t) => {
    const { bed, history } = place()
    const holds = [{ name: 'busy', annotation: { key: 'example.com/busy' } }]
    await place().guard({ mode: 'PerNode', resistDeletion: true, holds }, 'lock')
    const onN1 = (): readonly ApiObject[] =>
      guardPods(history.now('pods'), 'lock').filter((pod) => hostOf(pod) === 'n1')
    const [pod] = onN1()
    assert.ok(pod)
    await bed.kubectl(['annotate', 'node/n1', 'example.com/busy=yes'])
    await bed.kubectl(['cordon', 'n1'])
    await place().until('n1 to be held', async () => (await place().row('lock', 'n1'))?.state === 'Held')
    await bed.kubectl(['delete', `pod/${pod.metadata.name}`, '--wait=false'])
    await place().until('its containers to have ended', () =>
      onN1().some((one) => isLeaving(one) && one.status?.phase !== 'Running'),
    )
    await bed.kubectl(['delete', `pod/${pod.metadata.name}`, '--wait=false', '--grace-period=0', '--force'])
    assert.deepEqual(
      onN1().map(({ metadata }) => metadata.uid),
      [pod.metadata.uid],
    )
    assert.equal((await place().row('lock', 'n1'))?.state, 'Held')
    await bed.kubectl(['annotate', 'node/n1', 'example.com/busy-'])
    const clearMs = performance.now()
    await place().until('the guard to be gone', () => onN1().length === 0, 60_000)
    t.diagnostic(`the guard was gone ${seconds(clearMs, performance.now())} after the hold was clear`)
    await place().uncordon('n1')
    await place().guardedAgain('lock')
    await place().remove('lock')
  },
)
