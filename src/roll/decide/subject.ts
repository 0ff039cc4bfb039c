import { present } from '../../ground/model/present.ts'
import type { RequestScope } from '../model/request-scope.ts'
import { hasCurrent, hasRebooted, type NodeSnapshot, ownIntent, ownRecord } from './node-snapshot.ts'
import type { MachineSnapshot } from './pair/machine-snapshot.ts'
import { hasRebooted as machineHasRebooted } from './pair/machine-snapshot.ts'
import type { RollSnapshot } from './snapshot.ts'

/** The node or the machine that gates, hooks and silences of the file are for. */
export interface Subject {
  readonly scope: RequestScope
  readonly name: string
  /** For a node its first internal address, if it has one; for a machine its host as ssh takes it. */
  readonly address?: string
}

/** A node or a machine is under way, or none. */
export type AnySnapshot = RollSnapshot | MachineSnapshot

/** The same rules hold for both. */
export type SubjectSnapshot = NodeSnapshot | MachineSnapshot

export const isOfMachine = (s: AnySnapshot): s is MachineSnapshot => 'host' in s

export const hasSubject = (s: AnySnapshot): s is SubjectSnapshot => isOfMachine(s) || hasCurrent(s)

export function subjectOf(s: SubjectSnapshot): Subject {
  if (isOfMachine(s)) return { scope: 'hosts', name: s.host.name, address: s.host.ssh }
  const { name, internalAddresses } = s.current.node
  const [address] = internalAddresses
  return { scope: 'nodes', name, ...present({ address }) }
}

/** As questions and commands are filled in for it. */
export function placeOf(s: SubjectSnapshot): { readonly node: string; readonly address?: string } {
  const { name: node, address } = subjectOf(s)
  return { node, ...present({ address }) }
}

/** The node or machine has a record of this run: the roll has begun it, and has not put it back. */
export const isBegun = (s: SubjectSnapshot): boolean =>
  isOfMachine(s) ? s.memory.record !== undefined : ownRecord(s) !== undefined

/** The node or machine has another boot id than was recorded. */
export function isRebooted(s: SubjectSnapshot): boolean {
  if (isOfMachine(s)) return machineHasRebooted(s)
  const record = ownRecord(s)
  return record !== undefined && hasRebooted({ ...s, record })
}

/** The reboot of the node or machine is announced, or it has rebooted: it is not restored any more. */
export const isBeyondRestore = (s: SubjectSnapshot): boolean => isBegun(s) && (isRebooted(s) || isAnnounced(s))

/** The reboot of the node or machine is announced. */
export const isAnnounced = (s: AnySnapshot): boolean =>
  isOfMachine(s) ? s.memory.intent === true : hasCurrent(s) && ownIntent(s) !== undefined
