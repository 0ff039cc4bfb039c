import type { PodObject } from '../../../src/sim/actors/pod-object.ts'
import type { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'

/** As kubectl tries a pod again that a budget protects. */
const EVICT_AGAIN_MS = 5_000
const LOOK_EVERY_MS = 200

interface DrainedNode {
  readonly time: Pick<VirtualTime, 'later'>
  /** Of those that a drain asks to go. */
  podsThere(): readonly PodObject[]
  /** A number: refused with that status. */
  evict(pod: PodObject): unknown
}

/**
 * As `kubectl drain --ignore-daemonsets` of a node that is cordoned: every pod that is there is asked to go, again and again while a budget
 * protects it, until none is left.
 */
export function kubectlDrain({ time, podsThere, evict }: DrainedNode): { isOver: () => boolean } {
  let isOver = false
  const left = new Set(podsThere().map(({ metadata }) => metadata.uid))
  const look = (): void => {
    isOver = podsThere().every(({ metadata }) => !left.has(metadata.uid))
    if (!isOver) time.later(LOOK_EVERY_MS, look)
  }
  const ask = (uid: string): void => {
    const pod = podsThere().find(({ metadata }) => metadata.uid === uid)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
    if (typeof evict(pod) === 'number') time.later(EVICT_AGAIN_MS, () => ask(uid))
  }
  for (const uid of left) ask(uid)
  look()
  return { isOver: () => isOver }
}
