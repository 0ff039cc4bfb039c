import { formatDuration } from '../../../ground/model/duration.ts'
import { present } from '../../../ground/model/present.ts'
import type { Reason, ReasonCode } from '../../../ground/model/reason.ts'
import { evenkeel, say } from '../../../ground/model/sentence.ts'
import { act, done, hold, holdWhere, type StepAnswer } from '../../../service/decide/step-answer.ts'
import { type AdminState, type ServerReading, serverKey } from '../../../service/model/balancer.ts'
import type { MachineAction, ServerBefore } from '../../model/host-pair.ts'
import { journalWritable, trafficMeasured } from '../guards.ts'
import { hooksAt, hooksUnwritten, isHookUnwritten, undoHooks } from '../hooks/hooks-due.ts'
import { isLeftUndone, lastWorkLimit } from '../last-work.ts'
import { beforeAttach } from '../requests.ts'
import { type MachineRule, overdue } from '../step-rule.ts'
import { lastHooks, notSoaked, soakHold } from '../steps/soak.ts'
import { moveDue, moveFailed } from './leave.ts'
import { recordOfMachine } from './machine-memory.ts'
import type { MachineSnapshot } from './machine-snapshot.ts'
import { isBeforeAttach } from './machine-snapshot.ts'
import {
  addressesHere,
  addressFaults,
  isOut,
  notWhole,
  othersSilent,
  othersSilentMs,
  ownInstances,
  ownMachine,
  serversOf,
  silentInstances,
  silentMachines,
  stillHere,
  twins,
} from './pair-state.ts'

const TRY_AGAIN_MS = 5000

/** Step 7: the machine answers with another boot id than the recorded one. */
export const proof: MachineRule = {
  step: 'proof',
  next(s) {
    if (s.memory.isProven === true) return done
    const text = `${s.host.name} has another boot id than before`
    const reason: Reason = { code: 'HostRebooted', object: s.host.name, text }
    return act([{ kind: 'proven', bootId: ownMachine(s)?.reading?.bootId ?? '' }], reason)
  },
}

/**
 * Step 9: its instances answer, and its servers are as they were before or as the other instances have them now.
 *
 * Law: an instance that comes back has each server out that the other instances have out, before it may have an address.
 */
export const settle: MachineRule = {
  step: 'settle',
  next(s) {
    if (s.evidence.isSoaked === true || !isBeforeAttach(s)) return done
    const hooks = hooksAt(s, 'afterReboot')
    // A hook waits for the journal. Commands that put servers right restore, and do not wait.
    if (hooks !== undefined) return hooks.reasons.some(isHookUnwritten) ? (putRight(s) ?? hooks) : hooks
    const against = notSettled(s)
    return against.length > 0 ? (putRight(s) ?? hold(against)) : (beforeAttach(s) ?? done)
  },
  limit(s) {
    if (!isBeforeAttach(s)) return undefined
    const { host, spec, run, evidence } = s
    // Gates and hooks have limits of their own, so the time that they alone took is added.
    const limitMs = spec.settle.limitMs + (evidence.gateWait?.ms ?? 0)
    return overdue(s, [evidence.provenSince, limitMs], () => {
      const first = hooksUnwritten(s, 'afterReboot')
      const against = first.length > 0 ? [] : notSettled(s)
      const unwritten = against.length > 0 ? [] : [...first, ...hooksUnwritten(s, 'beforeAttach')]
      const [what, repair] =
        unwritten.length > 0
          ? ['a hook was not run', 'make the journal writable']
          : ['its balancer was not as before', `repair ${host.name}`]
      const text = `${host.name} is back, and ${what} within the limit (${formatDuration(spec.settle.limitMs)})`
      const next = say`${repair}, then: ${evenkeel`roll resume ${run.id}`}`
      const reason: Reason = { code: 'HostNotSettled', object: host.name, text, next }
      return [reason, ...(unwritten.length > 0 ? unwritten : against)]
    })
  },
}

/** Step 10: the machine may have its addresses back, and the pair becomes whole again. */
export const attach: MachineRule = {
  step: 'attach',
  next(s) {
    const { isSoaked, moved, attachedAt } = s.evidence
    if (isSoaked === true) return done
    if (isBeforeAttach(s)) return moveBack(s)
    if (isLeftUnheard(s)) return done
    // An earlier process may have moved the addresses away again without an entry in its journal.
    const isUnsure = moved === undefined && addressesHere(s).length === 0
    const due = putRight(s) ?? (isUnsure ? holdWhere(notSettled(s)) : undefined) ?? moveDue(s, 'back', moveBack)
    const lost = silentSinceProof(s).length > 0 ? [] : serversLost(s).map(({ reason }) => reason)
    return due ?? holdWhere([...(attachedAt === undefined ? notWhole(s, moved?.at) : []), ...lost]) ?? done
  },
  limit(s) {
    const { attachingSince, attachDueSince: since = attachingSince, isSoaked } = s.evidence
    const against = isBeforeAttach(s) || isSoaked === true ? [] : notAttached(s)
    if (against.length === 0) return undefined
    const over = overdue(s, [since, s.spec.attach.limitMs], () => [pairNotWhole(s), ...against])
    return over !== undefined && isOfOthers(s, against) ? { kind: 'held', keepOut: false, reasons: against } : over
  },
}

/**
 * It has addresses, answers itself, and nothing is against it but that other machines are silent. Nobody else is known to carry the
 * traffic then, so this machine goes on with it.
 */
const isOfOthers = (s: MachineSnapshot, against: readonly Reason[]): boolean =>
  addressesHere(s).length > 0 &&
  against.every(
    ({ code, object = '' }) => SILENT.has(code) && object !== s.host.name && !s.host.instances.includes(object),
  )

const SILENT: ReadonlySet<ReasonCode> = new Set<ReasonCode>(['HostSilent', 'InstanceSilent'])

/** The roll goes no further, and has waited for the silent machines as long as for a pair to become whole. */
function isLeftUnheard(s: MachineSnapshot): boolean {
  const { attachingSince, attachDueSince: since = attachingSince } = s.evidence
  const isOver = since !== undefined && s.now - since >= s.spec.attach.limitMs
  return s.run.verdict !== undefined && isOver && isOfOthers(s, notAttached(s))
}

/** Why the pair is not as before: what its machines and instances say, a command that failed, servers that are to be put right. */
export function notAttached(s: MachineSnapshot): readonly Reason[] {
  const { moved } = s.evidence
  const failed = moved?.error === undefined ? [] : [moveFailed(s, moved.error)]
  return [...notWhole(s, moved?.at), ...failed, ...serversLost(s).map(({ reason }) => reason)]
}

/**
 * Step 11: traffic is watched. The machines are not asked at the same moment, so an address that moves may seem to be on both or on
 * none for a second.
 */
export const soak: MachineRule = {
  step: 'soak',
  next(s) {
    const { isSoaked, moved } = s.evidence
    const watching =
      isSoaked === true || isLeftUnheard(s) ? undefined : (holdWhere(notWhole(s, moved?.at)) ?? soakHold(s))
    return watching ?? (isLeftUndone(s) ? undefined : lastHooks(s)) ?? done
  },
  limit(s) {
    if (isBeforeAttach(s)) return undefined
    return s.evidence.isSoaked === true ? lastWorkLimit(s) : notSoaked(s)
  },
}

/**
 * Requests failed since the machine was put back, or the pair did not become whole: its addresses go to the other machines, which
 * carried the traffic well before. A machine that never gave its addresses away keeps them while the journal cannot be written:
 * without the entry, no later process would bring them back. So does one beside which no other machine answers, and none has for as
 * long as an address may take to move: there is nobody to take them.
 */
export const outAgain: MachineRule = {
  step: 'detach',
  next(s) {
    if (s.memory.wasAway !== true && journalWritable(s).length > 0) return done
    if (notMovedAway(s).length > 0 && !mayMoveAwayStill(s)) return done
    const silentMs = othersSilentMs(s)
    if (silentMs >= s.pair.moveLimitMs) return done
    if (silentMs > 0) return hold(othersSilent(s))
    const reason = s.run.verdict?.reasons[0] ?? { code: 'RequestsFailed', text: 'requests failed' }
    return moveDue(s, 'away', () => act([{ kind: 'moveAway' }], reason)) ?? done
  },
}

/** The command that moves its addresses away has failed, and was not repeated with success. */
export function notMovedAway(s: MachineSnapshot): readonly Reason[] {
  const { moved } = s.evidence
  return moved?.to === 'away' && moved.error !== undefined ? [moveFailed(s, moved.error)] : []
}

/** A machine that is off cannot take the command. Where the others carry its addresses, it is not needed either. */
function mayMoveAwayStill(s: MachineSnapshot): boolean {
  const isCarried = (ownMachine(s)?.silentForMs ?? 1) > 0 && stillHere(s).length === 0
  return !isCarried && s.now - (s.evidence.movingSince ?? s.now) < s.spec.attach.limitMs
}

/** Back without a reboot: the machine may have its addresses back. Its own rules decide which of them it gets. */
export const putBack: MachineRule = {
  step: 'attach',
  next(s) {
    if (s.memory.wasAway !== true) return undoHooks(s) ?? done
    const { moved } = s.evidence
    const why = s.run.verdict?.reasons[0] ?? { code: 'Aborted', text: 'the roll goes no further' }
    const due = moveDue(s, 'back', () => act([{ kind: 'moveBack' }], why))
    if (due !== undefined) return due
    const isAwaited = moved !== undefined && s.now - moved.at < s.pair.moveLimitMs
    const silent = silentMachines(s, moved?.at)
    const against = silent.length > 0 ? silent : addressFaults(s)
    return (isAwaited ? holdWhere(against) : undefined) ?? undoHooks(s) ?? done
  },
  /** The command that moves the addresses back fails again and again: the machine stays as it is. */
  limit(s) {
    const { moved, movingBackSince } = s.evidence
    const { error } = moved ?? {}
    if (moved?.to !== 'back' || error === undefined) return undefined
    return overdue(s, [movingBackSince, s.spec.attach.limitMs], () => [pairNotWhole(s), moveFailed(s, error)])
  },
}

const pairNotWhole = (s: MachineSnapshot): Reason => ({
  code: 'PairNotWhole',
  object: s.pair.name,
  text: `${s.host.name} is to have its addresses again, and ${s.pair.name} was not whole within the limit (${formatDuration(s.spec.attach.limitMs)})`,
  next: say`repair ${s.pair.name}, then: ${evenkeel`roll resume ${s.run.id}`}`,
})

function moveBack({ host, pair }: MachineSnapshot): StepAnswer<MachineAction> {
  const text = `${host.name} is as before, and may have ${pair.addresses.join(', ')} again`
  return act([{ kind: 'moveBack' }], { code: 'HostSettled', object: host.name, text })
}

/** What is missing before the machine may have its addresses back. */
function notSettled(s: MachineSnapshot): readonly Reason[] {
  const silent = silentSinceProof(s)
  if (silent.length > 0) return silent
  const lost = serversLost(s)
  if (lost.length > 0) return lost.map(({ reason }) => reason)
  const down = serversOf(ownInstances(s)).flatMap((server) => notUp(s, server))
  return down.length > 0 ? down : trafficMeasured(s)
}

function silentSinceProof(s: MachineSnapshot): readonly Reason[] {
  const own = ownInstances(s)
  const since = s.evidence.provenSince ?? 0
  const unread = own.filter(({ askedAt = 0, silentForMs }) => silentForMs === 0 && askedAt < since)
  const notYet = unread.map(({ instance }): Reason => {
    const text = `${instance} has not answered since the reboot yet`
    return { code: 'InstanceSilent', object: instance, text }
  })
  return [...silentInstances(own), ...notYet]
}

const before = ({ memory }: MachineSnapshot, { ref }: ServerReading): ServerBefore | undefined =>
  recordOfMachine(memory).servers.find((server) => serverKey(server.ref) === serverKey(ref))

/** A server has to be up by a check of this very instance, unless it was down before or is down on the other instances. */
function notUp(s: MachineSnapshot, server: ServerReading): readonly Reason[] {
  const others = twins(s, server)
  const isExpected =
    others.length === 0 ? before(s, server)?.up === true : others.every(({ operational }) => operational === 'up')
  if (!isExpected || isOut(server.ownState)) return []
  if (server.operational === 'up' && server.uncheckedYet !== true) return []
  const key = serverKey(server.ref)
  const text =
    server.operational === 'up'
      ? `${key} has not passed a check yet`
      : `${key} is ${server.operational}: ${server.checkText}`
  return [{ code: 'ServerNotUp', object: key, text }]
}

interface Lost {
  readonly action: Extract<MachineAction, { kind: 'restoreServer' }>
  readonly reason: Reason
}

/**
 * A server that another instance has out is out here too, since its node may be in work. Any other is ready if another instance has it,
 * and else as recorded.
 */
function wanted(s: MachineSnapshot, server: ServerReading): AdminState {
  const others = twins(s, server).map(({ ownState }) => ownState)
  const out = others.find(isOut)
  if (out !== undefined) return out
  return others.length > 0 ? 'ready' : (before(s, server)?.state ?? server.ownState)
}

/** A weight that a restart forgot is set again. Where the server has an agent check, its agent sets the weight. */
export const serversLost = (s: MachineSnapshot): readonly Lost[] =>
  serversOf(ownInstances(s)).flatMap((server): readonly Lost[] => {
    const { ref } = server
    const [key, to, was] = [serverKey(ref), wanted(s, server), before(s, server)?.weight]
    const state = isOut(to) === isOut(server.ownState) ? undefined : to
    const weight = was === server.weight || server.agent ? undefined : was
    if (state === undefined && weight === undefined) return []
    const text =
      state === undefined
        ? `${key} has lost its weight ${weight}`
        : `${key} is ${server.ownState}, and is to be ${state}`
    const action = { kind: 'restoreServer' as const, ref, ...present({ state, weight }) }
    return [{ action, reason: { code: 'ServerStateLost', object: key, text } }]
  })

/** Undefined: no server has to be put right, or an instance refused that a moment ago, or did it in vain, and it is waited for. */
function putRight(s: MachineSnapshot): StepAnswer<MachineAction> | undefined {
  if (silentSinceProof(s).length > 0) return undefined
  if (s.now - (s.evidence.refusedAt ?? Number.NEGATIVE_INFINITY) < TRY_AGAIN_MS) return undefined
  const { restored = {} } = s.evidence
  const lost = serversLost(s).filter(({ action }) => (restored[serverKey(action.ref)]?.notBefore ?? s.now) <= s.now)
  return lost.length === 0
    ? undefined
    : act(
        lost.map(({ action }) => action),
        ...lost.map(({ reason }) => reason),
      )
}
