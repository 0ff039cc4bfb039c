import { controllerOf, isFinished, type PodObject } from '../../../../src/sim/actors/pod-object.ts'
import { NODES, PODS } from '../../../../src/sim/world/api-resource.ts'
import type { Checker } from './checker.ts'
import type { Scene } from './scene.ts'

const NAME = 'reboot-only-out'

/** From the last look at a node until the reboot arrives; people may uncordon it meanwhile, or delete its Node, and pods may come. */
const SENT_MS = 1_500

/**
 * A machine is rebooted only while its node is cordoned, in no balancer's list, announced, and carries no pod that could
 * have been evicted; and each roll boots it once at most. `drained`: labels `app` of DaemonSets that leave too.
 */
export function rebootOnlyOut(scene: Scene, drained: readonly string[]): Checker {
  /** When each pod came to its node. */
  const cameMs = new Map<string, number>()
  const hasJustCome = ({ metadata }: PodObject): boolean =>
    scene.nowMs - (cameMs.get(metadata.uid) ?? Number.NEGATIVE_INFINITY) <= SENT_MS
  const wasJustDeleted = (name: string): boolean =>
    scene.registeredAnew.has(name) &&
    scene.handOutages.some(({ node, from }) => node === name && from <= scene.nowMs && scene.nowMs - from <= SENT_MS)
  return {
    onChange: ({ resource, object }) => {
      const { metadata, spec } = object as PodObject
      if (resource === PODS && spec.nodeName !== undefined && !cameMs.has(metadata.uid))
        cameMs.set(metadata.uid, scene.nowMs)
    },
    onAsked: ({ request }) => {
      if (request.kind !== 'reboot') return
      const { node: name } = request
      const node = scene.cluster.world.store.get(NODES, { name })
      const { unschedulable = false } = (node?.spec ?? {}) as { unschedulable?: boolean }
      if (!unschedulable && !scene.wasCordonedByHand(SENT_MS)) scene.tell(NAME, `${name} is rebooted and not cordoned`)
      if (!scene.isAnnounced(name) && !wasJustDeleted(name))
        scene.tell(NAME, `${name} is rebooted and nothing on it says so`)
      for (const { key } of scene.servers().filter((server) => server.node === name && scene.takenOut.isSentTo(server)))
        scene.tell(NAME, `${name} is rebooted while ${key} sends to it`)
      for (const pod of scene.pods()) {
        if (pod.spec.nodeName === name && isEvictable(pod, drained) && !hasJustCome(pod))
          scene.tell(NAME, `${name} is rebooted with ${pod.metadata.name} on it`)
      }
    },
    onLook: () => {
      for (const { name, boots } of scene.cluster.machines.all()) {
        const before = scene.prior.boots.get(name) ?? 0
        const most = scene.rolls + (scene.handBoots.get(name) ?? 0)
        if (boots - before > most) scene.tell(NAME, `${name} booted ${boots - before} times`)
      }
    },
  }
}

function isEvictable(pod: PodObject, drained: readonly string[]): boolean {
  if (isFinished(pod) || pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return false
  return controllerOf(pod)?.kind !== 'DaemonSet' || drained.includes(pod.metadata.labels?.app ?? '')
}
