import type { Timers } from '../../ground/ports/timers.ts'
import { NODES, PODS } from '../world/api-resource.ts'
import type { Change } from '../world/store.ts'
import type { World } from '../world/world.ts'
import { disruptPod } from './disrupt-pod.ts'
import type { NodeObject } from './node-object.ts'
import { podIndexOf } from './pod-index.ts'
import { isGoing, type PodObject, type Taint, type Toleration, tolerates } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'

const LAG_MS = 10

/** Deletes pods from nodes with a NoExecute taint once their tolerations end. The returned function ends it. */
export function runTaintEviction(parts: ActorParts): () => void {
  const { world } = parts
  const eviction = new TaintEviction(parts)
  const end = runReconciler(parts, {
    watches: [
      [NODES, (change) => (haveTaintsChanged(change) ? [change.object.metadata.name] : [])],
      [PODS, (change) => placedOn(world, change)],
    ],
    lagMs: LAG_MS,
    sync: (node) => {
      eviction.visit(node)
      return undefined
    },
  })
  return () => {
    end()
    eviction.end()
  }
}

const drivingOut = ({ spec }: NodeObject): readonly Taint[] =>
  (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')

const tells = (node: NodeObject | undefined): string =>
  (node === undefined ? [] : drivingOut(node)).map(({ key, value = '' }) => `${key}=${value}`).join(' ')

const haveTaintsChanged = ({ object, previous }: Change): boolean =>
  tells(object as NodeObject) !== tells(previous as NodeObject | undefined)

function placedOn(world: World, { type, object, previous }: Change): readonly string[] {
  const { nodeName = '' } = (object as PodObject).spec
  if (type === 'DELETED' || nodeName === '' || (previous as PodObject | undefined)?.spec.nodeName === nodeName)
    return []
  const node = world.store.get(NODES, { name: nodeName }) as NodeObject | undefined
  return node !== undefined && drivingOut(node).length > 0 ? [nodeName] : []
}

interface Planned {
  readonly callOff: () => void
  readonly node: string
}

class TaintEviction {
  readonly #world: World
  readonly #timers: Timers
  /** By the pod's uid. */
  readonly #planned = new Map<string, Planned>()

  constructor({ world, timers }: ActorParts) {
    this.#world = world
    this.#timers = timers
  }

  visit(name: string): void {
    const node = this.#world.store.get(NODES, { name }) as NodeObject | undefined
    const taints = node === undefined ? [] : drivingOut(node)
    if (taints.length === 0) {
      for (const [uid, planned] of [...this.#planned]) if (planned.node === name) this.#callOff(uid)
      return
    }
    for (const pod of podIndexOf(this.#world).onNode(name)) {
      if (!isGoing(pod)) this.#judge(pod, taints, name)
    }
  }

  end(): void {
    for (const { callOff } of this.#planned.values()) callOff()
    this.#planned.clear()
  }

  /** The time runs from when its taints were first seen, whatever taint comes later (taint_eviction.go, processPodOnNode). */
  #judge(pod: PodObject, taints: readonly Taint[], node: string): void {
    const { uid, name, namespace = '' } = pod.metadata
    const bearable = bearableMs(pod.spec.tolerations ?? [], taints)
    if (bearable === Number.POSITIVE_INFINITY) this.#callOff(uid)
    else if (!this.#planned.has(uid) || bearable === 0) {
      this.#callOff(uid)
      const run = (): void => {
        this.#planned.delete(uid)
        const now = this.#world.store.get(PODS, { name, namespace }) as PodObject | undefined
        if (now?.metadata.uid === uid && !isGoing(now)) this.#evict(now)
      }
      this.#planned.set(uid, { callOff: this.#timers.later(bearable, run), node })
    }
  }

  #evict(pod: PodObject): void {
    const reason = 'DeletionByTaintManager'
    disruptPod(this.#world, { pod, reason, message: 'Taint manager: deleting due to NoExecute taint', options: {} })
  }

  #callOff(uid: string): void {
    this.#planned.get(uid)?.callOff()
    this.#planned.delete(uid)
  }
}

/** The shortest time of any toleration; 0 where a taint is not tolerated (taint_eviction.go, getMinTolerationTime). */
function bearableMs(tolerations: readonly Toleration[], taints: readonly Taint[]): number {
  const used = taints.map((taint) => tolerations.filter((toleration) => tolerates([toleration], taint)))
  if (used.some((found) => found.length === 0)) return 0
  const limits = used
    .flat()
    .flatMap(({ tolerationSeconds }) =>
      tolerationSeconds === undefined ? [] : [Math.max(0, tolerationSeconds) * 1000],
    )
  return limits.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...limits)
}
