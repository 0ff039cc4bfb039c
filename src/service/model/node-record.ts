import type { Taint } from '../../ground/model/node.ts'
import type { AdminState, ServerReading } from './balancer.ts'

export const RECORD_ANNOTATION = 'evenkeel.dev/record'
export const INTENT_ANNOTATION = 'evenkeel.dev/intent'
/** What a roll asks of the rebooter on the node, or allows the client that asks by FleetLock. */
export const REQUEST_ANNOTATION = 'evenkeel.dev/reboot-request'
/** Keeps DaemonSet pods that were drained by choice from being put back before the reboot. */
export const OUT_TAINT: Taint = { key: 'evenkeel.dev/out', effect: 'NoSchedule' }

export interface RecordedServer {
  readonly balancer: string
  readonly instance: string
  readonly backend: string
  readonly server: string
  readonly address: string
  readonly port: number
  readonly state: AdminState
  /** What was to be set on the Node to take it out, in words. Absent: nothing, and in records of earlier versions. */
  readonly nodeMark?: string
  /** Whether it was sent traffic. Absent in records of earlier versions. */
  readonly operational?: ServerReading['operational']
}

/** A DaemonSet's or mirror pod as it was: other container ids prove its start after the reboot. */
export interface RecordedDaemon {
  readonly kind: 'DaemonSet' | 'mirror'
  readonly namespace: string
  /** Of the DaemonSet, or of the mirror pod itself. */
  readonly name: string
  readonly containerIds: readonly string[]
  readonly ready: boolean
}

/**
 * The state before the roll, in an annotation of the Node, so that the Node shows its own way back. Written once, removed last.
 */
export interface NodeRecord {
  readonly version: 1
  readonly run: string
  /** Why the run takes the node out, for people. Absent where no reason was given, and in records of earlier versions. */
  readonly reason?: string
  readonly at: string
  /** The namespace of the slot's Lease. Absent in records of earlier versions. */
  readonly slotNamespace?: string
  readonly bootId: string
  readonly unschedulable: boolean
  readonly taints: readonly Taint[]
  readonly servers: readonly RecordedServer[]
  readonly daemons: readonly RecordedDaemon[]
  /** Workload key → ready count. */
  readonly workloads: Readonly<Record<string, number>>
  /** Ready endpoints of the cluster's DNS Service. */
  readonly dnsReady: number
}

/** Written before the reboot command is sent: from then on the node is never attached without proof. */
export interface RebootIntent {
  readonly version: 1
  readonly run: string
  readonly bootId: string
  readonly at: string
}

/** Nothing is rebooted by it until its roll has given back the word of the rebooter's answer. */
export interface RebootRequest {
  readonly version: 1
  readonly run: string
  readonly bootId: string
  /** Of this request and no other. */
  readonly id: string
  readonly word?: string
  /** The client on the machine may reboot it, and no rebooter acts on it. */
  readonly by?: 'fleetLock'
}

export const formatRecord = (record: NodeRecord | RebootIntent | RebootRequest): string => JSON.stringify(record)
