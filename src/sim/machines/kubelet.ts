import type { Timers } from '../../ground/ports/timers.ts'
import { isFinished } from '../actors/pod-object.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { DataPlane } from '../plane/data-plane.ts'
import type { World } from '../world/world.ts'
import type { ApiAccess } from './api-access.ts'
import { ApiLink } from './api-link.ts'
import type { KubeletSettings } from './kubelet-settings.ts'
import { Lifetime } from './lifetime.ts'
import { NodeHeartbeat } from './node-heartbeat.ts'
import type { NodePod } from './node-pod.ts'
import type { NodeSpec } from './node-spec.ts'
import { PodRun } from './pod-run.ts'
import type { PodsOfNodes } from './pods-of-nodes.ts'
import { Reflector } from './reflector.ts'

interface KubeletParts {
  readonly world: World
  readonly timers: Timers
  readonly random: SeededRandom
  readonly plane: DataPlane
  readonly pods: PodsOfNodes
  readonly access: ApiAccess
  readonly settings: KubeletSettings
  readonly node: NodeSpec
  readonly bootId: string
  /** False: its network never comes up. */
  readonly isReady: boolean
}

type Span = readonly [leastMs: number, mostMs: number]

/** From the Node's new boot id until the first pods are checked: until then all read Ready from before (measured: 0.7 s). */
const STALE: Span = [700, 800]
/** From then until each of them is updated, one by one (measured: up to 0.25 s). */
const SPREAD: Span = [0, 250]
/** From a write until the kubelet knows of it. */
const WATCH: Span = [5, 30]
/** Until it writes what it could not write before (status_manager.go, syncPeriod). */
const STATUS_SYNC: Span = [0, 10_000]

/** The kubelet of one node, for one boot of its machine. */
export class Kubelet {
  readonly #parts: KubeletParts
  readonly #life: Lifetime
  /** What it writes by. */
  readonly #link: ApiLink
  /** Of its pods. */
  readonly #reflector: Reflector
  readonly #heartbeat: NodeHeartbeat
  readonly #runs = new Map<string, PodRun>()
  /** Uids of pods that are about to be looked at. */
  readonly #heardOf = new Set<string>()
  #hasBegun = false
  #unfollow: (() => void) | undefined

  constructor(parts: KubeletParts) {
    const { access, random } = parts
    this.#parts = parts
    this.#life = new Lifetime(parts.timers)
    const timers = this.#life
    this.#link = new ApiLink({ access, timers, random, onBack: () => this.#tellAgain() })
    this.#reflector = new Reflector({ access, timers, random, onBack: () => this.#relist() })
    this.#heartbeat = new NodeHeartbeat({ ...parts, timers, link: this.#link })
  }

  /** Without the API it waits for it: it does not know what to run. */
  start(): void {
    if (this.#hasBegun || !this.#link.isUp()) return
    this.#hasBegun = true
    const { random } = this.#parts
    this.#heartbeat.begin(() => this.#life.later(random.between(...STALE), () => this.#resumePods()))
  }

  /** The kubelet and its containers have to end; it reports nothing about that to the API. `ended`: the last container has. */
  shutDown(ended: () => void): void {
    this.cut()
    let left = this.#runs.size
    if (left === 0) ended()
    for (const run of [...this.#runs.values()]) {
      run.shutDown(() => {
        left -= 1
        if (left === 0) ended()
      })
    }
  }

  /** The power is gone: the kubelet ends at once. */
  cut(): void {
    this.#unfollow?.()
    this.#life.end()
  }

  #tellAgain(): void {
    if (!this.#hasBegun) {
      this.start()
      return
    }
    this.#heartbeat.beat()
    this.#life.later(this.#parts.random.between(...STATUS_SYNC), () => {
      for (const run of [...this.#runs.values()]) run.report()
    })
  }

  #relist(): void {
    if (this.#unfollow === undefined) return
    const { pods, node } = this.#parts
    const known = new Map(pods.of(node.name).map((pod) => [pod.metadata.uid, pod]))
    for (const [uid, run] of [...this.#runs]) if (!known.has(uid)) run.vanish()
    for (const pod of known.values()) this.#sync(pod)
  }

  #resumePods(): void {
    const { pods, node, random } = this.#parts
    this.#unfollow = pods.follow(node.name, (pod, isGone) => this.#hear(pod, isGone))
    for (const { metadata } of pods.of(node.name)) {
      this.#life.later(random.between(...SPREAD), () => {
        const pod = pods.get(metadata)
        if (pod?.metadata.uid === metadata.uid && this.#reflector.isFollowing) this.#sync(pod)
      })
    }
  }

  #hear(heard: NodePod, isGone: boolean): void {
    const { pods, random } = this.#parts
    const { metadata } = heard
    const { uid } = metadata
    if (!isGone && this.#runs.get(uid)?.isSettled(heard) === true) return
    if (!this.#reflector.isFollowing || this.#heardOf.has(uid)) return
    this.#heardOf.add(uid)
    this.#life.later(random.between(...WATCH), () => {
      this.#heardOf.delete(uid)
      if (!this.#reflector.isFollowing) return
      const pod = pods.get(metadata)
      if (pod?.metadata.uid === uid) this.#sync(pod)
      else this.#runs.get(uid)?.vanish()
    })
  }

  #sync(pod: NodePod): void {
    const { uid } = pod.metadata
    const run = this.#runs.get(uid)
    if (run !== undefined) {
      run.update(pod)
      return
    }
    if (isFinished(pod) && !isLeft(pod)) return
    const { isReady } = this.#parts
    const made = new PodRun(
      {
        ...this.#parts,
        link: this.#link,
        life: this.#life,
        canStart: isReady,
        onOver: () => this.#runs.delete(uid),
      },
      pod,
    )
    this.#runs.set(uid, made)
    made.begin()
  }
}

/** It ended and is to go, and the boot ended before it could be removed. */
const isLeft = ({ metadata }: NodePod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds !== 0
