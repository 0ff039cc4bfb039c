import { isDeepStrictEqual } from 'node:util'
import { present } from '../../ground/model/present.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import { LEASES, NAMESPACES, NODES } from '../world/api-resource.ts'
import { createObject } from '../world/create-object.ts'
import { stampOf, type World } from '../world/world.ts'
import type { ApiLink } from './api-link.ts'
import type { KubeletSettings } from './kubelet-settings.ts'
import { type MachineNode, type MachineReading, newNode, nodeStatus } from './node-object.ts'
import type { NodeSpec } from './node-spec.ts'

interface HeartbeatParts {
  readonly world: World
  readonly timers: Timers
  readonly random: SeededRandom
  readonly link: ApiLink
  readonly node: NodeSpec
  readonly settings: KubeletSettings
  readonly bootId: string
  readonly isReady: boolean
  /** Of drivers, in order; undefined: not known yet. */
  readonly volumesInUse: () => readonly string[] | undefined
}

const NAMESPACE = 'kube-node-lease'
/** Renewals of many nodes do not march in step (KEP-0009: 4 %). */
const JITTER = 0.04
/** From the first renewal to the first status after a boot (measured: 0.1 to 0.2 s). */
const STATUS_LAG_MS = [100, 200] as const

/** Says that its node lives: by its Lease, and by the status of its Node. */
export class NodeHeartbeat {
  readonly #parts: HeartbeatParts
  #isShuttingDown = false
  #lastReportMs = Number.NEGATIVE_INFINITY
  /** As it was found in order last. */
  #lastStatus: MachineNode['status']

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
  }

  /** `onStatus` is called when the Node shows this boot. */
  begin(onStatus: () => void): void {
    const { timers, random, settings } = this.#parts
    this.#register()
    this.#renew()
    this.#every(
      () => settings.leaseRenewMs * random.between(1, 1 + JITTER),
      () => this.#renew(),
    )
    timers.later(random.between(...STATUS_LAG_MS), () => {
      this.#report()
      this.#every(
        () => settings.statusCheckMs,
        () => this.#report(),
      )
      onStatus()
    })
  }

  /** Its machine is about to stop: the Node is not Ready from now on. */
  shutDown(): void {
    this.#isShuttingDown = true
    this.#report()
  }

  /** At once, as after the API was away. */
  beat(): void {
    this.#renew()
    this.#report()
  }

  #every(ms: () => number, run: () => void): void {
    this.#parts.timers.later(ms(), () => {
      run()
      this.#every(ms, run)
    })
  }

  #register(): void {
    const { world, node, link } = this.#parts
    if (!link.isUp() || world.store.get(NODES, { name: node.name }) !== undefined) return
    createObject(world, { resource: NODES, body: newNode(node, this.#facts()) })
  }

  #renew(): void {
    const { world, node, settings, link } = this.#parts
    // The namespace is not the kubelet's to make: without it there is no Lease yet, and the next turn tries again.
    if (!link.isUp() || world.store.get(NAMESPACES, { name: NAMESPACE }) === undefined) return
    const spec = {
      holderIdentity: node.name,
      leaseDurationSeconds: settings.leaseDurationSeconds,
      renewTime: microTime(world.clock.wallMs()),
    }
    const lease = world.store.get(LEASES, { namespace: NAMESPACE, name: node.name })
    if (lease !== undefined) world.store.put(LEASES, { ...lease, spec })
    else createObject(world, { resource: LEASES, namespace: NAMESPACE, body: { metadata: { name: node.name }, spec } })
  }

  #report(): void {
    const { world, node, settings, link } = this.#parts
    if (!link.isUp()) return
    const object = world.store.get(NODES, { name: node.name }) as MachineNode | undefined
    if (object === undefined) return
    const nowMs = world.clock.wallMs()
    const isDue = Math.abs(nowMs - this.#lastReportMs) >= settings.statusReportMs
    const volumesInUse = this.#parts.volumesInUse()
    const isKnown = volumesInUse === undefined || isDeepStrictEqual(volumesInUse, object.status?.volumesInUse ?? [])
    if (!isDue && isKnown && !this.#isShuttingDown && object.status !== undefined && object.status === this.#lastStatus)
      return
    const status = nodeStatus(node, object.status, { ...this.#facts(), ...present({ volumesInUse }) })
    const isNews = isDue || !isDeepStrictEqual(withoutHeartbeats(status), withoutHeartbeats(object.status))
    this.#lastStatus = isNews ? status : object.status
    if (!isNews) return
    this.#lastReportMs = nowMs
    world.store.put(NODES, { ...object, status })
  }

  #facts(): MachineReading {
    const { world, bootId, isReady } = this.#parts
    return { bootId, isReady, isShuttingDown: this.#isShuttingDown, stamp: stampOf(world.clock.wallMs()) }
  }
}

const withoutHeartbeats = (status: MachineNode['status']): unknown => ({
  ...status,
  conditions: status?.conditions?.map(({ lastHeartbeatTime: _, ...rest }) => rest),
})

/** `metav1.MicroTime`. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z')
