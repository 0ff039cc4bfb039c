import type { Node } from '../../src/ground/model/node.ts'
import type { DetacherSpec } from '../../src/service/model/detacher.ts'
import type { MemoryCluster } from './memory-cluster.ts'
import type { VirtualClock } from './virtual-clock.ts'

const AFTER_MS = 4_000

/** A detacher as node-detacher is: it goes by the key alone, and answers after a while. `away`: it does nothing. */
export class MemoryDetacher {
  away = false
  readonly #over = new AbortController()

  constructor(cluster: MemoryCluster, clock: VirtualClock, spec: DetacherSpec) {
    void this.#work({ cluster, clock, spec })
  }

  end(): void {
    this.#over.abort()
  }

  async #work({ cluster, clock, spec }: { cluster: MemoryCluster; clock: VirtualClock; spec: DetacherSpec }) {
    while (!this.#over.signal.aborted) {
      await clock.sleep(AFTER_MS, this.#over.signal).catch(() => undefined)
      if (this.away || this.#over.signal.aborted) continue
      const at = new Date(clock.wallMs()).toISOString()
      for (const { name, annotations } of await cluster.list('nodes')) {
        const after = answered(annotations, spec, at)
        if (after !== undefined) cluster.change(name, { annotations: after })
      }
    }
  }
}

function answered(
  annotations: Node['annotations'],
  { request, detachedKey, attachedKey = '' }: DetacherSpec,
  at: string,
): Node['annotations'] | undefined {
  const { [detachedKey]: detached, ...others } = annotations
  const isDetached = detached !== undefined && !(others[attachedKey] !== undefined && others[attachedKey] >= detached)
  if (request.key in annotations) return isDetached ? undefined : { ...annotations, [detachedKey]: at }
  return isDetached ? { ...others, [attachedKey]: at } : undefined
}
