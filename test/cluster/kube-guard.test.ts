import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { type Bed, openBed } from '../../testbed/bed.ts'
import { ensureBuilt } from '../../testbed/build.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { rightsOfTheChart, shipped } from '../support/agent-chart.ts'
import { ControllerProcess } from '../support/controller/controller-process.ts'
import { guardedNodes, guardPods, unguardedNodes } from '../support/guard-bed/guarded-nodes.ts'
import { ApiHistory } from '../support/ingress-api/api-history.ts'
import { type ApiObject, claimsOn, hostOf, isLeaving, isReady, nodeOf } from '../support/ingress-api/api-object.ts'
import type { Change } from '../support/ingress-api/api-view.ts'
import { type RawApi, rawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { refusedRequests } from '../support/roll-bed/audit.ts'
import { Program, type ProgramEnd } from '../support/roll-bed/program.ts'
import { type Json, nodeGuard, storage, volumeAttachment } from '../support/virtual-guard/guard-manifests.ts'

const REFUSED = /error when evicting pods\/"([^"]+)".*will retry after 5s.*disruption budget/

/** An unmodified `kubectl drain` of a node, as people run it. */
class KubectlDrain {
  readonly node: string
  readonly #program: Program
  readonly #startedMs = performance.now()
  readonly #ended: Promise<ProgramEnd>
  #isOver = false
  #tookMs = 0

  /** `kubectl`: the command line without its arguments. */
  constructor(node: string, kubectl: readonly string[], kubeconfig: string) {
    this.node = node
    const words = ['drain', node, '--ignore-daemonsets', '--delete-emptydir-data']
    this.#program = new Program([...kubectl, ...words], { env: { KUBECONFIG: kubeconfig } })
    this.#ended = this.#program.ended().then((end) => {
      this.#isOver = true
      this.#tookMs = Math.round(performance.now() - this.#startedMs)
      return end
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Until it ended. */
  get tookMs(): number {
    return this.#tookMs
  }

  /** The pods whose eviction was refused because of a budget, each time that it said so. */
  get refused(): readonly string[] {
    return this.#program.stderr.split('\n').flatMap((line) => REFUSED.exec(line)?.[1] ?? [])
  }

  /** Resolves when one more eviction was refused than by now. */
  async refusedAgain(): Promise<void> {
    const before = this.refused.length
    const explain = (): string => this.#program.stderr
    await waitFor({ what: `an eviction from ${this.node} to be refused`, limitMs: 30_000, explain }, () => {
      if (this.#isOver) throw new Error(`the drain of ${this.node} is over`)
      return this.refused.length > before || undefined
    })
  }

  /** Rejects where it failed or did not end in time. */
  async drained(limitMs = 60_000): Promise<this> {
    const explain = (): string => this.#program.stderr
    await waitFor({ what: `${this.node} to be drained`, limitMs, explain }, () => this.#isOver || undefined)
    const { code, stderr } = await this.#ended
    if (code !== 0) throw new Error(`the drain of ${this.node} ended with ${code}: ${stderr}`)
    return this
  }

  kill(): void {
    this.#program.kill('SIGKILL')
  }
}

const ACCOUNT = 'evenkeel-agent-controller'
const GUARDS = '/apis/evenkeel.dev/v1alpha1/namespaces/default/nodeguards'
/** On a machine that has other work. */
const WAIT_MS = 90_000

interface Row {
  readonly name: string
  readonly state: string
  readonly message?: string
}

interface GuardStatus {
  readonly desiredNodes?: number
  readonly conditions?: readonly { readonly type: string; readonly reason: string }[]
  readonly nodes?: readonly Row[]
}

interface Parts {
  readonly bed: Bed
  readonly history: ApiHistory
  readonly api: ReturnType<typeof rawApi>
  readonly kubectl: readonly string[]
}

/** A real cluster with the pods of a DaemonSet on each node, and a controller of NodeGuards with the rights of the chart. */
class GuardBed {
  readonly bed: Bed
  readonly history: ApiHistory
  readonly ask: RawApi
  readonly #parts: Parts
  readonly #drains: KubectlDrain[] = []
  #controller: ControllerProcess | undefined

  private constructor(parts: Parts) {
    this.#parts = parts
    this.bed = parts.bed
    this.history = parts.history
    this.ask = parts.api.ask
  }

  static async open(): Promise<GuardBed> {
    const bed = await openBed({ nodes: 3, addons: false })
    const api = rawApi(bed.kubeconfig)
    const { programs } = await ensureBuilt(() => undefined)
    const kubectl = [join(programs, 'kube'), 'kubectl', `--cache-dir=${join(bed.dir, 'drain-cache')}`]
    const place = new GuardBed({ bed, api, kubectl, history: new ApiHistory(bed.kubeconfig) })
    try {
      await place.#begin()
      return place
    } catch (error) {
      await place.close()
      throw error
    }
  }

  async #begin(): Promise<void> {
    const { bed } = this
    await bed.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'evenkeel' } }])
    await bed.apply(await rightsOfTheChart('controller.enabled=true', 'guard.enabled=true'))
    await bed.apply(shipped('crd/nodeguards.evenkeel.dev.yaml'))
    await bed.apply([storage()])
    const crd = 'crd/nodeguards.evenkeel.dev'
    await bed.established([crd])
    const { outside } = await bed.serviceAccountKubeconfig('evenkeel', ACCOUNT)
    await this.history.follow(['nodes', 'pods', 'gates', 'slots', 'daemonSets'])
    const words = ['--kubeconfig', outside, '--namespace', 'evenkeel', '--status-port', '0']
    this.#controller = await ControllerProcess.start([...words, '--guard', '--lease-duration', '6s'])
  }

  async close(): Promise<void> {
    for (const drain of this.#drains) drain.kill()
    await this.#controller?.end('SIGKILL')
    this.history.close()
    this.#parts.api.close()
    await this.bed.close()
  }

  /** A NodeGuard that follows the DaemonSet, once every node has its guard. */
  async guard(spec: Json, name: string): Promise<void> {
    await this.bed.apply([nodeGuard(spec, name)])
    await this.guardedAgain(name)
  }

  /** These nodes have a guard and no others, and the status says so; nothing of a grant is left. */
  async guardedAgain(name: string, nodes = this.bed.nodes): Promise<void> {
    await this.until(`${name} to guard ${nodes.join(', ')}`, async () => {
      const { desiredNodes, conditions = [], nodes: restless = [] } = await this.status(name)
      const ready = conditions.find(({ type }) => type === 'Ready')
      const isSaid = ready?.reason === 'AllGuarded' && desiredNodes === nodes.length && restless.length === 0
      const pods = guardPods(this.history.now('pods'), name)
      const isSo = this.guarded().join() === nodes.join() && pods.length === nodes.length
      return isSaid && isSo && this.leftOver().length === 0
    })
  }

  /** With all that belongs to it. */
  async remove(name: string): Promise<void> {
    await this.bed.kubectl(['delete', `nodeguard/${name}`, '--wait', '--timeout=60s'], { limitMs: 70_000 })
    await this.until(`the guards of ${name} to go`, () => guardPods(this.history.now('pods'), name).length === 0)
    await this.until('nothing to be left over', () => this.leftOver().length === 0)
  }

  /** Claims on Nodes and held slots. */
  leftOver(): readonly string[] {
    const claims = this.history.now('nodes').flatMap(claimsOn)
    const slots = this.history
      .now('slots')
      .filter(
        ({ metadata, spec = {} }) => metadata.name.startsWith('evenkeel-slot') && (spec.holderIdentity ?? '') !== '',
      )
    return [...claims, ...slots.map(({ metadata }) => metadata.name)]
  }

  drain(node: string): KubectlDrain {
    const drain = new KubectlDrain(node, this.#parts.kubectl, this.bed.kubeconfig)
    this.#drains.push(drain)
    return drain
  }

  /** The budget over the guard of that node, in mode PerNode. */
  gateOf(node: string): ApiObject | undefined {
    return this.history.now('gates').find((gate) => nodeOf(gate) === node)
  }

  async uncordon(node: string): Promise<void> {
    await this.bed.kubectl(['uncordon', node])
  }

  async until(what: string, holds: () => boolean | Promise<boolean>, limitMs = WAIT_MS): Promise<void> {
    const explain = (): string => [...this.guarded(), ...this.leftOver()].join(', ')
    await waitFor({ what, limitMs, everyMs: 100, explain }, async () => (await holds()) || undefined)
  }

  async status(name: string): Promise<GuardStatus> {
    const { status, body } = await this.ask('GET', `${GUARDS}/${name}`)
    if (status !== 200) throw new Error(`the API server answered ${status}`)
    return (body as { readonly status?: GuardStatus }).status ?? {}
  }

  /** What the status says of that node, where it is not at rest. */
  async row(name: string, node: string): Promise<Row | undefined> {
    return (await this.status(name)).nodes?.find((row) => row.name === node)
  }

  /** Nodes with a guard that is ready and does not leave. */
  guarded(): readonly string[] {
    return guardedNodes(this.history.now('pods'))
  }

  /** `n1`, or `n1 n2`: the nodes that were without a ready guard at the same moment, each such set once. */
  without(since: number): readonly string[] {
    return unguardedNodes(this.history, { nodes: this.bed.nodes, since })
  }

  /** When the first such change was told, in ms of the monotonic clock. */
  firstAt(since: number, holds: (change: Change) => boolean): number {
    let atMs: number | undefined
    this.history.replay(since, (_world, change) => {
      if (atMs === undefined && holds(change)) atMs = change.atMs
    })
    if (atMs === undefined) throw new Error('there was no such change')
    return atMs
  }

  /** What the API server forbade the controller. */
  forbidden(): readonly string[] {
    const lines = readFileSync(this.bed.auditLog, 'utf8').split('\n')
    const whole = lines.filter((line) => line.endsWith('}'))
    return refusedRequests(whole, `system:serviceaccount:evenkeel:${ACCOUNT}`)
  }
}

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
