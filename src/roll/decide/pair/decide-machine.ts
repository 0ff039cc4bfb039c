import type { Reason } from '../../../ground/model/reason.ts'
import type { MachineAction } from '../../model/host-pair.ts'
import { journalWritable } from '../guards.ts'
import { isLeftUndone } from '../last-work.ts'
import { type AtStep, climb, type MachineRule } from '../step-rule.ts'
import { record, renewed, slot, slotHeld } from './begin.ts'
import { attach, notMovedAway, outAgain, proof, putBack, settle, soak } from './come-back.ts'
import { detach, reboot } from './leave.ts'
import type { MachineSnapshot } from './machine-snapshot.ts'
import { hasRebooted } from './machine-snapshot.ts'
import { othersSilent } from './pair-state.ts'

/** How the work on a machine ends in this process. */
export type MachineEnd = 'through' | 'restored' | 'notTouched' | 'keptOut'

export type MachineDecision =
  | AtStep<MachineAction>
  | { readonly kind: 'settled'; readonly end: MachineEnd; readonly reasons: readonly Reason[] }

/** Before anything was done to the machine. */
const BEGIN: readonly MachineRule[] = [slot, record]

/** Without its addresses, down to the reboot. */
const GOING_DOWN: readonly MachineRule[] = [slotHeld, renewed('detach'), detach, reboot]

/** Back, after a reboot. */
const COMING_BACK: readonly MachineRule[] = [slotHeld, renewed('settle'), proof, settle, attach, soak]

/** Out again, because the machine failed after its reboot. */
const KEPT_OUT: readonly MachineRule[] = [slotHeld, renewed('settle'), proof, outAgain]

/** Back without a reboot. */
const RESTORING: readonly MachineRule[] = [slotHeld, renewed('detach'), putBack]

/** The ladder of a machine follows from what the journal has of it, from its boot id and from the verdict. */
export function machineLadder(s: MachineSnapshot): readonly MachineRule[] {
  const { memory, run } = s
  if (memory.record === undefined) return BEGIN
  if (hasRebooted(s)) return COMING_BACK
  return memory.intent === true || run.verdict === undefined ? GOING_DOWN : RESTORING
}

/**
 * What to do next about one machine of a pair. A process that was killed at any line is followed by one that goes on from there.
 *
 * Law: the machines of a pair are taken one at a time, and only from a pair that is whole.
 */
export function decideMachine(s: MachineSnapshot): MachineDecision {
  const { memory, run } = s
  const { reasons = [], keepOut } = run.verdict ?? {}
  if (memory.record === undefined && run.verdict !== undefined) return { kind: 'settled', end: 'notTouched', reasons }
  // Without the slot nothing is sent to it.
  const isMoved = memory.isAway === true && notMovedAway(s).length === 0
  const isLeftSo = isMoved || !hasRebooted(s) || s.slot.state === 'lost'
  if (memory.record !== undefined && keepOut === true && isLeftSo) return { kind: 'settled', end: 'keptOut', reasons }
  return climb(keepOut === true ? KEPT_OUT : machineLadder(s), s) ?? ended(s)
}

function ended(s: MachineSnapshot): MachineDecision {
  const { host, pair, run } = s
  const { reasons = [], keepOut } = run.verdict ?? {}
  if (keepOut === true) {
    const silent = othersSilent(s).filter(
      (more) => !reasons.some(({ code, object }) => code === more.code && object === more.object),
    )
    const against = [...reasons, ...notMovedAway(s), ...journalWritable(s), ...silent]
    return { kind: 'settled', end: 'keptOut', reasons: against }
  }
  if (!hasRebooted(s)) return { kind: 'settled', end: 'restored', reasons }
  if (isLeftUndone(s)) return { kind: 'settled', end: 'keptOut', reasons }
  const silent = othersSilent(s)
  if (silent.length > 0) return { kind: 'settled', end: 'through', reasons: silent }
  const text = `${host.name} is back with another boot id, and ${pair.name} is whole`
  return { kind: 'settled', end: 'through', reasons: [{ code: 'HostBack', object: host.name, text }] }
}
