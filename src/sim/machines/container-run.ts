import { present } from '../../ground/model/present.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { ContainerProcess } from '../plane/data-plane.ts'
import { stampOf, type World } from '../world/world.ts'
import { ContainerProbes } from './container-probes.ts'
import { ContainerStop } from './container-stop.ts'
import type { ImageRegistry } from './image-registry.ts'
import { Lifetime } from './lifetime.ts'
import type { ContainerSpec } from './node-pod.ts'
import type { KnownContainer } from './pod-phase.ts'
import type { ContainerState, Ended } from './pod-state.ts'
import { preStopMs } from './pre-stop.ts'
import { PullBackOff, RestartBackOff } from './restart-back-off.ts'

interface ContainerRunParts {
  readonly world: Pick<World, 'clock'>
  readonly random: SeededRandom
  readonly images: ImageRegistry
  /** The name of its node. */
  readonly node: string
  /** Of the kubelet. */
  readonly life: Lifetime
  readonly kubeletMs: () => number
  readonly mayRestart: (exitCode: number) => boolean
  /** Starts its process. */
  readonly launch: (spec: ContainerSpec) => ContainerProcess
  /** Of its pod, where a probe makes it end. */
  readonly graceMs: number
  /** Its state is another one. */
  readonly onChange: () => void
  /** Its process has ended for good: it was told to, or the machine stops. */
  readonly onEnd: () => void
}

type Span = readonly [leastMs: number, mostMs: number]

/** Within its sandbox. */
export const RESTART: Span = [150, 400]
/** Containers that end by themselves are found by listing them once a second (pkg/kubelet/pleg/generic.go). */
const RELIST: Span = [0, 1_000]
/** From an image that could not be pulled until the pod is looked at again, and says that it waits (pod_workers.go, 10 s and jitter). */
const LOOK_AGAIN: Span = [1_000, 9_000]

/** One container of a pod, through all of its starts within one boot of the node. */
export class ContainerRun {
  readonly #parts: ContainerRunParts
  readonly #backOff = new RestartBackOff()
  #pulls = new PullBackOff()
  #spec: ContainerSpec
  #state: ContainerState
  /** Of what it is to do next; none of it is done once its pod has to end. */
  readonly #plans: Lifetime
  #process: ContainerProcess | undefined
  #probes: ContainerProbes | undefined
  #stop: ContainerStop | undefined
  #startedAtMs = 0
  #callOffPull: (() => void) | undefined
  #hasBegun = false
  #isEnding = false

  constructor(parts: ContainerRunParts, { spec, state }: KnownContainer) {
    this.#parts = parts
    this.#spec = spec
    this.#state = state
    this.#plans = new Lifetime(parts.life)
  }

  get spec(): ContainerSpec {
    return this.#spec
  }

  get state(): ContainerState {
    return this.#state
  }

  /** In this boot. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get runs(): boolean {
    return this.#process !== undefined
  }

  /** Of another image it is started anew, at once where it waits for its image (kuberuntime_manager.go, containerChanged). */
  update(spec: ContainerSpec): void {
    if (spec.image === this.#spec.image) return
    this.#spec = spec
    this.#pulls = new PullBackOff()
    if (this.#process !== undefined) this.stop(this.#parts.graceMs)
    else if (this.#callOffPull !== undefined) this.start()
  }

  start(): void {
    this.#hasBegun = true
    this.#callOffPull?.()
    this.#callOffPull = undefined
    const { images, node } = this.#parts
    const refusal = images.take(node, this.#spec)
    if (refusal === undefined) this.#launch()
    else this.#waitForImage(refusal)
  }

  /** It is not started any more. */
  halt(): void {
    this.#isEnding = true
    this.#plans.end()
  }

  /** As its pod, or a probe, wants it. */
  stop(graceMs: number): void {
    if (this.#process === undefined || this.#stop !== undefined) return
    const { life: timers } = this.#parts
    this.#stop = new ContainerStop({ timers, process: this.#process, preStopMs: preStopMs(this.#spec), graceMs })
    this.#stop.begin()
  }

  /** SIGTERM alone: its machine stops. */
  terminate(): void {
    if (this.#stop === undefined) this.#process?.terminate()
    else this.#stop.terminate()
  }

  #waitForImage(reason: 'ErrImagePull' | 'ErrImageNeverPull'): void {
    const { image } = this.#spec
    const { run, last } = this.#state
    const before = run.kind === 'ended' ? run : last
    const waiting = { ...this.#state, ...present({ last: before }) }
    const plans = new Lifetime(this.#plans)
    const backOff = (): void =>
      this.#become({
        ...waiting,
        run: { kind: 'waiting', reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` },
      })
    const { random } = this.#parts
    if (reason === 'ErrImagePull') plans.later(random.between(...LOOK_AGAIN), backOff)
    plans.later(this.#pulls.next(), () => this.start())
    this.#callOffPull = () => plans.end()
    this.#become({ ...waiting, run: { kind: 'waiting', reason, message: `failed to pull image "${image}"` } })
  }

  #launch(): void {
    const { launch, random, world, life, kubeletMs } = this.#parts
    const spec = this.#spec
    const { run, id, last, restartCount } = this.#state
    const process = launch(spec)
    this.#pulls = new PullBackOff()
    this.#process = process
    this.#startedAtMs = world.clock.wallMs()
    const before = run.kind === 'ended' ? run : last
    this.#state = {
      run: { kind: 'running', startedAt: this.#stamp() },
      ...present({ last: before }),
      id: `containerd://${random.hex(32)}`,
      restartCount: id === '' ? 0 : restartCount + 1,
      isStarted: spec.startupProbe === undefined,
      isReady: spec.startupProbe === undefined && spec.readinessProbe === undefined,
    }
    this.#parts.onChange()
    process.onExit((code) => this.#exited(process, code))
    this.#probes = new ContainerProbes({
      ...{ timers: life, random, process, container: spec, kubeletMs },
      onStarted: () => this.#become({ ...this.#state, isStarted: true, isReady: spec.readinessProbe === undefined }),
      onReady: (isReady) => this.#become({ ...this.#state, isReady }),
      onFailed: () => this.stop(this.#parts.graceMs),
    })
  }

  #exited(process: ContainerProcess, exitCode: number): void {
    if (process !== this.#process) return
    this.#process = undefined
    this.#probes?.end()
    this.#stop?.end()
    this.#stop = undefined
    if (this.#parts.life.isOver) {
      this.#parts.onEnd()
      return
    }
    const { run, id } = this.#state
    const startedAt = run.kind === 'running' ? { startedAt: run.startedAt } : {}
    const reason = exitCode === 0 ? 'Completed' : 'Error'
    const end: Ended = { kind: 'ended', exitCode, reason, ...startedAt, finishedAt: this.#stamp(), id }
    this.#state = { ...this.#state, isReady: false, isStarted: false, run: end }
    if (this.#isEnding) this.#parts.onEnd()
    else this.#plan(RELIST, () => this.#afterExit(end))
  }

  #afterExit(end: Ended): void {
    if (this.#parts.mayRestart(end.exitCode)) {
      const waitMs = this.#backOff.next(this.#parts.world.clock.wallMs() - this.#startedAtMs)
      if (waitMs === 0) this.#plan(RESTART, () => this.start())
      else {
        this.#state = { ...this.#state, last: end, run: { kind: 'waiting', reason: 'CrashLoopBackOff' } }
        this.#plans.later(waitMs, () => this.start())
      }
    }
    this.#parts.onChange()
  }

  #become(state: ContainerState): void {
    this.#state = state
    this.#parts.onChange()
  }

  #plan([leastMs, mostMs]: Span, run: () => void): void {
    this.#plans.later(this.#parts.random.between(leastMs, mostMs), run)
  }

  #stamp(): string {
    return stampOf(this.#parts.world.clock.wallMs())
  }
}
