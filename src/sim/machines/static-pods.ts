import type { Timers } from '../../ground/ports/timers.ts'
import { isGoing } from '../actors/pod-object.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { ApiObject } from '../world/api-object.ts'
import { NODES, PODS } from '../world/api-resource.ts'
import { createObject } from '../world/create-object.ts'
import { deleteObject } from '../world/delete-object.ts'
import type { World } from '../world/world.ts'
import type { ApiLink } from './api-link.ts'
import type { NodePod } from './node-pod.ts'
import { MIRROR, type StaticManifests } from './static-manifests.ts'

/** What runs one of them. */
interface StaticRun {
  begin(): void
  /** Its mirror is another one, or reads otherwise. */
  update(pod: NodePod): void
  /** Tells the API how it is with the pod, as far as the API does not know. */
  report(): void
  /** Its file is gone. */
  withdraw(): void
}

interface StaticPodsParts<Run extends StaticRun> {
  readonly world: World
  readonly link: ApiLink
  /** Of the kubelet. */
  readonly life: Timers
  readonly random: SeededRandom
  /** The name of its node. */
  readonly node: string
  readonly manifests: StaticManifests
  /** `mirror`: what the API has of it, as far as it is this pod's. */
  readonly runOf: (pod: NodePod, mirror: () => NodePod | undefined) => Run
}

/** Between two looks at a pod in which nothing happens (pod_workers.go, resyncInterval and its jitter). */
const RESYNC = [1_000, 90_000] as const

/**
 * The pods that lie as files on the disk of a node. The kubelet runs them whether it reaches the API or not, and shows each there
 * as a mirror: that is deleted by others, and made anew (pkg/kubelet/kubelet.go, tryReconcileMirrorPods).
 */
export class StaticPods<Run extends StaticRun> {
  readonly #parts: StaticPodsParts<Run>
  readonly #runs = new Map<string, { readonly pod: NodePod; readonly run: Run }>()
  #mayTell = false
  #isToTryAgain = false

  constructor(parts: StaticPodsParts<Run>) {
    this.#parts = parts
  }

  get runs(): readonly Run[] {
    return [...this.#runs.values()].map(({ run }) => run)
  }

  /** The files are read. */
  read(): void {
    const pods = [...this.#parts.manifests.pods]
    for (const [uid, { run }] of [...this.#runs]) {
      if (pods.some(({ metadata }) => metadata.uid === uid)) continue
      this.#runs.delete(uid)
      run.withdraw()
    }
    for (const pod of pods) if (!this.#runs.has(pod.metadata.uid)) this.#add(pod)
  }

  /** The kubelet knows by now what the API has. */
  tell(): void {
    this.#mayTell = true
    for (const { pod, run } of this.#runs.values()) {
      this.#mirror(pod)
      run.report()
    }
  }

  /** A mirror was made, changed or deleted. False: it is no mirror. */
  hear({ metadata: { name, namespace, annotations } }: ApiObject): boolean {
    if (annotations?.[MIRROR] === undefined) return false
    for (const { pod } of this.#runs.values())
      if (pod.metadata.name === name && pod.metadata.namespace === namespace) this.#mirror(pod)
    return true
  }

  #add(pod: NodePod): void {
    const { runOf } = this.#parts
    const before = this.#shown(pod)
    const run = runOf(before?.status === undefined ? pod : { ...pod, status: withoutPhase(before.status) }, () =>
      this.#mayTell ? this.#shown(pod) : undefined,
    )
    this.#runs.set(pod.metadata.uid, { pod, run })
    run.begin()
    if (this.#mayTell) this.#mirror(pod)
  }

  #shown({ metadata }: NodePod): NodePod | undefined {
    const { world, link } = this.#parts
    if (!link.isUp()) return undefined
    const found = world.store.get(PODS, metadata) as NodePod | undefined
    return found?.metadata.annotations?.[MIRROR] === metadata.uid && !isGoing(found) ? found : undefined
  }

  #mirror(pod: NodePod): void {
    const { world, link, node } = this.#parts
    if (!link.isUp()) {
      this.#tryAgain()
      return
    }
    const old = world.store.get(PODS, pod.metadata)
    if (old !== undefined && this.#shown(pod) === undefined) {
      // A pod of the same name that is none of its mirrors is not the kubelet's to delete.
      if (old.metadata.annotations?.[MIRROR] === undefined) return
      deleteObject(world, { resource: PODS, old, options: { gracePeriodSeconds: 0 } })
    }
    const owner = world.store.get(NODES, { name: node })
    if (owner === undefined) {
      this.#tryAgain()
      return
    }
    if (this.#shown(pod) === undefined) createObject(world, mirrorOf(pod, owner))
    this.#runs.get(pod.metadata.uid)?.run.update(pod)
  }

  /** The Node is gone, or the API away: both are asked for again when the pod is looked at (`syncFrequency`, with its jitter). */
  #tryAgain(): void {
    if (this.#isToTryAgain) return
    this.#isToTryAgain = true
    const { life, random } = this.#parts
    life.later(random.between(...RESYNC), () => {
      this.#isToTryAgain = false
      this.tell()
    })
  }
}

/** A static pod that has ended runs again once its node has booted. */
const withoutPhase = ({ phase: _, ...rest }: NonNullable<NodePod['status']>): NonNullable<NodePod['status']> => rest

/** pkg/kubelet/pod/mirror_client.go, CreateMirrorPod. */
function mirrorOf({ metadata, spec }: NodePod, owner: ApiObject): Parameters<typeof createObject>[1] {
  const { name, namespace, labels = {}, annotations, uid } = metadata
  const { name: node, uid: nodeUid } = owner.metadata
  return {
    resource: PODS,
    ...(namespace === undefined ? {} : { namespace }),
    body: {
      metadata: {
        name,
        namespace,
        labels,
        annotations: { ...annotations, [MIRROR]: uid },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node, uid: nodeUid, controller: true }],
      },
      spec,
    },
  }
}
