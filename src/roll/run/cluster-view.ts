import { ApiOutage, type OutageParts } from '../../ground/loop/api-outage.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { type Freshness, WatchCache } from '../../ground/loop/watch-cache.ts'
import type { Node } from '../../ground/model/node.ts'
import { present } from '../../ground/model/present.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Workload } from '../../ground/model/workload.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster, Kind } from '../../ground/ports/cluster.ts'
import { isNodeNews } from '../decide/is-node-news.ts'
import type { ClusterReading } from '../decide/snapshot.ts'
import { NodeOverlay } from './node-overlay.ts'

const LIST_LIMIT_MS = 5_000

/** One cache for each kind a roll goes by, followed together. */
export class ClusterView {
  readonly #caches
  readonly #clock: Clock
  readonly #cluster: Pick<Cluster, 'list'>
  readonly #outage: ApiOutage
  /** The node that was read by its name before the nodes were listed; none or one. A list may be older than that. */
  #readNodes: readonly Node[] = []
  readonly #overlay = new NodeOverlay()
  #joined: { readonly lists: readonly (readonly Workload[])[]; readonly workloads: readonly Workload[] } | undefined

  constructor({
    cluster,
    clock,
    onChange,
    services = false,
    outage,
  }: {
    readonly cluster: Pick<Cluster, 'follow' | 'list'>
    readonly clock: Clock
    readonly onChange: () => void
    /** Services are followed too. */
    readonly services?: boolean
    readonly outage?: OutageParts
  }) {
    this.#outage = new ApiOutage(outage)
    this.#clock = clock
    this.#cluster = cluster
    const noted = (): void => {
      this.#noteLoss()
      onChange()
    }
    const parts = { cluster, clock, onChange: noted }
    this.#caches = {
      nodes: new WatchCache({ ...parts, kind: 'nodes', isNews: isNodeNews }),
      pods: new WatchCache({ ...parts, kind: 'pods' }),
      budgets: new WatchCache({ ...parts, kind: 'disruptionbudgets' }),
      deployments: new WatchCache({ ...parts, kind: 'deployments' }),
      replicasets: new WatchCache({ ...parts, kind: 'replicasets' }),
      statefulsets: new WatchCache({ ...parts, kind: 'statefulsets' }),
      daemonsets: new WatchCache({ ...parts, kind: 'daemonsets' }),
      attachments: new WatchCache({ ...parts, kind: 'volumeattachments' }),
      claims: new WatchCache({ ...parts, kind: 'volumeclaims' }),
      slices: new WatchCache({ ...parts, kind: 'endpointslices' }),
      ...(services ? { services: new WatchCache({ ...parts, kind: 'services' }) } : {}),
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(Object.values(this.#caches).map((cache) => cache.run(signal)))
  }

  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(Object.values(this.#caches).map((cache) => cache.synced(signal)))
  }

  /** Takes a node that was read by its name, until the nodes are listed as they were then or later. */
  addRead(node: Node): void {
    this.#readNodes = [node]
    this.#overlay.wrote(node)
  }

  node(name: string): Node | undefined {
    const { nodes } = this.#caches
    const readNode = this.#readNodes.find((node) => node.name === name)
    if (!nodes.freshness().synced) return readNode
    return this.#overlay.newest(nodes.get(name))
  }

  /** The list itself unless the node that was read is newer there: indexes are kept by it. */
  #nodes(): readonly Node[] {
    const { nodes } = this.#caches
    if (!nodes.freshness().synced) return this.#readNodes
    return this.#overlay.over(nodes.objects())
  }

  /** As the API server has them, where a stream may be silent; undefined: it does not answer. */
  async listed(signal: AbortSignal): Promise<Pick<ClusterReading, 'pods' | 'budgets'> | undefined> {
    const limits = { clock: this.#clock, limitMs: LIST_LIMIT_MS, signal, what: 'the lists of pods and budgets' }
    const cluster = this.#cluster
    try {
      const [pods, budgets] = await withDeadline(limits, (limited) =>
        Promise.all([cluster.list('pods', limited), cluster.list('disruptionbudgets', limited)]),
      )
      return { pods, budgets }
    } catch (error) {
      if (error instanceof WorldError || error instanceof DeadlineError) return undefined
      throw error
    }
  }

  /** Kinds that were not listed even once. */
  unlisted(): readonly Kind[] {
    return Object.values(this.#caches).flatMap((cache) => (cache.freshness().synced ? [] : [cache.kind]))
  }

  reading(): ClusterReading {
    this.#noteLoss()
    const { pods, budgets, attachments, claims, slices, services } = this.#caches
    const { deployments, replicasets, statefulsets, daemonsets } = this.#caches
    const unlisted = this.#unlisted()
    return {
      nodes: this.#nodes(),
      pods: pods.objects(),
      budgets: budgets.objects(),
      workloads: this.#workloads([deployments, replicasets, statefulsets, daemonsets].map((cache) => cache.objects())),
      attachments: attachments.objects(),
      claims: claims.objects(),
      slices: slices.objects(),
      ...(services === undefined ? {} : { services: services.objects() }),
      ...present({ unlisted }),
      staleForMs: this.#staleForMs(this.#clock.monoMs()),
      ...present({ lostAt: this.#outage.lastAt }),
    }
  }

  /** The same list while none of them has changed: indexes are kept by it. */
  #workloads(lists: readonly (readonly Workload[])[]): readonly Workload[] {
    const last = this.#joined
    if (last !== undefined && lists.every((list, i) => list === last.lists[i])) return last.workloads
    this.#joined = { lists, workloads: lists.flat() }
    return this.#joined.workloads
  }

  /** Why the stream is broken, in the words of the first that is. */
  error(): string | undefined {
    return this.#broken().flatMap((freshness) => freshness.error?.message ?? [])[0]
  }

  #unlisted(): ClusterReading['unlisted'] {
    const kinds = this.unlisted()
    const error = this.error()
    return kinds.length === 0 ? undefined : { kinds, ...present({ error }) }
  }

  #staleForMs(now: MonoMs): number {
    return Math.max(0, ...this.#broken().map((freshness) => Math.max(1, now - (freshness.brokenSince ?? now))))
  }

  #noteLoss(): void {
    this.#outage.note(
      Object.values(this.#caches).map((cache) => cache.freshness()),
      this.#clock.monoMs(),
    )
  }

  #broken(): readonly Freshness[] {
    return Object.values(this.#caches)
      .map((cache) => cache.freshness())
      .filter((freshness) => freshness.brokenSince !== undefined || !freshness.synced)
  }
}
