import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bed, openBed } from '../../../testbed/bed.ts'
import { ensureBuilt } from '../../../testbed/build.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { rightsOfTheChart, shipped } from '../agent-chart.ts'
import { ControllerProcess } from '../controller/controller-process.ts'
import { ApiHistory } from '../ingress-api/api-history.ts'
import { type ApiObject, claimsOn, nodeOf } from '../ingress-api/api-object.ts'
import type { Change } from '../ingress-api/api-view.ts'
import { type RawApi, rawApi } from '../raw-api.ts'
import { refusedRequests } from '../roll-bed/audit.ts'
import { type Json, nodeGuard, storage } from '../virtual-guard/guard-manifests.ts'
import { guardedNodes, guardPods, unguardedNodes } from './guarded-nodes.ts'
import { KubectlDrain } from './kubectl-drain.ts'

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
export class GuardBed {
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
    await bed.kubectl(['wait', '--for=condition=Established', crd, '--timeout=30s'])
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
