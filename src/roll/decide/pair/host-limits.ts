import { formatDuration } from '../../../ground/model/duration.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { evenkeel, say } from '../../../ground/model/sentence.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { Verdict } from '../../model/verdict.ts'
import { blockedLimit } from '../blocked.ts'
import { hooksUnwritten } from '../hooks/hooks-due.ts'
import { notSoaked } from '../steps/soak.ts'
import { notSettled, notWhole } from './come-back.ts'
import type { HostSnapshot } from './host-snapshot.ts'
import { hasRebooted, isBeforeAttach } from './host-snapshot.ts'
import { moveFailed, stillHere } from './leave.ts'
import { silentMachines } from './pair-state.ts'
import { waiting } from './reboot-wait.ts'

/** The verdict once a machine has waited for too long. */
export function hostOutOfLimits(s: HostSnapshot): Verdict | undefined {
  const { memory, evidence, spec } = s
  const isGoingOn = s.run.verdict === undefined
  if (memory.record === undefined) return isGoingOn ? blockedLimit(s) : undefined
  if (hasRebooted(s)) {
    // What gates and hooks alone take has limits of its own.
    const settleMs = spec.settle.limitMs + (evidence.gateWait?.ms ?? 0)
    if (isBeforeAttach(s)) return overdue(s, [evidence.provenSince, settleMs], notSettledReason)
    if (evidence.isSoaked === true) return undefined
    return (
      overdue(s, [evidence.wholeAt ?? evidence.attachingSince, spec.attach.limitMs], notWholeReason) ?? notSoaked(s)
    )
  }
  if (memory.intent === true) return overdue(s, [evidence.rebootSince, spec.reboot.returnLimitMs], notBack)
  return isGoingOn ? (notMoved(s) ?? blockedLimit(s)) : notRestored(s)
}

type Over = (s: HostSnapshot) => { readonly reason: Reason; readonly why: readonly Reason[] }

type Wait = readonly [since: MonoMs | undefined, limitMs: number]

function overdue(s: HostSnapshot, [since, limitMs]: Wait, over: Over): Verdict | undefined {
  if (since === undefined || s.now - since < limitMs) return undefined
  const { reason, why } = over(s)
  return { kind: 'stopped', keepOut: true, reasons: [reason, ...why] }
}

/** The addresses did not go: the machine takes them back, and the roll ends. */
function notMoved(s: HostSnapshot): Verdict | undefined {
  const { moved, awaySince } = s.evidence
  if (moved?.to !== 'away' || awaySince !== undefined) return undefined
  if (s.now - (s.evidence.movingSince ?? moved.at) < s.pair.moveLimitMs) return undefined
  const why = [...silentMachines(s, moved.at), ...stillHere(s)]
  const text = `the addresses of ${s.host.name} were not on another machine within the limit (${formatDuration(s.pair.moveLimitMs)})`
  return { kind: 'held', keepOut: false, reasons: [{ code: 'AddressesNotMoved', object: s.host.name, text }, ...why] }
}

/** The command that has them come back fails again and again: it stays as it is. */
function notRestored(s: HostSnapshot): Verdict | undefined {
  const { moved, movingBackSince } = s.evidence
  const { error } = moved ?? {}
  if (moved?.to !== 'back' || error === undefined) return undefined
  return overdue(s, [movingBackSince, s.spec.attach.limitMs], () => ({
    ...notWholeReason(s),
    why: [moveFailed(s, error)],
  }))
}

function notBack(s: HostSnapshot): ReturnType<Over> {
  const { host, spec, run, evidence } = s
  // The command may have been lost, and the disk kept the roll from sending it again.
  const unwritten = (evidence.stuckReasons ?? []).filter(({ code }) => code === 'JournalNotWritable')
  const repair = unwritten.length > 0 ? 'make the journal writable' : `start ${host.name} again`
  return {
    reason: {
      code: 'HostDidNotReturn',
      object: host.name,
      text: `${host.name} did not come back with another boot id within the limit (${formatDuration(spec.reboot.returnLimitMs)})`,
      next: say`${repair}, then: ${evenkeel`roll resume ${run.id}`}`,
    },
    why: [...unwritten, ...(evidence.reboot?.answer.kind === 'sent' ? [] : [waiting(s)])],
  }
}

function notSettledReason(s: HostSnapshot): ReturnType<Over> {
  const { host, spec, run } = s
  const first = hooksUnwritten(s, 'afterReboot')
  const against = first.length > 0 ? [] : notSettled(s)
  const unwritten = against.length > 0 ? [] : [...first, ...hooksUnwritten(s, 'beforeAttach')]
  const [what, repair] =
    unwritten.length > 0
      ? ['a hook was not run', 'make the journal writable']
      : ['its balancer was not as before', `repair ${host.name}`]
  return {
    reason: {
      code: 'HostNotSettled',
      object: host.name,
      text: `${host.name} is back, and ${what} within the limit (${formatDuration(spec.settle.limitMs)})`,
      next: say`${repair}, then: ${evenkeel`roll resume ${run.id}`}`,
    },
    why: unwritten.length > 0 ? unwritten : against,
  }
}

const notWholeReason = (s: HostSnapshot): ReturnType<Over> => ({
  reason: {
    code: 'PairNotWhole',
    object: s.pair.name,
    text: `${s.host.name} is to have its addresses again, and ${s.pair.name} was not whole within the limit (${formatDuration(s.spec.attach.limitMs)})`,
    next: say`repair ${s.pair.name}, then: ${evenkeel`roll resume ${s.run.id}`}`,
  },
  why: notWhole(s),
})
