import type { FleetNode } from '../../../src/agent/model/fleet-node.ts'
import type { Fleet } from '../../../src/agent/ports/fleet.ts'
import type { ConfigMap } from '../../../src/ground/model/config-map.ts'
import type { ObjectNotice } from '../../../src/ground/model/object-notice.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import type { ConfigMaps } from '../../../src/ground/ports/config-maps.ts'
import type { ObjectNotices } from '../../../src/ground/ports/object-notices.ts'
import { nodesOf } from '../brake-world.ts'

const unreachable = () => new WorldError('nobody answers', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })

/** Nodes as the API server has them; a watch tells them unless it lags. */
export class MemoryFleet implements Fleet {
  lags = false
  readonly #sinks = new Set<(event: FollowEvent<FleetNode>) => void>()
  #nodes: readonly FleetNode[] = []

  /** In signs, as `nodesOf` reads them. */
  set(signs: string): void {
    this.#nodes = nodesOf(signs)
    if (!this.lags) this.tell()
  }

  tell(): void {
    for (const sink of this.#sinks) sink({ type: 'listed', objects: this.#nodes })
  }

  /** One node changes, and the watch tells that alone. */
  change(sign: string): void {
    const changed = nodesOf(sign)
    this.#nodes = this.#nodes.map((node) => changed.find(({ name }) => name === node.name) ?? node)
    for (const sink of this.#sinks) for (const object of changed) sink({ type: 'applied', object })
  }

  break(): void {
    for (const sink of this.#sinks) sink({ type: 'broken', error: unreachable(), retryInMs: 1_000 })
  }

  follow(sink: (event: FollowEvent<FleetNode>) => void, signal: AbortSignal): Promise<void> {
    this.#sinks.add(sink)
    if (this.#nodes.length > 0) sink({ type: 'listed', objects: this.#nodes })
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        this.#sinks.delete(sink)
        reject(signal.reason)
      })
    })
  }

  async read(name: string): Promise<FleetNode | undefined> {
    return this.#nodes.find((node) => node.name === name)
  }
}

/** One ConfigMap under versions, and every one that it was. */
export class MemoryConfigMap implements ConfigMaps {
  readonly written: ConfigMap[] = []
  now: ConfigMap | undefined
  away = false
  /** What happens right before the next write arrives. */
  before: (() => void) | undefined
  #version = 0

  async read(): Promise<ConfigMap | undefined> {
    if (this.away) throw unreachable()
    return this.now
  }

  async write(configMap: ConfigMap): Promise<ConfigMap> {
    const before = this.before
    this.before = undefined
    before?.()
    if (this.away) throw unreachable()
    if ((this.now?.resourceVersion ?? '') !== configMap.resourceVersion) {
      throw new WorldError('the object has been modified', { code: 'KUBE_CONFLICT', retry: 'now' })
    }
    this.#version += 1
    this.now = { ...configMap, resourceVersion: String(this.#version) }
    this.written.push(this.now)
    return this.now
  }
}

export class MemoryNotices implements ObjectNotices {
  readonly lines: string[] = []
  forbidden = false

  async tell({ name, reason }: ObjectNotice): Promise<void> {
    if (this.forbidden) throw new WorldError('events is forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' })
    this.lines.push(`${name} ${reason.code}`)
  }
}
