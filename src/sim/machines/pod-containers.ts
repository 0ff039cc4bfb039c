import { present } from '../../ground/model/present.ts'
import { type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { AppBehaviour } from '../plane/app-behaviour.ts'
import { appOfPod, hasAppSettings, portOfPod } from '../plane/app-of-pod.ts'
import type { ContainerProcess, DataPlane, PodProcess, PodStart } from '../plane/data-plane.ts'
import type { World } from '../world/world.ts'
import type { ApiAccess } from './api-access.ts'
import { ContainerRun, RESTART } from './container-run.ts'
import { workOf } from './container-work.ts'
import { type EndpointFeed, feedOf } from './endpoint-feed.ts'
import type { ImageRegistry } from './image-registry.ts'
import { Lifetime } from './lifetime.ts'
import type { ContainerSpec, NodePod } from './node-pod.ts'
import type { NodeSpec } from './node-spec.ts'
import { isSidecar, mayInitAgain, mayRestart } from './pod-phase.ts'
import { stateAtStart } from './pod-state.ts'
import { isInitialized } from './pod-status.ts'
import { SideProcess } from './side-process.ts'

export interface PodContainersParts {
  readonly world: World
  /** Of the machine: what runs in a container outlives its kubelet. */
  readonly timers: Timers
  readonly plane: DataPlane
  readonly random: SeededRandom
  readonly node: NodeSpec
  readonly images: ImageRegistry
  /** For those in its containers that follow the API themselves. */
  readonly access: ApiAccess
  /** Of the kubelet. */
  readonly life: Lifetime
  readonly kubeletMs: () => number
}

interface PodStory {
  readonly pod: NodePod
  /** `metav1.Time` of now. */
  readonly stamp: string
  readonly onChange: () => void
}

/**
 * The containers of one pod: init containers one after the other, then the others together
 * (pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions). One of them serves at the address of the pod.
 */
export class PodContainers {
  readonly inits: readonly ContainerRun[]
  readonly mains: readonly ContainerRun[]
  readonly #parts: PodContainersParts
  readonly #onChange: () => void
  readonly #plans: Lifetime
  #pod: NodePod
  #address: string | undefined
  #serving: PodProcess | undefined
  #feed: EndpointFeed | undefined
  #isPlanned = false
  /** Several are started, and what they are is told once. */
  #isStarting = false
  #endSidecars = (): void => undefined
  #onEnd: (() => void) | undefined

  constructor(parts: PodContainersParts, { pod, stamp, onChange }: PodStory) {
    this.#parts = parts
    this.#pod = pod
    this.#onChange = onChange
    this.#plans = new Lifetime(parts.life)
    const { containers, initContainers = [] } = pod.spec
    const serving = (containers.find(hasAppSettings) ?? containers[0])?.name
    const { clock } = parts.world
    const wall = (): WallMs => wallMs(clock.wallMs() + (parts.node.clockAheadMs ?? 0))
    const shared = {
      ...parts,
      world: { clock: { monoMs: () => clock.monoMs(), wallMs: wall } },
      node: parts.node.name,
      graceMs: graceMsOf(pod),
      onChange: () => this.#changed(),
      onEnd: () => this.#settle(),
    }
    this.inits = initContainers.map((spec) => {
      const mayStartAgain = (exitCode: number): boolean => isSidecar(spec) || mayInitAgain(this.#pod, exitCode)
      const launch = (now: ContainerSpec): ContainerProcess => this.#launchBeside(now, !isSidecar(now))
      const known = { spec, state: stateAtStart(pod, spec, stamp) }
      return new ContainerRun({ ...shared, mayRestart: mayStartAgain, launch }, known)
    })
    this.mains = containers.map((spec) => {
      const mayStartAgain = (exitCode: number): boolean => mayRestart(this.#pod, exitCode)
      const launch = (now: ContainerSpec): ContainerProcess => {
        const program = parts.images.programOf(now)
        if (program !== undefined) return program(this.#pod, now)
        return now.name === serving ? this.#launchServing(now) : this.#launchBeside(now, false)
      }
      const known = { spec, state: stateAtStart(pod, spec, stamp) }
      return new ContainerRun({ ...shared, mayRestart: mayStartAgain, launch }, known)
    })
  }

  /** Of its sandbox; undefined where it has none. */
  get address(): string | undefined {
    return this.#address
  }

  /** Its object is so now: another image may be asked for. */
  update(pod: NodePod): void {
    this.#pod = pod
    const specs = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
    for (const run of this.#all) {
      const spec = specs.find(({ name }) => name === run.spec.name)
      if (spec !== undefined) run.update(spec)
    }
  }

  /** In a sandbox that is made now. */
  start(): void {
    const { plane, node } = this.#parts
    this.#address = plane.newAddress(node.name)
    this.#startNext()
  }

  /** `ended` is called when none of them runs any more. Sidecars end after the others (KEP-753). */
  end(graceMs: number, ended: () => void): void {
    this.#plans.end()
    for (const run of this.#all) run.halt()
    this.#onEnd = ended
    this.#endSidecars = () => {
      for (const run of this.inits) run.stop(graceMs)
    }
    for (const run of this.#all) if (!isSidecar(run.spec)) run.stop(graceMs)
    this.#settle()
  }

  /** SIGTERM to all of them: their machine stops. */
  terminate(ended: () => void): void {
    this.#onEnd = ended
    for (const run of this.#all) run.terminate()
    this.#settle()
  }

  /** Its sandbox goes. */
  remove(): void {
    this.#feed?.end()
    this.#serving?.remove()
    this.#serving = undefined
    this.#address = undefined
  }

  get #all(): readonly ContainerRun[] {
    return [...this.inits, ...this.mains]
  }

  #settle(): void {
    if (this.#onEnd === undefined) return
    const running = this.#all.filter(({ runs }) => runs)
    if (running.length === 0) {
      const ended = this.#onEnd
      this.#onEnd = undefined
      ended()
    } else if (running.every(({ spec }) => isSidecar(spec))) this.#endSidecars()
  }

  #changed(): void {
    if (this.#isStarting) return
    this.#planNext()
    this.#onChange()
  }

  #planNext(): void {
    if (this.#isPlanned || this.#address === undefined || this.#next().length === 0) return
    this.#isPlanned = true
    this.#plans.later(this.#parts.random.between(...RESTART), () => {
      this.#isPlanned = false
      this.#startNext()
    })
  }

  #startNext(): void {
    this.#isStarting = true
    for (const run of this.#next()) run.start()
    this.#isStarting = false
    this.#changed()
  }

  /** What is to be started for the first time in this sandbox. */
  #next(): readonly ContainerRun[] {
    for (const init of this.inits) {
      if (!init.hasBegun) return [init]
      if (!isInitialized(init)) return []
    }
    return this.mains.filter(({ hasBegun }) => !hasBegun)
  }

  #launchServing(spec: ContainerSpec): PodProcess {
    const { plane, node } = this.#parts
    const { metadata } = this.#pod
    this.#feed?.end()
    this.#serving?.remove()
    const start: PodStart = {
      uid: metadata.uid,
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      node: node.name,
      port: portOfPod(this.#pod),
      app: behaviourOf(spec, false),
      ...present({ address: this.#address }),
    }
    const process = plane.startPod(start)
    const feed = feedOf(process, start, this.#parts)
    this.#serving = process
    this.#feed = feed
    this.#address = process.address
    process.onExit(() => feed?.end())
    return process
  }

  #launchBeside(spec: ContainerSpec, isInit: boolean): ContainerProcess {
    return new SideProcess(this.#parts.timers, behaviourOf(spec, isInit))
  }
}

function behaviourOf(spec: ContainerSpec, isInit: boolean): AppBehaviour {
  return { ...appOfPod({ spec: { containers: [spec] } }), ...present({ ends: workOf(spec, isInit) }) }
}

const GRACE_S = 30

export const graceMsOf = ({ spec: { terminationGracePeriodSeconds = GRACE_S } }: NodePod): number =>
  1_000 * terminationGracePeriodSeconds
