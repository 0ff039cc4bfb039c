import { isDeepStrictEqual } from 'node:util'
import { present } from '../../ground/model/present.ts'
import { isGoing } from '../actors/pod-object.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import { appOfPod, portOfPod } from '../plane/app-of-pod.ts'
import type { DataPlane, PodProcess, PodStart } from '../plane/data-plane.ts'
import { PODS } from '../world/api-resource.ts'
import { deleteObject } from '../world/delete-object.ts'
import { stampOf, type World } from '../world/world.ts'
import type { ApiAccess } from './api-access.ts'
import type { ApiLink } from './api-link.ts'
import { areVolumesAttached } from './are-volumes-attached.ts'
import { ContainerStop } from './container-stop.ts'
import { type EndpointFeed, feedOf } from './endpoint-feed.ts'
import { Lifetime } from './lifetime.ts'
import type { NodePod } from './node-pod.ts'
import type { NodeSpec } from './node-spec.ts'
import { type Ended, type PodState, stateAtStart } from './pod-state.ts'
import { podStatus } from './pod-status.ts'
import { preStopMs } from './pre-stop.ts'
import { ReadinessProbe } from './readiness-probe.ts'
import { RestartBackOff } from './restart-back-off.ts'

interface PodRunParts {
  readonly world: World
  readonly plane: DataPlane
  readonly random: SeededRandom
  readonly node: NodeSpec
  readonly link: ApiLink
  /** For those in its containers that follow the API themselves. */
  readonly access: ApiAccess
  /** Of the kubelet. */
  readonly life: Lifetime
  /** False: the node's network is not ready, so that no sandbox can be made. */
  readonly canStart: boolean
  /** Nothing of the pod is left on the node. */
  readonly onOver: () => void
}

type Span = readonly [leastMs: number, mostMs: number]

/** From hearing of a pod until its container runs; with the first probe it is Ready within 1 to 2 s (measured). */
const START: Span = [650, 950]
/** Between two looks whether its volumes are attached. */
const ATTACH: Span = [250, 350]
/** Within its sandbox. */
const RESTART: Span = [150, 400]
/** Containers that end by themselves are found by listing them once a second (pkg/kubelet/pleg/generic.go). */
const RELIST: Span = [0, 1_000]
/** From the end of the last container until its sandbox is gone, and from there until the API forgets the pod. */
const SANDBOX: Span = [20, 80]
const REMOVAL: Span = [200, 800]

/** One pod on its node, from when the kubelet hears of it until nothing of it is left. */
export class PodRun {
  readonly #parts: PodRunParts
  readonly #backOff = new RestartBackOff()
  #pod: NodePod
  #facts: PodState
  #written: NodePod['status']
  /** Timers of the run; none of them runs once the pod has to end. */
  #plans: Lifetime
  #process: PodProcess | undefined
  #hasExited = false
  #startedAtMs = 0
  #probe: ReadinessProbe | undefined
  #feed: EndpointFeed | undefined
  #stop: ContainerStop | undefined
  #isEnding = false
  #isCleared = false
  #hasVanished = false
  #onShutDown: (() => void) | undefined

  constructor(parts: PodRunParts, pod: NodePod) {
    this.#parts = parts
    this.#pod = pod
    this.#plans = new Lifetime(parts.life)
    this.#facts = stateAtStart(pod, this.#stamp())
  }

  begin(): void {
    const { run } = this.#facts
    if (isGoing(this.#pod)) {
      this.#end(0)
      return
    }
    if (run.kind === 'ended' && !this.#mayRestart(run.exitCode)) this.#finish(run.exitCode)
    else if (this.#parts.canStart) this.#startWithin(START)
    this.#write()
  }

  /** The pod shows what was written here last, and no change is wanted. */
  isSettled(pod: NodePod): boolean {
    return pod.status === this.#written && !isGoing(pod)
  }

  /** Its object is so now, or its status is to be written again. */
  update(pod: NodePod): void {
    this.#pod = pod
    if (isGoing(pod)) this.#end(1_000 * (pod.metadata.deletionGracePeriodSeconds ?? 0))
    this.report()
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

  /** The machine stops: SIGTERM, without a message to the API. `ended` is called when the pod has ended. */
  shutDown(ended: () => void): void {
    if (this.#process === undefined || this.#hasExited) {
      ended()
      return
    }
    this.#onShutDown = ended
    if (this.#stop === undefined) this.#process.terminate()
    else this.#stop.terminate()
  }

  #startWithin(span: Span): void {
    const { world, node } = this.#parts
    this.#plan(span, () => {
      if (areVolumesAttached(world, this.#pod, node.name)) this.#start()
      else this.#startWithin(ATTACH)
    })
  }

  #start(): void {
    const { plane, node, random, world } = this.#parts
    const { metadata, spec } = this.#pod
    const { run, ids, last } = this.#facts
    const sandbox = this.#process?.address
    this.#process?.remove()
    const start: PodStart = {
      uid: metadata.uid,
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      node: node.name,
      port: portOfPod(this.#pod),
      app: appOfPod(this.#pod),
      ...present({ address: sandbox }),
    }
    const process = plane.startPod(start)
    this.#feed = feedOf(process, start, this.#parts)
    const before = run.kind === 'ended' ? run : last
    const probe = spec.containers.find(({ readinessProbe }) => readinessProbe !== undefined)?.readinessProbe
    this.#process = process
    this.#hasExited = false
    this.#startedAtMs = world.clock.wallMs()
    this.#facts = {
      phase: 'Running',
      run: { kind: 'running', startedAt: this.#stamp() },
      ...present({ last: before }),
      ids: spec.containers.map(() => `containerd://${random.hex(32)}`),
      restartCount: ids.length === 0 ? 0 : this.#facts.restartCount + 1,
      isReady: probe === undefined,
      address: process.address,
    }
    this.#write()
    process.onExit((code) => this.#exited(process, code))
    if (probe === undefined) return
    const onChange = (isReady: boolean): void => {
      this.#facts = { ...this.#facts, isReady }
      this.#write()
    }
    this.#probe = new ReadinessProbe({ timers: this.#parts.life, random, process, spec: probe, onChange })
  }

  #exited(process: PodProcess, exitCode: number): void {
    if (process !== this.#process) return
    this.#hasExited = true
    this.#probe?.end()
    this.#feed?.end()
    this.#stop?.end()
    if (this.#parts.life.isOver) {
      this.#onShutDown?.()
      return
    }
    const { run, ids } = this.#facts
    const startedAt = run.kind === 'running' ? { startedAt: run.startedAt } : {}
    const reason = exitCode === 0 ? 'Completed' : 'Error'
    const end: Ended = { kind: 'ended', exitCode, reason, ...startedAt, finishedAt: this.#stamp(), ids }
    this.#facts = { ...this.#facts, isReady: false, run: end }
    if (this.#isEnding) this.#clear()
    else this.#plan(RELIST, () => this.#afterExit(end))
  }

  #afterExit(end: Ended): void {
    if (!this.#mayRestart(end.exitCode)) {
      this.#process?.remove()
      this.#process = undefined
      this.#finish(end.exitCode)
      this.#write()
      return
    }
    const waitMs = this.#backOff.next(this.#parts.world.clock.wallMs() - this.#startedAtMs)
    if (waitMs === 0) this.#startWithin(RESTART)
    else {
      this.#facts = { ...this.#facts, last: end, run: { kind: 'waiting', reason: 'CrashLoopBackOff' } }
      this.#plans.later(waitMs, () => this.#start())
    }
    this.#write()
  }

  #mayRestart(exitCode: number): boolean {
    const { restartPolicy = 'Always' } = this.#pod.spec
    return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0)
  }

  #finish(exitCode: number): void {
    this.#facts = { ...this.#facts, phase: exitCode === 0 ? 'Succeeded' : 'Failed' }
  }

  #end(graceMs: number): void {
    // A kubelet that is stopping a container ignores a shorter grace (kubelet.go, SyncTerminatingPod; seen on 1.35).
    if (this.#isEnding) return
    this.#isEnding = true
    this.#plans.end()
    this.#plans = new Lifetime(this.#parts.life)
    if (this.#process === undefined || this.#hasExited) {
      this.#clear()
      return
    }
    const process = this.#process
    this.#stop = new ContainerStop({ timers: this.#parts.life, process, preStopMs: preStopMs(this.#pod), graceMs })
    this.#stop.begin()
  }

  /** Since 1.27 a pod that ended by deletion shows how it ended before it goes (KEP-3329). */
  #clear(): void {
    this.#plan(SANDBOX, () => {
      this.#process?.remove()
      this.#process = undefined
      const { run } = this.#facts
      this.#finish(run.kind === 'ended' ? run.exitCode : 1)
      this.#write()
      this.#plan(REMOVAL, () => {
        this.#isCleared = true
        this.#remove()
      })
    })
  }

  #remove(): void {
    const { world, link, onOver } = this.#parts
    const { uid } = this.#pod.metadata
    if (!this.#hasVanished) {
      if (!link.isUp()) return
      const old = world.store.get(PODS, this.#pod.metadata)
      const options = { gracePeriodSeconds: 0, preconditions: { uid } }
      if (old?.metadata.uid === uid) deleteObject(world, { resource: PODS, old, options })
    }
    onOver()
  }

  #write(): void {
    const { world, link, life, node } = this.#parts
    if (this.#hasVanished || life.isOver || !link.isUp()) return
    const now = world.store.get(PODS, this.#pod.metadata) as NodePod | undefined
    if (now === undefined || now.metadata.uid !== this.#pod.metadata.uid) return
    const status = podStatus(now, this.#facts, { hostAddress: node.address, stamp: this.#stamp() })
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
