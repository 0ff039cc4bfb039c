import type { HookAction } from '../../service/model/action.ts'
import type { AdminState, ServerRef } from '../../service/model/balancer.ts'

/** A machine that runs balancer processes and is no Kubernetes node. */
export interface PairMachine {
  /** The name in plans, progress and reports. */
  readonly name: string
  /** The host as ssh takes it. */
  readonly ssh: string
  /** Names of `balancers[].instances` that run on it. */
  readonly instances: readonly string[]
}

/** Machines that replace each other: each virtual address is on exactly one of them. */
export interface HostPair {
  readonly name: string
  readonly addresses: readonly string[]
  readonly machines: readonly PairMachine[]
  /** Makes the machine give its virtual addresses to another one. A second run changes nothing. */
  readonly moveAway: readonly string[]
  /** Undoes `moveAway`. */
  readonly moveBack: readonly string[]
  /**
   * Fails where the machine lacks what `moveAway` needs, and changes nothing. Absent: `moveAway` is a command of the operator.
   */
  readonly checkMove?: readonly string[]
  /** Where both run: on the machine by ssh, or on this machine with `{host}` and `{ssh}` replaced. */
  readonly runs: 'onHost' | 'here'
  readonly commandTimeoutMs: number
  /** From the command until the addresses are on another machine. */
  readonly moveLimitMs: number
  /** How long connections that are left on the machine are waited for. */
  readonly connectionsLimitMs: number
}

/** A machine, and those that stand in for it. */
export interface MachinePlace {
  readonly pair: HostPair
  readonly host: PairMachine
}

/** The machines of the load balancers, which the roll reboots beside the nodes. */
export interface HostsSpec {
  /** Before all nodes, or after them. */
  readonly order: 'first' | 'last'
  readonly pairs: readonly HostPair[]
}

/** The answer of a machine about itself. */
export interface MachineReading {
  readonly bootId: string
  /** All addresses of all its interfaces but the loopback, canonical, without prefix length. */
  readonly addresses: readonly string[]
}

/** A server of an instance as it was before the machine was touched. */
export interface ServerBefore {
  readonly ref: ServerRef
  readonly state: AdminState
  readonly weight: number
  /** It would take traffic if it were `ready`. */
  readonly up: boolean
}

/** The state before the roll. Only the journal has it; nothing is written on the machine. */
export interface MachineRecord {
  readonly bootId: string
  readonly servers: readonly ServerBefore[]
}

/** One action on a machine, or one fact about it for the journal. */
export type MachineAction =
  | { readonly kind: 'releaseSlot' }
  /** `takeStale`: also from an owner that is gone. */
  | { readonly kind: 'takeSlot'; readonly takeStale?: true }
  | { readonly kind: 'record'; readonly record: MachineRecord }
  | { readonly kind: 'moveAway' }
  /** Announces the reboot in the journal, and sends it. */
  | { readonly kind: 'reboot'; readonly bootId: string }
  /** The machine was seen with another boot id. */
  | { readonly kind: 'proven'; readonly bootId: string }
  | { readonly kind: 'restoreServer'; readonly ref: ServerRef; readonly state?: AdminState; readonly weight?: number }
  | { readonly kind: 'moveBack' }
  | HookAction

/** These actions must be in the journal before they are done; the others put back, or change nothing. */
export const disruptsMachine = ({ kind }: MachineAction): boolean =>
  kind === 'record' || kind === 'moveAway' || kind === 'reboot' || kind === 'runHook'

export const hostNames = (spec: HostsSpec | undefined): readonly string[] =>
  (spec?.pairs ?? []).flatMap(({ machines }) => machines.map(({ name }) => name))
