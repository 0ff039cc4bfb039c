import type { DaemonPlacement } from './daemon-placement.ts'
import type { DaemonSetObject } from './daemon-set-object.ts'
import { omitZeros } from './omit-zeros.ts'
import { isAvailable } from './pod-availability.ts'
import { isReady, type PodObject } from './pod-object.ts'

export interface DaemonNode extends DaemonPlacement {
  /** The pods of the set, on the node or made for it; also those that are being deleted. */
  readonly pods: readonly PodObject[]
}

interface DaemonCounts {
  readonly desired: number
  readonly current: number
  readonly misplaced: number
  readonly ready: number
  readonly updated: number
  readonly available: number
}

export interface DaemonRules {
  readonly isCurrent: (pod: PodObject) => boolean
  readonly minReadySeconds: number
  readonly nowMs: number
}

/** What one node adds to the status of a DaemonSet (daemon_controller.go, updateDaemonSetStatus). */
export function daemonCounts({ shouldRun, pods }: DaemonNode, rules: DaemonRules): DaemonCounts {
  const [pod] = shouldRun ? pods : []
  return {
    desired: Number(shouldRun),
    current: Number(pod !== undefined),
    misplaced: Number(!shouldRun && pods.length > 0),
    ready: Number(pod !== undefined && isReady(pod)),
    updated: Number(pod !== undefined && rules.isCurrent(pod)),
    available: Number(pod !== undefined && isAvailable(pod, rules.minReadySeconds, rules.nowMs)),
  }
}

const NOTHING: DaemonCounts = { desired: 0, current: 0, misplaced: 0, ready: 0, updated: 0, available: 0 }

/** The sum over all nodes, updated with each change: a DaemonSet of a thousand nodes is not counted anew for each pod. */
export class DaemonTally {
  readonly #nodes = new Map<string, DaemonCounts>()
  #total = NOTHING

  get total(): DaemonCounts {
    return this.#total
  }

  /** undefined: the node is gone. */
  set(node: string, counts: DaemonCounts | undefined): void {
    const before = this.#nodes.get(node) ?? NOTHING
    const now = counts ?? NOTHING
    if (counts === undefined) this.#nodes.delete(node)
    else this.#nodes.set(node, counts)
    const total = this.#total
    this.#total = {
      desired: total.desired + now.desired - before.desired,
      current: total.current + now.current - before.current,
      misplaced: total.misplaced + now.misplaced - before.misplaced,
      ready: total.ready + now.ready - before.ready,
      updated: total.updated + now.updated - before.updated,
      available: total.available + now.available - before.available,
    }
  }

  status({ metadata }: DaemonSetObject): Readonly<Record<string, number>> {
    const { desired, current, misplaced, ready, updated, available } = this.#total
    return {
      currentNumberScheduled: current,
      numberMisscheduled: misplaced,
      desiredNumberScheduled: desired,
      numberReady: ready,
      ...omitZeros({
        observedGeneration: metadata.generation ?? 0,
        updatedNumberScheduled: updated,
        numberAvailable: available,
        numberUnavailable: desired - available,
      }),
    }
  }
}
