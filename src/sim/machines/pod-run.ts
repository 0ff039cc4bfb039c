import { isDeepStrictEqual } from 'node:util'
import { present } from '../../ground/model/present.ts'
import { isGoing } from '../actors/pod-object.ts'
import { PODS } from '../world/api-resource.ts'
import { deleteObject } from '../world/delete-object.ts'
import { stampOf } from '../world/world.ts'
import type { ApiLink } from './api-link.ts'
import { areVolumesAttached } from './are-volumes-attached.ts'
import { Lifetime } from './lifetime.ts'
import type { NodePod } from './node-pod.ts'
import { graceMsOf, PodContainers, type PodContainersParts } from './pod-containers.ts'
import { podPhase } from './pod-phase.ts'
import { type PodFailure, podStatus } from './pod-status.ts'

interface PodRunParts extends PodContainersParts {
  readonly link: ApiLink
  /** False: the node's network is not ready, so that no sandbox can be made. */
  readonly canStart: boolean
  /** Of a static pod: what the API has of it. */
  readonly mirror?: () => NodePod | undefined
  /** Nothing of the pod is left on the node. */
  readonly onOver: () => void
}

type Span = readonly [leastMs: number, mostMs: number]

/** From hearing of a pod until its container runs; with the first probe it is Ready within 1 to 2 s (measured). */
const START: Span = [650, 950]
/** Between two looks whether its volumes are attached. */
const ATTACH: Span = [250, 350]
/** From the end of the last container until its sandbox is gone, and from there until the API forgets the pod. */
const SANDBOX: Span = [20, 80]
const REMOVAL: Span = [200, 800]

/** Until a kubelet compares what the API has of its pods with what it knows (pkg/kubelet/status/status_manager.go, syncPeriod). */
const RECONCILE: Span = [0, 10_000]

const ENDED = ['Succeeded', 'Failed']

/** One pod on its node, from when the kubelet hears of it until nothing of it is left. */
export class PodRun {
  readonly #parts: PodRunParts
  readonly #containers: PodContainers
  #pod: NodePod
  #written: NodePod['status']
  /** Timers of the run; none of them runs once the pod has to end. */
  #plans: Lifetime
  /** Its containers have done their work. */
  #isFinished = false
  #isEnding = false
  /** None of its containers runs, and none is started any more. */
  #hasEnded = false
  #isCleared = false
  #hasVanished = false
  #isToReconcile = false
  #failure: PodFailure | undefined
  #onFailed: (() => void) | undefined

  constructor(parts: PodRunParts, pod: NodePod) {
    this.#parts = parts
    this.#pod = pod
    this.#plans = new Lifetime(parts.life)
    this.#containers = new PodContainers(parts, { pod, stamp: this.#stamp(), onChange: () => this.#changed() })
  }

  begin(): void {
    if (isGoing(this.#pod)) {
      this.#end(0)
      return
    }
    if (!this.#isOver() && this.#parts.canStart) this.#startWithin(START)
    this.#write()
  }

  /** The pod shows what was written here last, and no change is wanted. */
  isSettled(pod: NodePod): boolean {
    return pod.status === this.#written && pod.spec === this.#pod.spec && !isGoing(pod)
  }

  /** Its object is so now. What others wrote of its status is set right later, unless they may make it Ready. */
  update(pod: NodePod): void {
    this.#pod = pod
    this.#containers.update(pod)
    if (isGoing(pod)) this.#end(1_000 * (pod.metadata.deletionGracePeriodSeconds ?? 0))
    if (this.#isCleared || pod.spec.readinessGates !== undefined) this.report()
    else this.#reconcile()
  }

  /** Tells the API how it is with the pod, as far as the API does not know. */
  report(): void {
    if (this.#isCleared) this.#remove()
    else this.#write()
  }

  /** The API no longer knows the pod: a client forced its deletion. */
  vanish(): void {
    this.#hasVanished = true
    this.#end(0)
    if (this.#isCleared) this.#remove()
  }

  /** Its file is gone. */
  withdraw(): void {
    this.#end(graceMsOf(this.#pod))
  }

  /** Its kubelet makes it end, within so long, and says that it failed (nodeshutdown_manager.go, killPods). */
  fail(failure: PodFailure, { graceMs, ended }: { readonly graceMs: number; readonly ended: () => void }): void {
    if (this.#hasEnded || this.#isFinished) {
      ended()
      return
    }
    this.#failure = failure
    this.#onFailed = ended
    this.#end(Math.min(graceMs, graceMsOf(this.#pod)))
  }

  /** The machine stops: SIGTERM, without a message to the API. `ended` is called when the pod has ended. */
  shutDown(ended: () => void): void {
    this.#containers.terminate(ended)
  }

  #startWithin(span: Span): void {
    const { world, node } = this.#parts
    this.#plan(span, () => {
      if (areVolumesAttached(world, this.#pod, node.name)) this.#containers.start()
      else this.#startWithin(ATTACH)
    })
  }

  /** What has done its work leaves no sandbox behind. */
  #changed(): void {
    if (!this.#isEnding && !this.#isFinished && this.#isOver()) {
      this.#isFinished = true
      this.#containers.end(graceMsOf(this.#pod), () => this.#containers.remove())
    }
    this.#write()
  }

  #reconcile(): void {
    if (this.#isToReconcile) return
    this.#isToReconcile = true
    this.#parts.life.later(this.#parts.random.between(...RECONCILE), () => {
      this.#isToReconcile = false
      this.#write()
    })
  }

  #isOver(): boolean {
    return ENDED.includes(this.#phase())
  }

  #phase(): string {
    const { inits, mains } = this.#containers
    return podPhase(this.#pod, { inits, mains, hasEnded: this.#hasEnded })
  }

  #end(graceMs: number): void {
    // A kubelet that is stopping a container ignores a shorter grace (kubelet.go, SyncTerminatingPod; seen on 1.35).
    if (this.#isEnding) return
    this.#isEnding = true
    this.#plans.end()
    this.#plans = new Lifetime(this.#parts.life)
    this.#containers.end(graceMs, () => this.#clear())
  }

  /** Since 1.27 a pod that ended by deletion shows how it ended before it goes (KEP-3329). */
  #clear(): void {
    this.#plan(SANDBOX, () => {
      this.#containers.remove()
      this.#hasEnded = true
      this.#write()
      this.#onFailed?.()
      this.#plan(REMOVAL, () => {
        this.#isCleared = true
        this.#remove()
      })
    })
  }

  #remove(): void {
    const { world, link, onOver } = this.#parts
    if (!this.#hasVanished) {
      if (!link.isUp()) return
      const old = this.#shown()
      // What failed stays until somebody deletes it.
      const mayGo = this.#failure === undefined || (old !== undefined && isGoing(old))
      if (old !== undefined && mayGo) deleteObject(world, { resource: PODS, old, options: { gracePeriodSeconds: 0 } })
    }
    onOver()
  }

  /** As the API has it; undefined where that is another pod by now. */
  #shown(): NodePod | undefined {
    const { world, mirror } = this.#parts
    if (mirror !== undefined) return mirror()
    const found = world.store.get(PODS, this.#pod.metadata) as NodePod | undefined
    return found?.metadata.uid === this.#pod.metadata.uid ? found : undefined
  }

  #write(): void {
    const { world, link, life, node } = this.#parts
    if (this.#hasVanished || life.isOver || !link.isUp()) return
    const now = this.#shown()
    if (now === undefined) return
    const { inits, mains, address } = this.#containers
    const failed = this.#hasEnded ? this.#failure : undefined
    // What ended well has succeeded, but for a static pod, which never does (kubelet_pods.go, getPhase and generateAPIPodStatus).
    const phase = failed !== undefined && this.#parts.mirror !== undefined ? 'Failed' : this.#phase()
    const state = { phase, inits, mains, ...present({ address, failed }) }
    const status = podStatus(now, state, { node, stamp: this.#stamp() })
    if (isDeepStrictEqual(status, now.status)) return
    this.#written = status
    world.store.put(PODS, { ...now, status })
  }

  #plan([leastMs, mostMs]: Span, run: () => void): void {
    this.#plans.later(this.#parts.random.between(leastMs, mostMs), run)
  }

  #stamp(): string {
    return stampOf(this.#parts.world.clock.wallMs())
  }
}
