import { type ApiObject, conditionOf, hostOf, isLeaving, nodeOf } from '../ingress-api/api-object.ts'
import type { GuardApiGround } from './guard-api-ground.ts'

const GUARDS = '/apis/evenkeel.dev/v1alpha1/namespaces/default/nodeguards'

interface GuardRow {
  readonly name: string
  readonly state: string
  readonly reason?: string
  readonly message?: string
}

interface ApiEvent {
  readonly involvedObject?: { readonly name?: string }
  readonly reason?: string
  readonly message?: string
  readonly type?: string
}

/** One NodeGuard in a group of its own, and nodes that no other one guards. */
export class GuardedNodes {
  readonly name: string
  /** The one that most tests are about, and the others. */
  readonly node: string
  readonly nodes: readonly string[]
  readonly #ground: GuardApiGround

  private constructor(ground: GuardApiGround, name: string, count: number) {
    this.#ground = ground
    this.name = name
    this.nodes = Array.from({ length: count }, (_, at) => `${name}-${at + 1}`)
    this.node = this.nodes[0] ?? ''
  }

  /** Once each node is guarded. */
  static async open(
    ground: GuardApiGround,
    name: string,
    { spec, nodes = 1 }: { readonly spec: object; readonly nodes?: number },
  ): Promise<GuardedNodes> {
    const of = new GuardedNodes(ground, name, nodes)
    await ground.nodes(of.nodes, { 'guarded-by': name })
    await ground.mustAsk('POST', GUARDS, of.manifest(spec))
    await of.until('every node to be guarded', () => of.condition('Ready') === 'True AllGuarded')
    return of
  }

  manifest(spec: object): object {
    return {
      ...{ apiVersion: 'evenkeel.dev/v1alpha1', kind: 'NodeGuard', metadata: { name: this.name } },
      spec: { group: this.name, follow: { nodeSelector: { 'guarded-by': this.name } }, ...spec },
    }
  }

  until(what: string, holds: () => boolean | Promise<boolean>): Promise<true> {
    return this.#ground.until(`${this.name}: ${what}`, holds, () => JSON.stringify(this.#guard()?.status))
  }

  #guard(): ApiObject | undefined {
    return this.#ground.view.now('guards').find(({ metadata }) => metadata.name === this.name)
  }

  condition(type: string): string | undefined {
    const guard = this.#guard()
    return guard === undefined ? undefined : conditionOf(guard, type)
  }

  messageOf(type: string): string {
    const { conditions = [] } = (this.#guard()?.status ?? {}) as {
      conditions?: readonly { readonly type: string; readonly message: string }[]
    }
    return conditions.find((one) => one.type === type)?.message ?? ''
  }

  #rows(): readonly GuardRow[] {
    return (this.#guard()?.status?.nodes ?? []) as readonly GuardRow[]
  }

  /** `Held HoldStands`; empty where the node is Armed. */
  row(node = this.node): string {
    const { state = '', reason = '' } = this.#rows().find(({ name }) => name === node) ?? {}
    return `${state} ${reason}`.trim()
  }

  message(node = this.node): string {
    return this.#rows().find(({ name }) => name === node)?.message ?? ''
  }

  released(): readonly Readonly<Record<string, string>>[] {
    return (this.#guard()?.status?.released ?? []) as readonly Readonly<Record<string, string>>[]
  }

  cordon(is: boolean, node = this.node): Promise<void> {
    return this.#ground.patchNode(node, { spec: { unschedulable: is } })
  }

  async annotate(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#ground.mustAsk('PATCH', `${GUARDS}/${this.name}`, { metadata: { annotations } })
  }

  guardOf(node = this.node): ApiObject | undefined {
    return this.#ground.view
      .now('pods')
      .find(
        (pod) => pod.metadata.labels?.['evenkeel.dev/guard'] === this.name && hostOf(pod) === node && !isLeaving(pod),
      )
  }

  /** Whether the budget of the node lets its guard go. */
  isOpen(node = this.node): boolean {
    const gate = this.#ground.view
      .now('gates')
      .find(({ metadata }) => metadata.labels?.['evenkeel.dev/guard'] === this.name && nodeOf({ metadata }) === node)
    return (gate?.spec as { readonly minAvailable?: number } | undefined)?.minAvailable === 0
  }

  /** What the API server answers to the eviction of the guard; 404: there is none. */
  async evict(node = this.node): Promise<number> {
    const name = this.guardOf(node)?.metadata.name
    if (name === undefined) return 404
    const path = `/api/v1/namespaces/default/pods/${name}/eviction`
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } }
    return (await this.#ground.api('POST', path, eviction)).status
  }

  /** As a drain does, which tries again. */
  async drained(node = this.node): Promise<void> {
    await this.until(`the guard of ${node} to be evicted`, async () => (await this.evict(node)) === 201)
    await this.until(`${node} to be Draining`, () => this.row(node) === 'Draining NodeDraining')
  }

  /** After the work. */
  async back(node = this.node): Promise<void> {
    await this.cordon(false, node)
    await this.until(
      'every node to be guarded again',
      () => this.row(node) === '' && this.condition('Ready') === 'True AllGuarded',
    )
  }

  /** As `Warning HeldTooLong: message`. */
  async events(): Promise<readonly string[]> {
    const selector = `involvedObject.kind=NodeGuard,involvedObject.name=${this.name}`
    const list = await this.#ground.mustAsk('GET', `/api/v1/namespaces/default/events?fieldSelector=${selector}`)
    const { items } = list as { readonly items: readonly ApiEvent[] }
    return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
  }

  async told(event: RegExp): Promise<void> {
    await this.until(`the Event ${event}`, async () => (await this.events()).some((one) => event.test(one)))
  }
}
