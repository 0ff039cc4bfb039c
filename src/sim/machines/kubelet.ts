import { present } from '../../ground/model/present.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import { isFinished } from '../actors/pod-object.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { DataPlane } from '../plane/data-plane.ts'
import { PODS } from '../world/api-resource.ts'
import type { World } from '../world/world.ts'
import type { ApiAccess } from './api-access.ts'
import { ApiLink } from './api-link.ts'
import type { ImageRegistry } from './image-registry.ts'
import type { KubeletSettings } from './kubelet-settings.ts'
import { Lifetime } from './lifetime.ts'
import { NodeHeartbeat } from './node-heartbeat.ts'
import type { NodePod } from './node-pod.ts'
import type { NodeSpec } from './node-spec.ts'
import { PodRun } from './pod-run.ts'
import type { PodsOfNodes } from './pods-of-nodes.ts'
import { Reflector } from './reflector.ts'
import type { StaticManifests } from './static-manifests.ts'
import { StaticPods } from './static-pods.ts'
import { VolumesInUse } from './volumes-in-use.ts'

interface KubeletParts {
  readonly world: World
  readonly timers: Timers
  readonly random: SeededRandom
  readonly plane: DataPlane
  readonly pods: PodsOfNodes
  readonly access: ApiAccess
  readonly settings: KubeletSettings
  readonly images: ImageRegistry
  readonly manifests: StaticManifests
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
/** From a write of a file until the kubelet has read it (pkg/kubelet/config/file_linux.go: by inotify). */
const READ: Span = [5, 30]

/** nodeshutdown_manager.go, nodeShutdownReason and nodeShutdownNotAdmittedReason. */
const SHUT_DOWN = { reason: 'Terminated', message: 'Pod was terminated in response to imminent node shutdown.' }
const REFUSED = { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' }

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
  readonly #volumes: VolumesInUse
  /** Uids of pods that are about to be looked at. */
  readonly #heardOf = new Set<string>()
  readonly #startedAtMs: number
  #hasBegun = false
  #isShuttingDown = false
  readonly #statics: StaticPods<PodRun>
  #unfollow: (() => void) | undefined
  #unfollowFiles: (() => void) | undefined

  constructor(parts: KubeletParts) {
    const { access, random } = parts
    this.#parts = parts
    this.#startedAtMs = parts.world.clock.wallMs()
    this.#life = new Lifetime(parts.timers)
    const timers = this.#life
    this.#link = new ApiLink({ access, timers, random, onBack: () => this.#tellAgain() })
    this.#reflector = new Reflector({ access, timers, random, onBack: () => this.#relist() })
    this.#statics = new StaticPods({
      ...parts,
      link: this.#link,
      life: timers,
      node: parts.node.name,
      runOf: (pod, mirror) => this.#runOf(pod, { mirror }),
    })
    this.#volumes = new VolumesInUse(parts)
    const volumesInUse = () => (this.#unfollow === undefined ? undefined : this.#volumes.names)
    this.#heartbeat = new NodeHeartbeat({ ...parts, timers, link: this.#link, volumesInUse })
  }

  start(): void {
    const { manifests, random } = this.#parts
    this.#statics.read()
    this.#unfollowFiles = manifests.follow(() => {
      this.#life.later(random.between(...READ), () => this.#statics.read())
    })
    this.#begin()
  }

  /** Without the API it waits for it: it does not know what else to run. */
  #begin(): void {
    if (this.#hasBegun || !this.#link.isUp()) return
    this.#hasBegun = true
    const { random } = this.#parts
    this.#heartbeat.begin(() => this.#life.later(random.between(...STALE), () => this.#resumePods()))
  }

  /** The kubelet and its containers have to end. `ended`: the last container has. */
  shutDown(ended: () => void): void {
    const { shutdownGraceMs: graceMs } = this.#parts.settings
    if (graceMs !== undefined) {
      this.#isShuttingDown = true
      this.#heartbeat.shutDown()
      const failed = allOf(this.#all, () => this.#stopAll(ended))
      for (const run of this.#all) run.fail(SHUT_DOWN, { graceMs, ended: failed })
    } else this.#stopAll(ended)
  }

  /** It reports nothing about that to the API. */
  #stopAll(ended: () => void): void {
    this.cut()
    const stopped = allOf(this.#all, ended)
    for (const run of this.#all) run.shutDown(stopped)
  }

  get #all(): readonly PodRun[] {
    return [...this.#runs.values(), ...this.#statics.runs]
  }

  /** The power is gone: the kubelet ends at once. */
  cut(): void {
    this.#unfollow?.()
    this.#unfollowFiles?.()
    this.#life.end()
  }

  #tellAgain(): void {
    if (!this.#hasBegun) {
      this.#begin()
      return
    }
    this.#heartbeat.beat()
    this.#life.later(this.#parts.random.between(...STATUS_SYNC), () => {
      for (const run of this.#all) run.report()
    })
  }

  #relist(): void {
    if (this.#unfollow === undefined) return
    const { pods, node } = this.#parts
    const known = new Map(pods.of(node.name).map((pod) => [pod.metadata.uid, pod]))
    for (const [uid, run] of [...this.#runs]) if (!known.has(uid)) run.vanish()
    for (const pod of known.values()) this.#sync(pod)
    this.#statics.tell()
  }

  #resumePods(): void {
    const { pods, node, random } = this.#parts
    this.#unfollow = pods.follow(node.name, (pod, isGone) => this.#hear(pod, isGone))
    this.#life.later(random.between(...SPREAD), () => this.#statics.tell())
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
      else if (!this.#statics.hear(heard)) this.#runs.get(uid)?.vanish()
    })
  }

  #sync(pod: NodePod): void {
    const { uid } = pod.metadata
    const run = this.#runs.get(uid)
    if (run !== undefined) {
      run.update(pod)
      return
    }
    if (this.#statics.hear(pod) || (isFinished(pod) && !isLeft(pod))) return
    if (this.#isShuttingDown) {
      const { world } = this.#parts
      world.store.put(PODS, { ...pod, status: { ...pod.status, phase: 'Failed', ...REFUSED } })
      return
    }
    const made = this.#runOf(pod)
    this.#runs.set(uid, made)
    this.#volumes.begin(pod)
    made.begin()
  }

  #runOf(pod: NodePod, { mirror }: { readonly mirror?: () => NodePod | undefined } = {}): PodRun {
    const { isReady, world } = this.#parts
    return new PodRun(
      {
        ...this.#parts,
        link: this.#link,
        life: this.#life,
        kubeletMs: () => world.clock.wallMs() - this.#startedAtMs,
        canStart: isReady,
        onOver: () => {
          this.#runs.delete(pod.metadata.uid)
          this.#volumes.end(pod)
        },
        ...present({ mirror }),
      },
      pod,
    )
  }
}

/** To be called once by each of them; the last call goes on. */
function allOf({ length }: readonly PodRun[], goOn: () => void): () => void {
  let left = length
  if (left === 0) goOn()
  return () => {
    left -= 1
    if (left === 0) goOn()
  }
}

/** It ended and is to go, and the boot ended before it could be removed. */
const isLeft = ({ metadata }: NodePod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds !== 0
