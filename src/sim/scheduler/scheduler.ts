import { ObjectIndex } from '../actors/object-index.ts'
import { isFinished, isGoing, type PodObject } from '../actors/pod-object.ts'
import { type ActorParts, runReconciler } from '../actors/run-reconciler.ts'
import type { ApiObject } from '../world/api-object.ts'
import { NODES, PODS, VOLUME_CLAIMS, VOLUMES } from '../world/api-resource.ts'
import { type Change, keyOf } from '../world/store.ts'
import { type PickNode, placer } from './place-pod.ts'
import { driveOut } from './preemption.ts'
import { requeues, requeuesItself } from './requeue-hints.ts'
import { WaitingPods } from './waiting-pods.ts'

const LAG_MS = 20
const WAITING = 'waiting'
/** How long a pod waits that no change has brought back, and how often such pods are looked for (scheduling_queue.go). */
const LONGEST_WAIT_MS = 300_000
const LOOK_MS = 30_000

/** Gives pods without a node one, where one takes them. The returned function ends it. */
export function runScheduler(parts: ActorParts, pick?: PickNode): () => void {
  const { world } = parts
  const startedMs = world.clock.wallMs()
  const waiting = new ObjectIndex<PodObject>(world.store, PODS, (pod) => (isWaiting(pod) ? [WAITING] : []))
  const refused = new WaitingPods()
  const place = placer(world, pick)
  const again = (change: Change): readonly string[] => {
    if (refused.areNone) return []
    const isRequeued = requeues(change)
    const pods = waiting.of(WAITING).filter((pod) => isRequeued(pod, refused.refusedBy(pod)))
    return refused.inTurn(pods, world.clock.wallMs()).map(({ metadata }) => keyOf(metadata))
  }
  const end = runReconciler(parts, {
    watches: [
      [PODS, (change) => (isToTry(change, refused) ? [keyOf(change.object.metadata)] : [])],
      [PODS, again],
      [NODES, again],
      [VOLUME_CLAIMS, again],
      [VOLUMES, again],
    ],
    lagMs: LAG_MS,
    sync: (key) => {
      const [namespace = '', name = ''] = key.split('/')
      const pod = world.store.get(PODS, { namespace, name }) as PodObject | undefined
      if (pod === undefined || !isWaiting(pod)) return undefined
      const nowMs = world.clock.wallMs()
      const outcome = place(pod)
      if (outcome === undefined) {
        refused.forget(pod.metadata.uid)
        return undefined
      }
      refused.refused(pod, outcome.by, nowMs)
      if (outcome.driven !== undefined) driveOut(world, pod, outcome.driven)
      return LONGEST_WAIT_MS + LOOK_MS - ((nowMs - startedMs) % LOOK_MS)
    },
  })
  const forget = world.store.subscribe(PODS, ({ type, object }) => {
    if (type === 'DELETED') refused.forget(object.metadata.uid)
  })
  return () => {
    end()
    forget()
    waiting.end()
  }
}

function isWaiting(object: ApiObject): boolean {
  const pod = object as PodObject
  return (pod.spec.nodeName ?? '') === '' && !isGoing(pod) && !isFinished(pod)
}

/** It is new to the queue, or it has changed in what kept it away. */
function isToTry({ type, object, previous }: Change, refused: WaitingPods): boolean {
  if (type === 'DELETED' || !isWaiting(object)) return false
  if (previous === undefined || !isWaiting(previous)) return true
  const pod = object as PodObject
  return requeuesItself(pod, previous as PodObject, refused.refusedBy(pod))
}
