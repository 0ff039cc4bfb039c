import { controllerOf, isGoing, isReady, type PodObject } from '../../../../src/sim/actors/pod-object.ts'
import type { Checker } from './checker.ts'
import { announcedNode, recordedNode } from './no-attach-before-proof.ts'
import type { Scene } from './scene.ts'

const NAME = 'replaced-first'
const REPLACED: readonly (string | undefined)[] = ['ReplicaSet', 'StatefulSet']

/**
 * A machine is rebooted only where each workload that had a pod on it has as many Ready pods as when it was recorded. Nothing is
 * asked of a workload whose pod found no node when the reboot was announced, which cannot be taken back, or finds none now, and while
 * another machine is away.
 */
export function replacedFirst(scene: Scene): Checker {
  /** Per node: how many pods of each workload were Ready when it was recorded, by the label `app`. */
  const before = new Map<string, ReadonlyMap<string, number>>()
  /** Per node: workloads with a pod that found no node when its reboot was announced. */
  const without = new Map<string, ReadonlySet<string>>()
  return {
    onAsked: ({ request }) => {
      const recorded = recordedNode(request)
      if (recorded !== undefined) before.set(recorded, readyBefore(scene, recorded))
      const announced = announcedNode(request)
      if (announced !== undefined) without.set(announced, unplaced(scene))
      if (request.kind !== 'reboot' || scene.wasOutAt(scene.nowMs)) return
      for (const [app, wanted] of before.get(request.node) ?? []) {
        if (without.get(request.node)?.has(app) === true) continue
        const pods = podsOf(scene, app)
        const ready = pods.filter((pod) => isReady(pod) && !isGoing(pod)).length
        // Another node that may be out beside this one has one of its pods on the way.
        if (ready + scene.mostOut - 1 < wanted && pods.every(({ spec }) => spec.nodeName !== undefined))
          scene.tell(NAME, `${request.node} is rebooted while ${app} has ${ready} Ready pods, and had ${wanted}`)
      }
    },
  }
}

const podsOf = (scene: Scene, app: string): readonly PodObject[] =>
  scene.pods().filter((pod) => pod.metadata.labels?.app === app && REPLACED.includes(controllerOf(pod)?.kind))

const unplaced = (scene: Scene): ReadonlySet<string> =>
  new Set(
    scene
      .pods()
      .filter(({ spec }) => spec.nodeName === undefined)
      .map(({ metadata }) => metadata.labels?.app ?? ''),
  )

function readyBefore(scene: Scene, node: string): ReadonlyMap<string, number> {
  const here = scene
    .pods()
    .filter((pod) => pod.spec.nodeName === node && REPLACED.includes(controllerOf(pod)?.kind))
    .map(({ metadata }) => metadata.labels?.app ?? '')
  return new Map(
    here.map((app) => [app, podsOf(scene, app).filter((pod) => isReady(pod) && !isGoing(pod)).length] as const),
  )
}
