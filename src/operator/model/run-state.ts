import { isJsonObject } from '../../ground/model/json-object.ts'
import type { WantedStatus } from '../../ground/model/object-status.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { RollOutcome } from '../../roll/model/roll-event.ts'
import type { Step } from '../../roll/model/step.ts'

/** A node of a run that is in work, out, or was left otherwise than in service. */
export interface SeenNode {
  readonly name: string
  readonly state: 'inWork' | 'out' | 'restored' | 'gone' | 'inService'
  readonly step?: Step
  /** ISO 8601: since when it is in this step, or has ended. */
  readonly since?: string
  readonly failedRequests: number
  readonly podsMoved: number
  /** Why it waits, or what became of it. */
  readonly text?: string
}

/** The states in the status of a Roll. */
export const STATE_WORDS: Readonly<Record<SeenNode['state'], string>> = {
  inWork: 'InWork',
  out: 'Out',
  gone: 'Gone',
  restored: 'Restored',
  inService: 'InService',
}

/** Whether a status has a node that is out. */
export const keepsOut = ({ nodes }: WantedStatus['fields']): boolean =>
  Array.isArray(nodes) && nodes.some((node) => isJsonObject(node) && node.state === STATE_WORDS.out)

/** Whether a status tells that the run of a single node has had it in work. */
export const hasTaken = ({ nodesDone, nodes }: WantedStatus['fields']): boolean =>
  (typeof nodesDone === 'number' && nodesDone > 0) ||
  (Array.isArray(nodes) && nodes.some((node) => isJsonObject(node) && node.step !== 'slot'))

/** A run as its journal tells it. */
export interface SeenRun {
  readonly name: string
  readonly total: number
  readonly done: number
  readonly podsMoved: number
  /** Absent: nothing was measured yet. */
  readonly sent?: number
  readonly failed?: number
  /** ISO 8601. */
  readonly startedAt?: string
  readonly endedAt?: string
  /** Without nodes that are done and lost no request, and those that are not begun. */
  readonly nodes: readonly SeenNode[]
  /** What holds it now. */
  readonly held: readonly Reason[]
  /** Absent: it has not ended. A process that was interrupted or killed is no end. */
  readonly end?: {
    readonly outcome: Exclude<RollOutcome, 'interrupted'>
    readonly reasons: readonly Reason[]
    /** Nodes that it left out. */
    readonly out: readonly string[]
  }
}

/** Why the last pod of a Job ended, as its kubelet reported it. */
export interface PodEnd {
  readonly exitCode: number
  /** The end of its output, as one line. */
  readonly message: string
}
