import { present } from '../../ground/model/present.ts'
import type { NodePortRule } from '../plane/data-plane.ts'
import type { ApiObject } from '../world/api-object.ts'
import { ENDPOINT_SLICES, SERVICES } from '../world/api-resource.ts'
import { keyOf } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { endpointsFor, type SliceObject } from './endpoints-for.ts'

interface ServicePort {
  readonly name?: string
  readonly nodePort?: number
}

interface ServiceObject extends ApiObject {
  readonly spec: {
    readonly type?: string
    readonly externalTrafficPolicy?: string
    readonly ports?: readonly ServicePort[]
  }
}

const SERVICE_NAME = 'kubernetes.io/service-name'
const NO_SLICES: ReadonlyMap<string, SliceObject> = new Map()

/** What Services and their EndpointSlices ask of every kube-proxy; kept once for all of them. */
export class NodePortTable {
  /** Those that have node ports. */
  readonly #services = new Map<string, ServiceObject>()
  readonly #slices = new Map<string, Map<string, SliceObject>>()
  readonly #sinks = new Set<() => void>()
  readonly #ends: readonly (() => void)[]
  /** By node where a Service keeps to its node, else one for all; forgotten with every change. */
  readonly #rules = new Map<string, readonly NodePortRule[]>()

  constructor({ store }: Pick<World, 'store'>) {
    for (const service of store.all(SERVICES)) this.#takeService(service as ServiceObject, false)
    for (const slice of store.all(ENDPOINT_SLICES)) this.#takeSlice(slice as SliceObject, false)
    this.#ends = [
      store.subscribe(SERVICES, ({ object, type }) => this.#takeService(object as ServiceObject, type === 'DELETED')),
      store.subscribe(ENDPOINT_SLICES, ({ object, type }) =>
        this.#takeSlice(object as SliceObject, type === 'DELETED'),
      ),
    ]
  }

  /** The same array as before where nothing has changed. */
  rulesOf(node: string): readonly NodePortRule[] {
    const scope = [...this.#services.values()].some(isLocal) ? node : ''
    const known = this.#rules.get(scope)
    if (known !== undefined) return known
    const rules = [...this.#services].flatMap(([key, service]) => this.#rulesFor(key, service, node))
    const ordered = rules.toSorted((a, b) => a.nodePort - b.nodePort)
    this.#rules.set(scope, ordered)
    return ordered
  }

  /** Of every change that may change rules. The returned function ends it. */
  follow(sink: () => void): () => void {
    this.#sinks.add(sink)
    return () => this.#sinks.delete(sink)
  }

  end(): void {
    for (const end of this.#ends) end()
  }

  #rulesFor(key: string, service: ServiceObject, node: string): readonly NodePortRule[] {
    const slices = [...(this.#slices.get(key) ?? NO_SLICES).values()]
    return (service.spec.ports ?? []).flatMap(({ name = '', nodePort }) => {
      if (nodePort === undefined) return []
      const endpoints = endpointsFor(slices, { port: name, ...(isLocal(service) ? { onlyOn: node } : {}) })
      return [{ nodePort, endpoints }]
    })
  }

  #takeService(service: ServiceObject, isGone: boolean): void {
    const key = keyOf(service.metadata)
    const had = this.#services.has(key)
    const hasPorts = !isGone && (service.spec.ports ?? []).some(({ nodePort }) => nodePort !== undefined)
    if (hasPorts) this.#services.set(key, service)
    else this.#services.delete(key)
    if (had || hasPorts) this.#changed()
  }

  #takeSlice(slice: SliceObject, isGone: boolean): void {
    const { metadata } = slice
    const name = metadata.labels?.[SERVICE_NAME]
    if (name === undefined) return
    const { namespace } = metadata
    const key = keyOf({ name, ...present({ namespace }) })
    const slices = this.#slices.get(key) ?? new Map<string, SliceObject>()
    if (isGone) slices.delete(metadata.name)
    else slices.set(metadata.name, slice)
    if (slices.size === 0) this.#slices.delete(key)
    else this.#slices.set(key, slices)
    if (this.#services.has(key)) this.#changed()
  }

  #changed(): void {
    this.#rules.clear()
    for (const sink of this.#sinks) sink()
  }
}

const isLocal = ({ spec }: ServiceObject): boolean => spec.externalTrafficPolicy === 'Local'
