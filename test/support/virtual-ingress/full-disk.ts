import type { PodObject } from '../../../src/sim/actors/pod-object.ts'
import { PODS } from '../../../src/sim/world/api-resource.ts'
import type { IngressGround } from './ingress-ground.ts'

/**
 * Pods of a node fail at once while its disk is full, as a kubelet under pressure rejects those that it is to run; and while its machine
 * goes down.
 */
export class FullDisk {
  rejected = 0
  #isFull = false
  #reason = ''
  readonly #ground: IngressGround
  readonly #node: string
  readonly #version: string | undefined

  /** `version`: it rejects pods of that one alone. */
  constructor(ground: IngressGround, node: string, version?: string) {
    this.#ground = ground
    this.#node = node
    this.#version = version
    const { world, time } = ground.cluster
    world.store.subscribe(PODS, ({ object }) => {
      if (this.#isFull && this.#isMeant(object as PodObject)) time.later(1, () => this.#reject(object as PodObject))
    })
  }

  /** Those that run fail as well. */
  fill(): void {
    this.#failAll('Evicted')
  }

  /** As a kubelet with a graceful shutdown has it: it deletes none of them. */
  shutDown(): void {
    this.#failAll('Terminated')
    this.#reason = 'NodeShutdown'
  }

  #failAll(reason: string): void {
    this.#isFull = true
    this.#reason = reason
    for (const pod of this.#ground.pods()) if (this.#isMeant(pod)) this.#reject(pod)
  }

  empty(): void {
    this.#isFull = false
  }

  #isMeant({ spec, metadata, status }: PodObject): boolean {
    const isOver = metadata.deletionTimestamp !== undefined || status?.phase === 'Failed'
    const isOfVersion = this.#version === undefined || JSON.stringify(spec).includes(`"value":"${this.#version}"`)
    return spec.nodeName === this.#node && !isOver && isOfVersion
  }

  #reject({ metadata: { namespace = '', name, uid } }: PodObject): void {
    const { store } = this.#ground.cluster.world
    const pod = store.get(PODS, { namespace, name }) as PodObject | undefined
    if (pod === undefined || pod.metadata.uid !== uid || !this.#isMeant(pod)) return
    this.rejected += 1
    store.put(PODS, { ...pod, status: { ...pod.status, phase: 'Failed', reason: this.#reason, conditions: [] } })
  }
}
