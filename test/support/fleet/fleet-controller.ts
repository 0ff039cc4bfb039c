import { kubeFleet } from '../../../src/agent/io/kube-fleet.ts'
import { Brake } from '../../../src/agent/run/brake/brake.ts'
import { kubeLeaderLease } from '../../../src/ground/kube/kube-leader-lease.ts'
import { kubeObjectNotices } from '../../../src/ground/kube/kube-object-notices.ts'
import { Leader } from '../../../src/ground/loop/leader.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { ProcessPorts } from '../virtual-roll/process-ports.ts'
import { ClaimingController } from './claiming-controller.ts'
import type { FleetLuck } from './fleet-luck.ts'
import type { FleetScenario } from './fleet-scenario.ts'

const NAMESPACE = 'evenkeel'
const LEASE = { namespace: NAMESPACE, name: 'evenkeel-controller' }
const LEASE_MS = 9_000
const RETURN_MS = 5_000
const AGAIN_AFTER_MS = 2_000

interface FleetControllersParts {
  readonly cluster: VirtualCluster
  readonly scenario: FleetScenario
  readonly luck: FleetLuck
  readonly done: Set<string>
  readonly slotDurationMs: number
}

/** Two places where a controller runs, with the brake and with what takes slots; a process that ends is followed by another. */
export class FleetControllers {
  readonly #parts: FleetControllersParts
  readonly #running = new Map<string, ProcessPorts>()
  readonly errors: string[] = []
  #begun = 0
  #isOver = false

  constructor(parts: FleetControllersParts) {
    this.#parts = parts
  }

  begin(): void {
    for (const place of ['a', 'b']) this.#start(place)
  }

  end(): void {
    this.#isOver = true
    for (const ports of this.#running.values()) ports.lifeline.cut()
  }

  #start(place: string): void {
    if (this.#isOver) return
    const { cluster, luck } = this.#parts
    this.#begun += 1
    const identity = `controller-${place}_${this.#begun}`
    const { onEffect, passageOf } = luck
    const ports = new ProcessPorts({ cluster, outside: { onEffect, passageOf }, name: identity })
    this.#running.set(place, ports)
    const next = (): void => void cluster.time.later(AGAIN_AFTER_MS, () => this.#start(place))
    ports.lifeline.ended.addEventListener('abort', next, { once: true })
    this.#lead(ports, identity).then(
      () => ports.lifeline.cut(),
      (error: unknown) => {
        if (ports.lifeline.isDead) return
        this.errors.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
        ports.lifeline.cut()
      },
    )
  }

  /** Resolves once it leads no more: its process ends then. */
  async #lead(ports: ProcessPorts, identity: string): Promise<void> {
    const { scenario, done, slotDurationMs } = this.#parts
    const { clock, random, client, configMaps, lifeline } = ports
    const { controller, brakeMax } = scenario
    const leader: Leader = new Leader({
      cluster: kubeLeaderLease(client),
      clock,
      random,
      lease: LEASE,
      identity,
      durationMs: LEASE_MS,
      onChange: () => brake.wake(),
    })
    const follows = ports.follows()
    const brake = new Brake({
      fleet: kubeFleet(follows),
      configMaps,
      notices: kubeObjectNotices({ client, clock, random, identity }),
      leader,
      identity,
      namespace: NAMESPACE,
      limit: { kind: 'count', count: brakeMax },
      returnMs: RETURN_MS,
      clock,
      random,
      log: follows.log,
    })
    const claiming = new ClaimingController({
      ...{ ports, leader, namespace: NAMESPACE, lease: LEASE, slotDurationMs, done },
      wanted: controller.nodes,
      atOnce: controller.atOnce,
      keepMs: controller.keepMs,
    })
    await Promise.race([leader.run(lifeline.ended), brake.run(lifeline.ended), claiming.run(lifeline.ended)])
  }
}
