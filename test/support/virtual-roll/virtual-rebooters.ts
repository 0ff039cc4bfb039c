import { followOwnNode } from '../../../src/rebooter/io/follow-own-node.ts'
import { Rebooter } from '../../../src/rebooter/run/rebooter.ts'
import { INTENT_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { parseRebootIntent } from '../../../src/service/model/parse-node-record.ts'
import { SlotsReader } from '../../../src/service/run/slots-reader.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { LEASES, NODES } from '../../../src/sim/world/api-resource.ts'
import type { Lifeline } from './lifeline.ts'
import { type ProcessOutside, ProcessPorts } from './process-ports.ts'

/** A use of the door, and what the cluster showed at that moment. */
export interface DoorUse {
  readonly node: string
  readonly bootId: string
  /** The run whose intent for this boot was on the Node. */
  readonly run: string | undefined
  /** The holders of slots for the node. */
  readonly holders: readonly string[]
  readonly isCordoned: boolean
}

interface RebootersParts {
  readonly cluster: VirtualCluster
  /** May end the process with each write, and with each use of the door. */
  readonly onEffect?: (effect: string, phase: 'before' | 'after', lifeline: Lifeline) => void
  readonly outsideOf?: (node: string) => ProcessOutside
  /** Why the door of a node does not work. */
  readonly faultOf?: (node: string) => string | undefined
}

interface Running {
  readonly bootId: string
  readonly lifeline: Lifeline
}

const LOOK_MS = 500
/** A kubelet starts a container that has ended again, later each time; the first time at once. */
const RESTART_MS = 1_500
/** From the file to the stop of the machine. */
const UNIT_MS = 60

/** A rebooter on each node, as a pod of a DaemonSet has one: it ends with its machine, and begins with each boot. */
export class VirtualRebooters {
  readonly uses: DoorUse[] = []
  readonly #parts: RebootersParts
  readonly #running = new Map<string, Running>()
  #processes = 0
  #isOver = false

  constructor(parts: RebootersParts) {
    this.#parts = parts
    this.#look()
  }

  end(): void {
    this.#isOver = true
    for (const { lifeline } of this.#running.values()) lifeline.cut()
  }

  #look(): void {
    if (this.#isOver) return
    const { cluster } = this.#parts
    for (const node of cluster.nodes) this.#lookAt(node)
    cluster.time.later(LOOK_MS, () => this.#look())
  }

  #lookAt(node: string): void {
    const running = this.#running.get(node)
    const bootId = this.#parts.cluster.machines.get(node)?.bootId
    if (running !== undefined && running.bootId !== bootId) {
      running.lifeline.cut()
      this.#running.delete(node)
    }
    if (bootId !== undefined && !this.#running.has(node)) this.#start(node, bootId)
  }

  #start(node: string, bootId: string): void {
    const { cluster, onEffect, outsideOf, faultOf } = this.#parts
    this.#processes += 1
    const outside: ProcessOutside = { ...(onEffect === undefined ? {} : { onEffect }), ...outsideOf?.(node) }
    const ports = new ProcessPorts({ cluster, outside, name: `rebooter ${this.#processes} of ${node}` })
    const { clock, random, lifeline } = ports
    this.#running.set(node, { bootId, lifeline })
    const slots = new SlotsReader({ cluster: ports.cluster, clock, namespace: 'evenkeel', durationMs: 120_000 })
    const rebooter = new Rebooter({
      node,
      bootId,
      door: {
        fault: () => Promise.resolve(faultOf?.(node)),
        use: (id) => ports.effect(`door ${node}`, async () => this.#use(node, id)),
      },
      cluster: ports.cluster,
      follow: followOwnNode(ports.follows(), node),
      slots: (signal) => slots.read(1, signal),
      clock,
      random,
      log: { debug: () => undefined, warn: () => undefined },
    })
    rebooter.run(lifeline.ended).catch((error: unknown) => {
      if (!lifeline.isDead) throw error
    })
    lifeline.ended.addEventListener('abort', () => {
      cluster.time.later(RESTART_MS, () => {
        if (this.#running.get(node)?.lifeline === lifeline) this.#running.delete(node)
      })
    })
  }

  /** As the unit does it: where the boot is that of the file. */
  #use(node: string, bootId: string): void {
    const { time, machines } = this.#parts.cluster
    this.uses.push({ node, bootId, ...this.#shown(node, bootId) })
    const machine = machines.get(node)
    time.later(UNIT_MS, () => {
      if (machine?.bootId === bootId) machine.reboot()
    })
  }

  #shown(node: string, bootId: string): Pick<DoorUse, 'run' | 'holders' | 'isCordoned'> {
    const { store } = this.#parts.cluster.world
    const own = [...store.all(NODES)].find(({ metadata }) => metadata.name === node)
    const intent = parseRebootIntent(own?.metadata.annotations?.[INTENT_ANNOTATION] ?? '')
    const held = [...store.all(LEASES)].filter(({ metadata }) => metadata.annotations?.['evenkeel.dev/node'] === node)
    return {
      run: intent.ok && intent.value.bootId === bootId ? intent.value.run : undefined,
      isCordoned: (own?.spec as { unschedulable?: boolean } | undefined)?.unschedulable === true,
      holders: held.flatMap(({ spec }) => (spec as { holderIdentity?: string }).holderIdentity ?? []),
    }
  }
}
