import type { HostReading, RebootAnswer } from '../../ground/model/host.ts'
import { pointerToken } from '../../ground/model/json-patch.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Host, HostTarget } from '../../ground/ports/host.ts'
import type { Random } from '../../ground/ports/random.ts'
import {
  formatRecord,
  INTENT_ANNOTATION,
  REQUEST_ANNOTATION,
  type RebootRequest,
} from '../../service/model/node-record.ts'
import { parseRebootIntent, parseRebootRequest } from '../../service/model/parse-node-record.ts'
import { sameNode } from './node-patch.ts'

interface FleetLockHostParts {
  readonly cluster: Pick<Cluster, 'readNode' | 'patchNode'>
  readonly random: Random
  readonly ownBootId: (signal: AbortSignal) => Promise<string | undefined>
}

const INTENT = `/metadata/annotations/${pointerToken(INTENT_ANNOTATION)}`
const REQUEST = `/metadata/annotations/${pointerToken(REQUEST_ANNOTATION)}`

/**
 * Machines that a client of their own reboots. Nothing is sent to them: the Node says that its machine may reboot, and the controller
 * answers the client by that.
 */
export class FleetLockHost implements Host {
  readonly #parts: FleetLockHostParts

  constructor(parts: FleetLockHostParts) {
    this.#parts = parts
  }

  async check({ node: name }: HostTarget, signal: AbortSignal): Promise<HostReading> {
    const node = await this.#parts.cluster.readNode(name, signal)
    const hops: HostReading['hops'] = []
    if (node !== undefined) return { mayReboot: true, hops }
    const fix = 'let it be a machine of a Node, or reboot by ssh or by a command'
    return { mayReboot: false, refusal: 'it has no Node, and only nodes are answered by FleetLock', fix, hops }
  }

  /** What is on the Node already is not written again. */
  async reboot({ node: name }: HostTarget, expectedBootId: string, signal: AbortSignal): Promise<RebootAnswer> {
    const { cluster, random } = this.#parts
    try {
      const node = await cluster.readNode(name, signal)
      if (node === undefined) return { kind: 'refused', text: `there is no Node ${name}` }
      const { [INTENT_ANNOTATION]: announced = '', [REQUEST_ANNOTATION]: asked = '' } = node.annotations
      const intent = parseRebootIntent(announced)
      if (!intent.ok || intent.value.bootId !== expectedBootId)
        return { kind: 'refused', text: `the reboot of this boot is not announced on ${name}` }
      if (node.bootId !== expectedBootId) return { kind: 'otherBoot', bootId: node.bootId }
      const { run } = intent.value
      const before = parseRebootRequest(asked)
      if (before.ok && before.value.by === 'fleetLock' && before.value.run === run) {
        if (before.value.bootId === expectedBootId) return { kind: 'sent' }
      }
      const request: RebootRequest = { version: 1, run, bootId: expectedBootId, id: random.hex(8), by: 'fleetLock' }
      const isStill = { op: 'test', path: INTENT, value: announced } as const
      const written = { op: 'add', path: REQUEST, value: formatRecord(request) } as const
      await cluster.patchNode(name, [...sameNode(node), isStill, written], signal)
      return { kind: 'sent' }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError)) throw error
      return { kind: error.code === 'KUBE_FORBIDDEN' ? 'refused' : 'unsent', text: error.message }
    }
  }

  ownBootId(signal: AbortSignal): Promise<string | undefined> {
    return this.#parts.ownBootId(signal)
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}
