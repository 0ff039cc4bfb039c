import { invariant } from '../../../ground/model/invariant.ts'
import type { MachineAction, MachineRecord } from '../../model/host-pair.ts'

/**
 * What a run knows of a machine that it has begun. All of it is in the journal, in the order in which it happened. A
 * process that resumes the run folds the same entries, so that it goes on where the last one was killed.
 */
export interface MachineMemory {
  /** Absent: it was not begun, or was restored since. */
  readonly record?: MachineRecord
  /** It was sent the command to give its addresses away, and not yet the one to take them back. */
  readonly isAway?: true
  /** It was sent the command to give its addresses away at some time since it was begun. */
  readonly wasAway?: true
  /** Its reboot is announced. */
  readonly intent?: true
  /** It was seen with another boot id than the recorded one. */
  readonly isProven?: true
  /** It is back in service with its proof. */
  readonly isThrough?: true
}

/** One line of the journal about a machine. */
export type MachineEntry =
  | { readonly host: string; readonly meant: MachineAction }
  | { readonly host: string; readonly ended: 'through' | 'restored' }

/** Entries about what disrupts: what the disk refuses is not done. */
export const MACHINE_MEANT = 'host.meant'
/** Entries about what restores, and how the work ended: done in any case, and written once the disk takes them. */
export const MACHINE_ENTRY = 'host'

export const isMachineEntry = <Entry extends { readonly type: string }>(entry: Entry): entry is Entry & MachineEntry =>
  entry.type === MACHINE_MEANT || entry.type === MACHINE_ENTRY

export function rememberMachine(memory: MachineMemory, entry: MachineEntry): MachineMemory {
  if ('ended' in entry) return entry.ended === 'through' ? { isThrough: true } : {}
  const { meant } = entry
  switch (meant.kind) {
    case 'record':
      return { record: meant.record }
    case 'moveAway':
      return { ...memory, isAway: true, wasAway: true }
    case 'moveBack': {
      const { isAway: _, ...rest } = memory
      return rest
    }
    case 'reboot':
      return { ...memory, intent: true }
    case 'proven':
      return { ...memory, isProven: true }
    case 'takeSlot':
    case 'releaseSlot':
    case 'restoreServer':
    case 'runHook':
    case 'undoHook':
      return memory
  }
}

/** It has a record, which says what was there before. */
export function recordOfMachine({ record }: MachineMemory): MachineRecord {
  invariant(record !== undefined, 'a machine that was begun has a record')
  return record
}

export const isBegun = ({ record }: MachineMemory): boolean => record !== undefined
