import type { JsonPatch } from '../../src/ground/model/json-patch.ts'
import type { Node, Taint } from '../../src/ground/model/node.ts'
import type { Workload } from '../../src/ground/model/workload.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { Clock } from '../../src/ground/ports/clock.ts'
import type { Cluster, FollowEvent, Kind, KindMap } from '../../src/ground/ports/cluster.ts'
import { LeaseStore } from './lease-store.ts'

type Fields = Record<string, unknown>

/**
 * Nodes and Leases as an API server keeps them: patches test before they write, watches tell every change. Of all other
 * kinds there is nothing, but for one DaemonSet where a test has it.
 */
export class MemoryCluster implements Cluster {
  readonly server = { address: '10.0.0.100', port: 443 }
  readonly leases: LeaseStore
  readonly #nodes = new Map<string, Node>()
  readonly #sinks = new Set<(event: FollowEvent<Node>) => void>()
  readonly #setSinks = new Set<(event: FollowEvent<Workload>) => void>()
  #daemonSet: Workload | undefined
  readonly #client
  #version = 100

  constructor(clock: Clock, nodes: readonly Node[]) {
    this.leases = new LeaseStore(clock)
    this.#client = this.leases.client()
    for (const node of nodes) this.change(node.name, node)
  }

  node(name: string): Node {
    const node = this.#nodes.get(name)
    if (node === undefined) throw new WorldError(`there is no ${name}`, { code: 'KUBE_NOT_FOUND', retry: 'never' })
    return node
  }

  /** As a kubelet or a person would. */
  change(name: string, change: Partial<Node>): Node {
    this.#version += 1
    const known = this.#nodes.get(name)
    const node = { ...(known ?? change), ...change, resourceVersion: String(this.#version) } as Node
    this.#nodes.set(name, node)
    for (const sink of this.#sinks) sink({ type: 'applied', object: node })
    return node
  }

  /** As by `kubectl delete node`. */
  remove(name: string): void {
    const object = this.node(name)
    this.#nodes.delete(name)
    for (const sink of this.#sinks) sink({ type: 'deleted', object })
  }

  /** The one DaemonSet, as it is from now on. */
  changeDaemonSet(object: Workload): void {
    this.#daemonSet = object
    for (const sink of this.#setSinks) sink({ type: 'applied', object })
  }

  identity() {
    return Promise.resolve({ uid: 'cluster-uid', version: 'v1.35.0' })
  }

  list<K extends Kind>(kind: K): Promise<readonly KindMap[K][]> {
    const objects: readonly unknown[] =
      kind === 'nodes' ? [...this.#nodes.values()] : kind === 'daemonsets' ? [this.#daemonSet ?? []].flat() : []
    return Promise.resolve(objects as readonly KindMap[K][])
  }

  nodeVersions() {
    return Promise.resolve([...this.#nodes.values()])
  }

  async follow<K extends Kind>(
    kind: K,
    sink: (event: FollowEvent<KindMap[K]>) => void,
    signal: AbortSignal,
  ): Promise<void> {
    sink({ type: 'listed', objects: await this.list(kind) })
    if (kind === 'nodes') this.#sinks.add(sink as (event: FollowEvent<Node>) => void)
    if (kind === 'daemonsets') this.#setSinks.add(sink as (event: FollowEvent<Workload>) => void)
    await aborted(signal)
  }

  async followHeartbeat(_node: string, _sink: unknown, signal: AbortSignal): Promise<void> {
    await aborted(signal)
  }

  async followPodsOf(_node: string, _sink: unknown, signal: AbortSignal): Promise<void> {
    await aborted(signal)
  }

  readNode(name: string): Promise<Node | undefined> {
    return Promise.resolve(this.#nodes.get(name))
  }

  patchNode(name: string, patch: JsonPatch): Promise<Node> {
    const { uid, resourceVersion, labels, annotations, unschedulable, taints } = this.node(name)
    const raw = structuredClone({
      metadata: { uid, resourceVersion, labels, annotations },
      spec: { unschedulable, taints },
    })
    for (const step of patch) apply(raw, step)
    const { metadata, spec } = raw
    const written = {
      labels: metadata.labels,
      annotations: metadata.annotations,
      taints: spec.taints as readonly Taint[],
    }
    return Promise.resolve(this.change(name, { ...written, unschedulable: spec.unschedulable }))
  }

  evict(..._asked: Parameters<Cluster['evict']>): ReturnType<Cluster['evict']> {
    return Promise.resolve({ kind: 'gone' })
  }

  deletePod() {
    return Promise.resolve({ kind: 'gone' } as const)
  }

  relabelPod() {
    return Promise.resolve()
  }

  setConditions() {
    return Promise.resolve()
  }

  readLease = (...call: Parameters<Cluster['readLease']>) => this.#client.readLease(...call)
  writeLease = (...call: Parameters<Cluster['writeLease']>) => this.#client.writeLease(...call)

  tryLease() {
    return Promise.resolve()
  }

  forbidden() {
    return Promise.resolve([])
  }
}

/** RFC 6902 as far as nodes are patched. */
function apply(raw: object, step: JsonPatch[number]): void {
  const tokens = step.path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = tokens.pop() ?? ''
  const parent = tokens.reduce<unknown>((value, token) => (value as Fields)[token], raw) as Fields
  if (step.op === 'test') {
    if (JSON.stringify(parent[last]) !== JSON.stringify(step.value))
      throw new WorldError(`test of ${step.path} failed`, { code: 'KUBE_CONFLICT', retry: 'now' })
  } else if (step.op !== 'remove' && last === '-') (parent as unknown as unknown[]).push(step.value)
  else if (step.op !== 'remove') parent[last] = step.value
  else if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete parent[last]
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
