import { readFileSync } from 'node:fs'
import { mapAtOnce } from '../../src/ground/loop/map-at-once.ts'
import { type ApiObject, claimsOn, PATHS } from '../../test/support/ingress-api/api-object.ts'
import { ApiView } from '../../test/support/ingress-api/api-view.ts'
import { CONTROLLER_USER, openIngressPlane } from '../../test/support/ingress-api/ingress-plane.ts'
import { StandInKubelets } from '../../test/support/ingress-api/stand-in-kubelets.ts'
import { type RawApi, rawApi } from '../../test/support/raw-api.ts'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { AuditedWrites } from './audited-writes.ts'
import { ingressObject, nodeAt, nodeObject } from './fleet-objects.ts'
import { beating, type IngressFleet, isInService, type StatusWrite, statusWrite } from './ingress-fleet.ts'

const AT_ONCE = 16
const UNTAINTED_LIMIT_MS = 600_000
/** For all pods of all objects. */
const ROOM = { cpu: '64', memory: '64Gi', pods: '250' }
const INGRESS_PATH = '/apis/evenkeel.dev/v1alpha1/namespaces/default/ingressdaemonsets'

interface Parts {
  readonly bed: Bed
  readonly view: ApiView
  readonly api: RawApi
  readonly closeApi: () => void
  readonly kubeconfig: string
}

/** The control plane of the test bed, whole and real, and stand-ins for the kubelets. */
export class RealFleetApi implements IngressFleet {
  readonly nodes: readonly string[]
  readonly kubeconfig: string
  readonly #parts: Parts
  readonly #kubelets: StandInKubelets
  readonly #audited: AuditedWrites
  readonly #objects: string[] = []
  #changes = 0
  #heard: (write: StatusWrite) => void = () => undefined

  private constructor(parts: Parts, count: number) {
    const { bed, view, api, kubeconfig } = parts
    this.#parts = parts
    this.nodes = Array.from({ length: count }, (_, at) => nodeAt(at))
    this.kubeconfig = readFileSync(kubeconfig, 'utf8')
    this.#kubelets = new StandInKubelets(view, api)
    this.#audited = new AuditedWrites(bed.auditLog, CONTROLLER_USER)
    view.onChange(({ kind, object, atMs }) => {
      if (kind !== 'nodes') this.#changes += 1
      if (kind === 'objects') this.#heard(statusWrite(object, atMs))
    })
  }

  static async open(count: number): Promise<RealFleetApi> {
    const { bed, kubeconfigs } = await openIngressPlane({ maxOut: '2', groups: ['evenkeel.dev'] })
    const { ask: api, close: closeApi } = rawApi(bed.kubeconfig)
    const view = new ApiView(bed.kubeconfig)
    const made = new RealFleetApi({ bed, view, api, closeApi, kubeconfig: kubeconfigs.inside }, count)
    try {
      await view.follow(['nodes', 'pods', 'objects', 'deployments', 'gates'])
      await mapAtOnce(made.nodes, AT_ONCE, (name) => made.#makeNode(name))
      // A Node begins with a taint that the controller manager takes away, since it is Ready.
      await waitFor({ what: 'Nodes without taints', limitMs: UNTAINTED_LIMIT_MS, everyMs: 200 }, () => {
        const free = view.now('nodes').filter(({ spec = {} }) => spec.taints === undefined)
        return free.length === count || undefined
      })
      return made
    } catch (error) {
      await made.close()
      throw error
    }
  }

  /** Beside the API server, so that no relay of this process is on the way of what is measured. */
  enter(argv: readonly string[]): readonly string[] {
    return this.#parts.bed.enter(argv)
  }

  async reach(port: number): Promise<number> {
    return (await this.#parts.bed.relay('127.0.0.1', port)).port
  }

  get pods(): number {
    return this.#parts.view.now('pods').length
  }

  async addObject(name: string): Promise<void> {
    await this.#ask('POST', INGRESS_PATH, ingressObject(name))
    this.#objects.push(name)
  }

  onStatus(heard: (write: StatusWrite) => void): void {
    this.#heard = heard
  }

  async isSettled(): Promise<boolean> {
    const [failure] = this.#kubelets.failures
    if (failure !== undefined) throw failure
    // So that the audit log is not renamed twice while a large fleet is made.
    await this.#audited.count()
    const objects = this.#parts.view.now('objects')
    return objects.length === this.#objects.length && objects.every(isInService)
  }

  writes(): Promise<number> {
    return this.#audited.count()
  }

  get changes(): number {
    return this.#changes
  }

  async cordon(name: string, unschedulable: boolean): Promise<number> {
    const atMs = performance.now()
    await this.#ask('PATCH', `${PATHS.nodes}/${name}`, { spec: { unschedulable } })
    return atMs
  }

  claimsOn(name: string): number {
    return claimsOn(this.#node(name)).length
  }

  async heartbeat(name: string): Promise<void> {
    const { conditions } = this.#node(name).status as { readonly conditions: readonly object[] }
    await this.#ask('PATCH', `${PATHS.nodes}/${name}/status`, { status: { conditions: beating(conditions) } })
  }

  async close(): Promise<void> {
    this.#kubelets.end()
    this.#parts.view.close()
    this.#parts.closeApi()
    await this.#audited.close()
    await this.#parts.bed.close()
  }

  /** As a kubelet registers itself: with its status. */
  async #makeNode(name: string): Promise<void> {
    const { status, ...node } = nodeObject(name)
    const body = { ...node, status: { ...(status as object), capacity: ROOM, allocatable: ROOM } }
    await this.#ask('POST', PATHS.nodes, body)
  }

  #node(name: string): ApiObject {
    const node = this.#parts.view.get('nodes', name)
    if (node === undefined) throw new Error(`there is no node ${name}`)
    return node
  }

  async #ask(method: string, path: string, body: object): Promise<void> {
    const reply = await this.#parts.api(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
  }
}
