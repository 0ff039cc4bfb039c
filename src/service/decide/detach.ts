import type { Reason } from '../../ground/model/reason.ts'
import { actuatorOf } from '../actuators/actuator-of.ts'
import type { Action, TrafficAction } from '../model/action.ts'
import { serverKey } from '../model/balancer.ts'
import { mayBeTaken, othersChecked } from './may-be-taken.ts'
import {
  isSilent,
  lostServers,
  type NodeServer,
  nodeServers,
  notItsAddress,
  notRecorded,
  silentInstance,
  unrecordedServers,
} from './node-servers.ts'
import type { ServiceGuards, ServiceSnapshot } from './service-snapshot.ts'
import { act, done, hold, RECHECK_MS, type StepAnswer } from './step-answer.ts'

/**
 * What a detach waits for, step 4 of a roll: every instance's read-back confirms it, and traffic has stopped, or what is left
 * after the limit was cut.
 *
 * Law: an instance that cannot be asked confirms nothing, however long it is silent.
 */
export function detach(s: ServiceSnapshot, guards: ServiceGuards): StepAnswer {
  const servers = nodeServers(s)
  const answer = takeServersOut(s, servers, guards)
  if (answer !== undefined) return answer
  const unnoticed = servers.flatMap((server) => actuatorOf(s, server).unnoticed(s, server, 'out') ?? [])
  if (unnoticed.length > 0) return hold(unnoticed)
  // In `maint` no request gets one of them. The way back drops those.
  const pooled = servers.filter(
    (server) => server.reading?.ownState !== 'maint' && actuatorOf(s, server).holdsDeadConnections(server),
  )
  const busy = servers.filter((server) => actuatorOf(s, server).isBusy(s, server))
  if (busy.length === 0 && pooled.length > 0) return dropConnections(s, pooled, guards)
  const strayed = busy.length > 0 ? [] : servers.filter((server) => hasStrayed(s, server))
  if (strayed.length > 0)
    return hold(
      strayed.map((server) => stillSent(s, server)),
      RECHECK_MS / 2,
    )
  const old = busy.length > 0 ? [] : servers.filter((server) => mayGetMore(s, server))
  if (old.length > 0) return hold(old.map(oldClients), RECHECK_MS / 2)
  const closing = servers.filter((server) => actuatorOf(s, server).awaitsClosing(server))
  if (busy.length === 0) return closing.length === 0 ? done : hold(closing.map(pooledConnections), RECHECK_MS / 2)
  const overdue = busy.filter((server) => mayBeCut(s, server))
  const refusals = guards.mayDisrupt()
  const reasons = (of: readonly NodeServer[]) => of.map((server) => stillServing(s, server))
  if (overdue.length === 0) return hold([...refusals, ...reasons(busy)], RECHECK_MS / 2)
  // The idle limit of these servers is over: the reasons are those that forbid the cut.
  if (refusals.length > 0) return hold(refusals, RECHECK_MS / 2)
  return act(
    overdue.map((server) => cut(s, server)),
    ...reasons(overdue),
  )
}

/** The action that sets the server to the state that keeps traffic away. */
export function takeOut(s: ServiceSnapshot, server: NodeServer): TrafficAction {
  const actuator = actuatorOf(s, server)
  return actuator.move(s, server, { state: actuator.whenOut(s, server), restores: false })
}

/**
 * HAProxy keeps pooled connections of a drained server for minutes, and `scur` does not count them. `maint` closes them at once
 * (measured on 2.6); the next pass sets `drain` again, in which no new ones are made.
 */
function dropConnections(
  s: ServiceSnapshot,
  servers: readonly NodeServer[],
  { mayDisrupt }: ServiceGuards,
): StepAnswer {
  const refusals = mayDisrupt()
  return refusals.length > 0 ? hold(refusals) : purge(s, servers, { restores: false })
}

/** A connection to a machine that is off may outlive `maint` for a while: then it is waited for. */
const PURGE_EVERY_MS = 2_000

/** Closes the pooled connections of these servers, each at most every two seconds. */
export function purge(
  s: ServiceSnapshot,
  servers: readonly NodeServer[],
  { restores }: { readonly restores: boolean },
): StepAnswer {
  const isDue = ({ ref }: NodeServer): boolean => {
    const purgedAt = s.evidence.purgedAt[serverKey(ref)]
    return purgedAt === undefined || s.now - purgedAt >= PURGE_EVERY_MS
  }
  const reasons = servers.map(pooledConnections)
  const due = servers.filter(isDue)
  if (due.length === 0) return hold(reasons)
  return act(
    due.map((server) => actuatorOf(s, server).move(s, server, { state: 'maint', restores })),
    ...reasons,
  )
}

/** The first half of the step: the commands, and the read-back of every instance. Undefined once all is confirmed. */
function takeServersOut(s: ServiceSnapshot, servers: readonly NodeServer[], guards: ServiceGuards) {
  const toTakeOut = servers.filter((server) => server.reading !== undefined && isNotSet(s, server))
  if (toTakeOut.length > 0) {
    const refusals = [...guards.mayDisrupt(), ...mayTake(s, guards)]
    if (refusals.length > 0) return hold(refusals)
    return act(
      toTakeOut.map((server) => takeOut(s, server)),
      ...toTakeOut.map(inService),
    )
  }
  const silent = s.instances.filter(isSilent)
  if (silent.length > 0) return hold(silent.map(silentInstance))
  const astray = [
    ...servers.filter((server) => server.reading === undefined).map(notListed),
    ...lostServers(s).map((server) => notItsAddress(s, server)),
    ...unrecordedServers(s).map((server) => notRecorded(s, server)),
  ]
  if (astray.length > 0) return hold(astray)
  const untaken = servers.flatMap((server) => actuatorOf(s, server).untaken(s, server) ?? [])
  if (untaken.length > 0) return hold(untaken)
  const unconfirmed = servers.filter((server) => !isConfirmed(s, server)).map(inService)
  return unconfirmed.length > 0 ? hold(unconfirmed, RECHECK_MS / 2) : undefined
}

/**
 * Checked again here, since a resumed roll may find the other servers down. Every instance has to answer: the last reading of a
 * silent one does not show which servers are left. Once the reboot is announced nothing waives the detach.
 */
function mayTake(s: ServiceSnapshot, guards: ServiceGuards): readonly Reason[] {
  if (s.announced) return []
  const silent = s.instances.filter(isSilent)
  if (silent.length > 0) return silent.map(silentInstance)
  // Once the node was out, a state that a reload forgot is set again at once.
  const wasOut = Object.keys(s.evidence.detached).length > 0
  const refusals = [...mayBeTaken(s), ...(wasOut ? [] : othersChecked(s))]
  return refusals.length > 0 ? refusals : guards.mayTake()
}

export const isNotSet = (s: ServiceSnapshot, server: NodeServer): boolean => actuatorOf(s, server).isNotSet(s, server)

/** The process that runs now has confirmed it: another process has forgotten the state that was set before. */
export function isConfirmed(s: ServiceSnapshot, server: NodeServer): boolean {
  const seen = s.evidence.detached[serverKey(server.ref)]
  return seen !== undefined && seen.process === server.instance.reading?.process && !isNotSet(s, server)
}

/** Sessions can be cut only where a balancer takes a command. */
const mayBeCut = (s: ServiceSnapshot, server: NodeServer): boolean =>
  actuatorOf(s, server).canCut && idleWaitMs(s, server) >= s.limits.idleLimitMs

/** A worker from before a reload does not know a state that was set since, and still sends what its clients send. */
const mayGetMore = (s: ServiceSnapshot, server: NodeServer): boolean =>
  (server.reading?.oldClients ?? 0) > 0 && idleWaitMs(s, server) < s.limits.idleLimitMs

/** How long a server that is out must be sent nothing before a stray is forgotten. */
export const STRAY_MS = 5_000

/** No session is left at the moment, but the server is out and was sent one just now: more may follow. */
function hasStrayed(s: ServiceSnapshot, { ref }: NodeServer): boolean {
  const strayedAt = s.evidence.detached[serverKey(ref)]?.strayedAt
  return strayedAt !== undefined && s.now - strayedAt < STRAY_MS
}

function cut(s: ServiceSnapshot, server: NodeServer): Action {
  const left = actuatorOf(s, server).left(server)
  return {
    kind: 'cutSessions',
    node: s.node.name,
    balancer: server.recorded.balancer,
    ref: server.ref,
    sessions: left === 'unknown' ? 0 : left,
  }
}

function idleWaitMs(s: ServiceSnapshot, server: NodeServer): number {
  const since = s.evidence.detached[serverKey(server.ref)]?.since
  return since === undefined ? 0 : s.now - since
}

const inService = ({ ref, reading }: NodeServer): Reason => ({
  code: 'InBalancer',
  object: `${ref.backend}/${ref.server}`,
  text: `${serverKey(ref)} is ${reading?.adminState ?? 'unknown'}`,
})

const pooledConnections = ({ ref, reading }: NodeServer): Reason => ({
  code: 'ConnectionsPooled',
  object: `${ref.backend}/${ref.server}`,
  text: `${serverKey(ref)} keeps ${reading?.idleConnections ?? 0} idle connections open, which would be dead after the reboot`,
})

const notListed = ({ ref }: NodeServer): Reason => ({
  code: 'ServerNotListed',
  object: `${ref.backend}/${ref.server}`,
  text: `${ref.instance} does not list ${ref.backend}/${ref.server} at the recorded address any more`,
})

const stillServing = (s: ServiceSnapshot, server: NodeServer): Reason => ({
  code: 'SessionsLeft',
  object: `${server.ref.backend}/${server.ref.server}`,
  text: sessionsText(server, actuatorOf(s, server).left(server)),
})

function stillSent(s: ServiceSnapshot, { ref, reading }: NodeServer): Reason {
  const object = `${ref.backend}/${ref.server}`
  const { strays = 0 } = s.evidence.detached[serverKey(ref)] ?? {}
  const count = `${strays} ${strays === 1 ? 'session' : 'sessions'}`
  return {
    code: 'StillSent',
    object,
    text: `${serverKey(ref)} is ${reading?.adminState ?? 'out'}, and was sent ${count} since`,
  }
}

function oldClients({ ref, reading }: NodeServer): Reason {
  const { oldClients: count = 0 } = reading ?? {}
  const clients = `${count} client ${count === 1 ? 'connection' : 'connections'}`
  const object = `${ref.backend}/${ref.server}`
  const text = `a process of ${ref.instance} from before a reload has ${clients} left, and may send their requests to ${object}`
  return { code: 'SessionsLeft', object, text }
}

function sessionsText({ ref, reading }: NodeServer, left: number | 'unknown'): string {
  if (left === 'unknown') return `the connections that ${ref.server} has left cannot be counted`
  const old =
    reading?.oldSessions === undefined ? '' : `, ${reading.oldSessions} of them in a process from before a reload`
  return `${serverKey(ref)} has ${left} ${left === 1 ? 'session' : 'sessions'} left${old}`
}
