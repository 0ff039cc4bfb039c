import { isReady, type PodObject } from '../../../../src/sim/actors/pod-object.ts'
import type { Checker } from './checker.ts'
import type { Scene } from './scene.ts'

const NAME = 'quorum-kept'
/** From the last look at the members until the reboot arrives: a slow API takes its time for the announcement in between. */
const SENT_MS = 9_000

/** A machine that has a member of etcd is rebooted only while so many of the others are Ready that etcd has its quorum. */
export function quorumKept(scene: Scene): Checker {
  /** When each member was Ready last, by the name of its pod. */
  const readyMs = new Map<string, number>()
  const members = (): readonly PodObject[] =>
    scene.pods().filter(({ metadata }) => metadata.labels?.component === 'etcd')
  return {
    onLook: () => {
      for (const pod of members()) if (isReady(pod)) readyMs.set(pod.metadata.name, scene.nowMs)
    },
    onAsked: ({ request }) => {
      if (request.kind !== 'reboot') return
      const all = members()
      const others = all.filter(({ spec }) => spec.nodeName !== request.node)
      if (others.length === all.length) return
      const ready = others.filter(({ metadata }) => scene.nowMs - (readyMs.get(metadata.name) ?? 0) <= SENT_MS)
      if (ready.length < Math.floor(all.length / 2) + 1)
        scene.tell(NAME, `${request.node} is rebooted with ${ready.length} of ${all.length} members of etcd left`)
    },
  }
}
