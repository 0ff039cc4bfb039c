import {
  type ApiObject,
  annotationOf,
  claimsOn,
  conditionOf,
  hostOf,
  imageOf,
  isLeaving,
  isReady,
  type Kind,
  nodeOf,
  operationOf,
} from './api-object.ts'
import type { Change } from './api-view.ts'
import type { IngressApiGround } from './ingress-api-ground.ts'

type Json = Readonly<Record<string, unknown>>
type World = Parameters<Parameters<IngressApiGround['history']['replay']>[1]>[0]

interface FleetOptions {
  readonly name: string
  readonly nodes: number
  readonly group?: string
  /** Nodes of another fleet, where this object runs on the same ones. */
  readonly on?: string
}

/** One IngressDaemonSet, with Nodes that its nodeSelector names. */
export class ApiFleet {
  readonly name: string
  readonly nodes: readonly string[]
  readonly #ground: IngressApiGround
  readonly #group: string
  readonly #label: string

  constructor(ground: IngressApiGround, { name, nodes, group = 'evenkeel.dev', on = name }: FleetOptions) {
    this.#ground = ground
    this.name = name
    this.#group = group
    this.#label = on
    this.nodes = Array.from({ length: nodes }, (_, n) => `${on}-${n + 1}`)
  }

  get path(): string {
    return `/apis/${this.#group}/v1alpha1/namespaces/default/ingressdaemonsets`
  }

  async makeNodes(): Promise<void> {
    await this.#ground.nodes(this.nodes, { fleet: this.#label })
  }

  manifest(image: string, spec: Json = {}): object {
    return {
      apiVersion: `${this.#group}/v1alpha1`,
      kind: 'IngressDaemonSet',
      metadata: { namespace: 'default', name: this.name },
      spec: {
        nodeSelector: { fleet: this.#label },
        template: { metadata: { labels: { app: this.name } }, spec: { containers: [{ name: 'web', image }] } },
        ...spec,
      },
    }
  }

  /** Two pods for each node, and one node after the other detached without any grace, where nothing else is said. */
  detaching(rollingUpdate: Json, spec: Json = {}): Json {
    return { podsPerNode: 2, updateStrategy: { rollingUpdate: { ...QUICK, ...rollingUpdate } }, ...spec }
  }

  async create(image: string, spec: Json = {}): Promise<void> {
    await this.#ground.mustAsk('POST', this.path, this.manifest(image, spec))
    await this.rolledOut(image)
  }

  /** The version of the store from which on the change is seen. */
  async change(spec: Json): Promise<number> {
    const since = this.#ground.history.version()
    await this.#ground.mustAsk('PATCH', `${this.path}/${this.name}`, { spec })
    return since
  }

  changeImage(image: string): Promise<number> {
    return this.change({ template: { spec: { containers: [{ name: 'web', image }] } } })
  }

  /** Every pod is of that image and Ready, the object says so of this very spec, and nothing is under way. */
  async rolledOut(image: string, limitMs?: number): Promise<void> {
    await this.#ground.until(`${this.name} to have ${image} on all nodes`, () => this.isRolledOut(image), limitMs)
  }

  isRolledOut(image: string): boolean {
    const object = this.object()
    const observed = object?.status?.observedGeneration === object?.metadata.generation
    return (
      observed &&
      object !== undefined &&
      conditionOf(object, 'Ready') === 'True AllInService' &&
      this.pods().every((pod) => imageOf(pod) === image && isReady(pod)) &&
      this.deployments().every((one) => operationOf(one) === undefined)
    )
  }

  object(): ApiObject | undefined {
    const kind = this.#group === 'evenkeel.dev' ? 'objects' : 'originals'
    return this.#ground.history.now(kind).find(({ metadata }) => metadata.name === this.name)
  }

  pods(): readonly ApiObject[] {
    return this.#ground.history.now('pods').filter((one) => this.owns(one))
  }

  deployments(): readonly ApiObject[] {
    return this.#ground.history.now('deployments').filter((one) => this.owns(one))
  }

  deploymentOf(node: string): ApiObject | undefined {
    return this.deployments().find((one) => nodeOf(one) === node)
  }

  node(name: string): ApiObject | undefined {
    return this.#ground.history.now('nodes').find(({ metadata }) => metadata.name === name)
  }

  podsOn(node: string): readonly ApiObject[] {
    return this.pods().filter((pod) => hostOf(pod) === node)
  }

  owns({ metadata }: ApiObject): boolean {
    const uid = this.object()?.metadata.uid
    return uid !== undefined && metadata.labels?.['evenkeel.dev/ingress-uid'] === uid
  }

  /** Nodes that an owner wants out of service. */
  claimed(world: World): readonly string[] {
    return this.nodes.filter((name) => {
      const node = world.nodes.get(`/${name}`)
      return node !== undefined && claimsOn(node).length > 0
    })
  }

  readyOn(world: World, node: string): number {
    return [...world.pods.values()].filter((pod) => this.owns(pod) && hostOf(pod) === node && isReady(pod)).length
  }

  deploymentIn(world: World, node: string): ApiObject | undefined {
    return [...world.deployments.values()].find((one) => this.owns(one) && nodeOf(one) === node)
  }

  /** What was seen of this object since, after each change in the order of the store. */
  replay(since: number, visit: (world: World, change: Change) => void): void {
    this.#ground.history.replay(since, visit)
  }

  /** The most nodes that were claimed at once since. */
  mostClaimed(since: number): number {
    let most = 0
    this.replay(since, (world) => {
      most = Math.max(most, this.claimed(world).length)
    })
    return most
  }

  /** The moment of the first change of that kind that fits, as the watch told it. */
  firstSeen(since: number, kind: Kind, fits: (object: ApiObject) => boolean): number | undefined {
    let at: number | undefined
    this.replay(since, (_world, change) => {
      if (at === undefined && change.kind === kind && change.type !== 'DELETED' && fits(change.object)) at = change.atMs
    })
    return at
  }

  /** Milliseconds from the mark until the first pod of the node was made to leave. */
  markToPods(since: number, { node, of, key, value }: Mark): number {
    const isOfNode = (one: ApiObject): boolean =>
      of === 'nodes' ? one.metadata.name === node : nodeOf(one) === node && this.owns(one)
    const marked = this.firstSeen(since, of, (one) => isOfNode(one) && annotationOf(one, key) === value)
    const left = this.firstSeen(since, 'pods', (pod) => this.owns(pod) && hostOf(pod) === node && isLeaving(pod))
    return (left ?? Number.NaN) - (marked ?? Number.NaN)
  }
}

interface Mark {
  readonly node: string
  readonly of: 'nodes' | 'deployments'
  readonly key: string
  readonly value: string
}

const QUICK = {
  maxUnavailableNodes: 1,
  annotateDeploymentToDetach: { gracePeriodSeconds: 0 },
  attachGraceSeconds: 0,
}

export async function newFleet(ground: IngressApiGround, name: string, nodes: number): Promise<ApiFleet> {
  const fleet = new ApiFleet(ground, { name, nodes })
  await fleet.makeNodes()
  return fleet
}
