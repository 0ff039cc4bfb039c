import { formatDuration } from '../../../ground/model/duration.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { evenkeel, say } from '../../../ground/model/sentence.ts'
import { act, done, hold, holdWhere, type StepAnswer } from '../../../service/decide/step-answer.ts'
import type { MachineAction } from '../../model/host-pair.ts'
import { journalWritable } from '../guards.ts'
import { beforeLeaving, beforeReboot } from '../requests.ts'
import { type MachineRule, overdue } from '../step-rule.ts'
import { resendAfterMs, unsureOfReboot } from '../steps/reboot.ts'
import { mayLeave, mayTouch, othersCarry } from './machine-guards.ts'
import { recordOfMachine } from './machine-memory.ts'
import type { MachineSnapshot } from './machine-snapshot.ts'
import { addressesHere, answersSince, notWhole, ownMachine, silentMachines, stillHere } from './pair-state.ts'

const TRY_AGAIN_MS = 5000
/** A command that did not fail has so long to move an address that came back. */
const MOVE_AGAIN_MS = 30_000

/** Step 4: the addresses go to another machine, and the connections of clients to this one end. */
export const detach: MachineRule = {
  step: 'detach',
  next(s) {
    const { memory, evidence } = s
    // The reboot is announced. Before its command is sent again, an address that came back has to go again.
    if (memory.intent === true) return (isUnheard(s) ? moveAgain(s) : undefined) ?? done
    if (memory.isAway !== true) return holdWhere([...mayLeave(s), ...notWhole(s)]) ?? beforeLeaving(s) ?? moveAway(s)
    return (
      moveDue(s, 'away', moveAway) ??
      holdWhere(silentMachines(s, evidence.moved?.at)) ??
      holdWhere(stillHere(s)) ??
      holdWhere(connectionsLeft(s)) ??
      holdWhere([...mayLeave(s), ...othersCarry(s)]) ??
      done
    )
  },
  /** The addresses did not go within the limit: the machine takes them back, and the roll ends. */
  limit(s) {
    const { moved, awaySince, movingSince } = s.evidence
    if (s.memory.intent === true || moved?.to !== 'away' || awaySince !== undefined) return undefined
    if (s.now - (movingSince ?? moved.at) < s.pair.moveLimitMs) return undefined
    const text = `the addresses of ${s.host.name} were not on another machine within the limit (${formatDuration(s.pair.moveLimitMs)})`
    const reason: Reason = { code: 'AddressesNotMoved', object: s.host.name, text }
    return { kind: 'held', keepOut: false, reasons: [reason, ...silentMachines(s, moved.at), ...stillHere(s)] }
  },
}

/** Waits for the journal, also before the command is repeated: what only the journal refuses would have no reason and no limit. */
function moveAway(s: MachineSnapshot): StepAnswer<MachineAction> {
  const text = `${s.pair.addresses.join(', ')} is to be on another machine than ${s.host.name}`
  const reason: Reason = { code: 'AddressesToMove', object: s.host.name, text }
  return holdWhere(journalWritable(s)) ?? act([{ kind: 'moveAway' }], reason)
}

/** A command that failed is sent again after a while. Undefined: it was sent, and did not fail. */
export function moveDue(
  s: MachineSnapshot,
  to: 'away' | 'back',
  command: (s: MachineSnapshot) => StepAnswer<MachineAction>,
): StepAnswer<MachineAction> | undefined {
  const { moved } = s.evidence
  if (moved?.to !== to) return command(s)
  if (moved.error === undefined) return undefined
  return s.now - moved.at < TRY_AGAIN_MS ? hold([moveFailed(s, moved.error)]) : command(s)
}

export const moveFailed = ({ host }: MachineSnapshot, error: string): Reason => ({
  code: 'MoveFailed',
  object: host.name,
  text: `the command that moves the addresses of ${host.name} failed: ${error}`,
})

function connectionsLeft(s: MachineSnapshot): readonly Reason[] {
  const { connections, evidence, pair, host, now } = s
  const isNews = connections !== undefined && connections.askedAt >= (evidence.awaySince ?? Number.POSITIVE_INFINITY)
  if (isNews && connections.count === 0) return []
  if (now - (evidence.awaySince ?? now) >= pair.connectionsLimitMs) return []
  const text = isNews
    ? `${connections.count} connections to ${host.name} are left`
    : `the connections to ${host.name} are not counted yet`
  return [{ code: 'HostConnectionsLeft', object: host.name, text }]
}

/**
 * Step 6: the reboot is announced in the journal, and sent. It is sent again only after `reboot.resendAfter`, and only to a machine that
 * still answers with the recorded boot id and has none of the addresses.
 *
 * Law: a machine is rebooted only once its virtual addresses were seen on another machine, and on it no more.
 */
export const reboot: MachineRule = {
  step: 'reboot',
  next(s) {
    if (s.memory.intent !== true) return beforeReboot(s) ?? send(s, { code: 'HostIsOut', ...isOut(s) })
    if (!isUnheard(s)) return hold([waiting(s)])
    const text = 'no other boot id was seen since the command'
    return holdWhere([...mayTouch(s), ...othersCarry(s), ...stillHere(s)]) ?? send(s, { code: 'RebootUnheard', text })
  },
  limit(s) {
    const { host, spec, run, evidence } = s
    // The command may have been lost, and the disk kept the roll from sending it again.
    const unwritten = (evidence.stuckReasons ?? []).filter(({ code }) => code === 'JournalNotWritable')
    const repair = unwritten.length > 0 ? 'make the journal writable' : `start ${host.name} again`
    return overdue(s, [evidence.rebootSince, spec.reboot.returnLimitMs], () => [
      {
        code: 'HostDidNotReturn',
        object: host.name,
        text: `${host.name} did not come back with another boot id within the limit (${formatDuration(spec.reboot.returnLimitMs)})`,
        next: say`${repair}, then: ${evenkeel`roll resume ${run.id}`}`,
      },
      ...unwritten,
      ...(evidence.reboot?.answer.kind === 'sent' ? [] : [waiting(s)]),
    ])
  },
}

const send = ({ memory }: MachineSnapshot, reason: Reason): StepAnswer<MachineAction> =>
  act([{ kind: 'reboot', bootId: recordOfMachine(memory).bootId }], reason)

function isOut({ connections, host, pair }: MachineSnapshot): Omit<Reason, 'code'> {
  const ended =
    connections?.count === 0
      ? `no connection to ${host.name} is left`
      : `the limit for connections to ${host.name} is over (${connections?.count ?? 'an unknown number'} left)`
  return { object: host.name, text: `the addresses of ${pair.name} are on another machine, and ${ended}` }
}

/** The machine answers, although its reboot was sent long ago. */
function isUnheard(s: MachineSnapshot): boolean {
  const { evidence, now } = s
  const since = evidence.reboot?.at ?? evidence.rebootSince ?? now
  const own = ownMachine(s)
  return own !== undefined && answersSince(own, since) && now - since >= resendAfterMs(s, evidence.reboot?.answer)
}

/** Undefined: it has no address any more, or the command that moves it away was sent a moment ago, and did not fail. */
function moveAgain(s: MachineSnapshot): StepAnswer<MachineAction> | undefined {
  const { moved } = s.evidence
  if (addressesHere(s).length === 0) return undefined
  const isSent = moved !== undefined && s.now - moved.at < MOVE_AGAIN_MS
  return moveDue(s, 'away', moveAway) ?? (isSent ? undefined : moveAway(s))
}

function waiting({ host: { name: object }, evidence: { reboot: sent } }: MachineSnapshot): Reason {
  const answer = sent?.answer
  if (answer?.kind !== 'sent' && answer?.kind !== 'otherBoot') return unsureOfReboot(object, answer)
  return { code: 'HostRebooting', object, text: `${object} is rebooting; it has not answered with another boot id yet` }
}
