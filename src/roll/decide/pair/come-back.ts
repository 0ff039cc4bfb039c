import type { Reason } from '../../../ground/model/reason.ts'
import { type AdminState, type ServerReading, serverKey } from '../../../service/model/balancer.ts'
import type { HostAction, ServerBefore } from '../../model/host-pair.ts'
import { journalWritable, trafficMeasured } from '../guards.ts'
import { hooksAt, isHookUnwritten, undoHooks } from '../hooks/hooks-due.ts'
import { beforeAttach } from '../requests.ts'
import { soakHold } from '../steps/soak.ts'
import { actOn, atStep, type HostDecision, holdAt } from './host-decision.ts'
import { recordOfHost } from './host-memory.ts'
import type { HostSnapshot } from './host-snapshot.ts'
import { isBeforeAttach } from './host-snapshot.ts'
import { moveFailed } from './leave.ts'
import {
  addressesHere,
  addressFaults,
  disagreements,
  isOut,
  ownInstances,
  serversOf,
  silentInstances,
  silentMachines,
  twins,
} from './pair-state.ts'

const TRY_AGAIN_MS = 5000

/**
 * After the reboot: its instances answer, its servers are as they were before or as the other instances have them now, then it
 * may have its addresses back, and the pair is whole again.
 *
 * Law: an instance that comes back has each server out that the other instances have out, before it may have an address.
 */
export function comeBack(s: HostSnapshot): HostDecision {
  const { memory, evidence } = s
  if (memory.isProven !== true) return proven(s)
  if (s.run.verdict?.keepOut === true) return takeOutAgain(s)
  if (evidence.isSoaked === true) return lastHooks(s) ?? through(s)
  return isBeforeAttach(s) ? settling(s) : attaching(s)
}

function settling(s: HostSnapshot): HostDecision {
  const hooks = atStep('settle', hooksAt(s, 'afterReboot'))
  // What puts its servers right restores, and waits for no journal.
  if (hooks !== undefined) return hooks.reasons.some(isHookUnwritten) ? (putRight(s) ?? hooks) : hooks
  const against = notSettled(s)
  if (against.length > 0) return putRight(s) ?? holdAt('settle', against)
  return atStep('settle', beforeAttach(s)) ?? moveBack(s)
}

function attaching(s: HostSnapshot): HostDecision {
  const { evidence } = s
  const lost = putRight(s)
  if (lost !== undefined) return lost
  const { moved } = evidence
  // An earlier process may have moved them away again, and its journal may not have it.
  if (moved === undefined && addressesHere(s).length === 0) {
    const against = notSettled(s)
    if (against.length > 0) return holdAt('attach', against)
  }
  if (moved?.to !== 'back' || moved.error !== undefined) {
    const isSoon = moved?.error !== undefined && s.now - moved.at < TRY_AGAIN_MS
    return isSoon ? holdAt('attach', [moveFailed(s, moved.error)]) : moveBack(s)
  }
  const against = notWhole(s)
  // The machines are not asked at the same moment: an address that moves is on both of them, or on none, for a second.
  if (against.length > 0) return holdAt(evidence.attachedAt === undefined ? 'attach' : 'soak', against)
  const watching = soakHold(s)
  if (watching !== undefined) return { ...watching, step: 'soak' }
  return lastHooks(s) ?? through(s)
}

const lastHooks = (s: HostSnapshot): HostDecision | undefined => atStep('soak', undoHooks(s) ?? hooksAt(s, 'afterNode'))

function through({ host, pair }: HostSnapshot): HostDecision {
  const text = `${host.name} is back with another boot id, and ${pair.name} is whole`
  return { kind: 'settled', end: 'through', reasons: [{ code: 'HostBack', object: host.name, text }] }
}

function proven(s: HostSnapshot): HostDecision {
  const own = s.machines.find(({ machine }) => machine.name === s.host.name)
  const bootId = own?.look?.bootId ?? ''
  const text = `${s.host.name} has another boot id than before`
  return actOn('proof', { kind: 'proven', bootId }, { code: 'HostRebooted', object: s.host.name, text })
}

/**
 * Requests failed since it was put back, or the pair did not become whole: the other machines carried the traffic well. A machine
 * that never gave its addresses away keeps them while the journal cannot be written: no later process would know that they are
 * to come back.
 */
function takeOutAgain(s: HostSnapshot): HostDecision {
  const reasons = s.run.verdict?.reasons ?? []
  const unwritten = s.memory.wasAway === true ? [] : journalWritable(s)
  if (unwritten.length > 0) return { kind: 'settled', end: 'keptOut', reasons: [...reasons, ...unwritten] }
  const reason: Reason = reasons[0] ?? { code: 'RequestsFailed', text: 'requests failed' }
  return actOn('detach', { kind: 'moveAway' }, reason)
}

/** What is missing before it may have its addresses back. */
export function notSettled(s: HostSnapshot): readonly Reason[] {
  const silent = silentSinceProof(s)
  if (silent.length > 0) return silent
  const lost = serversLost(s)
  if (lost.length > 0) return lost.map(({ reason }) => reason)
  const { servers } = recordOfHost(s.memory)
  const down = serversOf(ownInstances(s)).flatMap((server) => notUp(s, server, before(servers, server)))
  return down.length > 0 ? down : trafficMeasured(s)
}

const silentSinceProof = (s: HostSnapshot): readonly Reason[] => {
  const since = s.evidence.provenSince
  const own = ownInstances(s)
  const unread = own
    .filter(({ askedAt = 0, silentForMs }) => silentForMs === 0 && askedAt < (since ?? 0))
    .map(({ instance }) => ({
      code: 'InstanceSilent' as const,
      object: instance,
      text: `${instance} has not answered since the reboot yet`,
    }))
  return [...silentInstances(own), ...unread]
}

const before = (servers: readonly ServerBefore[], { ref }: ServerReading): ServerBefore | undefined =>
  servers.find((server) => serverKey(server.ref) === serverKey(ref))

/** Up with a check that has passed on this very instance; a server that was down before, or is down at the others, may be. */
function notUp(s: HostSnapshot, server: ServerReading, was: ServerBefore | undefined): readonly Reason[] {
  const others = twins(s, server)
  const isExpected = others.length === 0 ? was?.up === true : others.every(({ operational }) => operational === 'up')
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
  readonly action: HostAction
  readonly reason: Reason
}

/** A server that another instance has out stays out, since its node may be in work. Any other gets its recorded state, or the state on the other instances. */
function wanted(s: HostSnapshot, server: ServerReading, was: ServerBefore | undefined): AdminState {
  const others = twins(s, server).map(({ ownState }) => ownState)
  const out = others.find(isOut)
  if (out !== undefined) return out
  return others.length > 0 ? 'ready' : (was?.state ?? server.ownState)
}

function serversLost(s: HostSnapshot): readonly Lost[] {
  const { servers } = recordOfHost(s.memory)
  return serversOf(ownInstances(s)).flatMap((server): readonly Lost[] => {
    const was = before(servers, server)
    const state = wanted(s, server, was)
    const key = serverKey(server.ref)
    const isLost = isOut(state) !== isOut(server.ownState)
    const weight = was === undefined || was.weight === server.weight ? {} : { weight: was.weight }
    if (!isLost && Object.keys(weight).length === 0) return []
    const text = isLost
      ? `${key} is ${server.ownState}, and is to be ${state}`
      : `${key} has lost its weight ${was?.weight}`
    const action = { kind: 'restoreServer' as const, ref: server.ref, ...(isLost ? { state } : {}), ...weight }
    return [{ action, reason: { code: 'ServerStateLost', object: key, text } }]
  })
}

/** Undefined: nothing was lost, or the instance refused it a moment ago. */
function putRight(s: HostSnapshot): HostDecision | undefined {
  if (silentSinceProof(s).length > 0) return undefined
  if (s.now - (s.evidence.refusedAt ?? Number.NEGATIVE_INFINITY) < TRY_AGAIN_MS) return undefined
  const lost = serversLost(s)
  if (lost.length === 0) return undefined
  return {
    kind: 'act',
    step: isBeforeAttach(s) ? 'settle' : 'attach',
    actions: lost.map(({ action }) => action),
    reasons: lost.map(({ reason }) => reason),
  }
}

const moveBack = ({ host, pair }: HostSnapshot): HostDecision =>
  actOn(
    'attach',
    { kind: 'moveBack' },
    {
      code: 'HostSettled',
      object: host.name,
      text: `${host.name} is as before, and may have ${pair.addresses.join(', ')} again`,
    },
  )

/** All machines and instances answer since the command, and each address is on one machine. */
export function notWhole(s: HostSnapshot): readonly Reason[] {
  const silent = [...silentMachines(s, s.evidence.moved?.at), ...silentInstances(s.instances)]
  return silent.length > 0 ? silent : [...addressFaults(s), ...disagreements(s)]
}
