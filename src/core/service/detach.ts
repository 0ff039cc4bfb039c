import { serverKey } from '../../model/balancer.ts'
import type { Reason } from '../../model/reason.ts'
import { instancesAnswer, mayBeTaken, mayDisrupt } from '../roll/guards.ts'
import { ownIntent, type RecordedSnapshot } from '../roll/node-snapshot.ts'
import type { StepRule } from '../roll/step-rule.ts'
import { act, done, hold, RECHECK_MS, type StepAnswer } from '../step-answer.ts'
import {
  connectionsEndOf,
  isAcknowledged,
  notAcknowledged,
  noticingOf,
  notNoticed,
} from './actuators/health-endpoint.ts'
import { detachedState, lostServers, type NodeServer, nodeServers, notItsAddress } from './node-servers.ts'
import { setServer, takeOut } from './set-server.ts'

/** Step 4: every instance's read-back confirms, and traffic stopped, or what is left after the limit was cut. */
export const detach: StepRule = {
  step: 'detach',
  next(s) {
    const servers = nodeServers(s)
    const told = tellServers(s, servers)
    if (told !== undefined) return told
    const unnoticed = servers.filter((server) => isUnnoticed(s, server))
    if (unnoticed.length > 0) return hold(unnoticed.map((server) => notNoticed(server, 'out')))
    const pooled = servers.filter(holdsDeadConnections)
    const busy = servers.filter((server) => isBusy(s, server))
    if (busy.length === 0) return pooled.length === 0 ? done : dropConnections(s, pooled)
    const overdue = busy.filter((server) => mayBeCut(s, server))
    const refusals = mayDisrupt(s)
    if (overdue.length === 0) return hold([...refusals, ...busy.map(stillServing)], RECHECK_MS / 2)
    // Their own limit is over: what is waited for is what forbids the cut.
    if (refusals.length > 0) return hold(refusals, RECHECK_MS / 2)
    return act(
      overdue.map((server) => ({
        kind: 'cutSessions',
        node: s.current.node.name,
        balancer: server.recorded.balancer,
        ref: server.ref,
        sessions: sessions(server),
      })),
      ...overdue.map(stillServing),
    )
  },
}

/**
 * HAProxy keeps pooled connections of a drained server for minutes, and `scur` does not count them. `maint` closes them
 * at once (measured on 2.6); the next pass says `drain` again, under which no new ones are made.
 */
function dropConnections(s: RecordedSnapshot, servers: readonly NodeServer[]): StepAnswer {
  const refusals = mayDisrupt(s)
  return refusals.length > 0 ? hold(refusals) : purge(s, servers, { restores: false })
}

/** A connection to a machine that is off may outlive `maint` for a while: then it is waited for, not asked for at once. */
const PURGE_EVERY_MS = 2_000

/** Has the pooled connections of these servers closed, each no more often than every two seconds. */
export function purge(
  s: RecordedSnapshot,
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
    due.map((server) => setServer(s, server, { state: 'maint', restores })),
    ...reasons,
  )
}

export const holdsDeadConnections = ({ reading }: NodeServer): boolean =>
  reading?.ownState === 'drain' && reading.idleConnections > 0

/** The first half: the commands, and the read-back of every instance. Undefined once all is confirmed. */
function tellServers(s: RecordedSnapshot, servers: readonly NodeServer[]) {
  const toTell = servers.filter(({ reading }) => reading !== undefined).filter(isNotTold)
  if (toTell.length > 0) {
    const refusals = [...mayDisrupt(s), ...mayTake(s)]
    if (refusals.length > 0) return hold(refusals)
    return act(
      toTell.map((server) => takeOut(s, server)),
      ...toTell.map(inService),
    )
  }
  const silent = instancesAnswer(s)
  if (silent.length > 0) return hold(silent)
  const lost = [
    ...servers.filter((server) => server.reading === undefined).map(notListed),
    ...lostServers(s).map((server) => notItsAddress(s, server)),
  ]
  if (lost.length > 0) return hold(lost)
  const untaken = servers.filter((server) => isUntaken(s, server)).map(notAcknowledged)
  if (untaken.length > 0) return hold(untaken)
  const unconfirmed = servers.filter((server) => !isConfirmed(s, server)).map(inService)
  return unconfirmed.length > 0 ? hold(unconfirmed, RECHECK_MS / 2) : undefined
}

/**
 * Asked again here, since a resumed roll may find the others down, and of instances that answer: what a silent one said
 * last does not show which servers are left. Once the reboot is announced nothing waives the detach.
 */
function mayTake(s: RecordedSnapshot): readonly Reason[] {
  if (ownIntent(s) !== undefined) return []
  const silent = instancesAnswer(s)
  return silent.length > 0 ? silent : mayBeTaken(s)
}

export const isNotTold = (server: NodeServer): boolean => server.reading?.ownState !== detachedState(server)

/** Confirmed by the very process that runs now: another process has forgotten what the last one was told. */
function isConfirmed(s: RecordedSnapshot, server: NodeServer): boolean {
  const seen = s.evidence.detached[serverKey(server.ref)]
  return seen !== undefined && seen.process === server.instance.reading?.process && !isNotTold(server)
}

const sessions = ({ reading }: NodeServer): number =>
  reading === undefined ? 0 : reading.currentSessions + reading.queued

/** Its agent is to pass the word on, and has not taken it. */
const isUntaken = (s: RecordedSnapshot, server: NodeServer): boolean =>
  server.reading?.endpoint !== undefined && !isAcknowledged(s, server)

/** After the announcement of the reboot nothing is waited for again: it was noticed before. */
const isUnnoticed = (s: RecordedSnapshot, server: NodeServer): boolean =>
  server.reading?.endpoint !== undefined &&
  ownIntent(s) === undefined &&
  noticingOf(s, server, 'out')?.noticed === undefined

function isBusy(s: RecordedSnapshot, server: NodeServer): boolean {
  if (server.reading?.endpoint === undefined) return sessions(server) > 0
  return ownIntent(s) === undefined && connectionsEndOf(s, server) === undefined
}

/** Where no balancer can be told to, nothing can be cut. */
const mayBeCut = (s: RecordedSnapshot, server: NodeServer): boolean =>
  server.reading?.endpoint === undefined && idleWaitMs(s, server) >= s.spec.detach.idleLimitMs

function idleWaitMs(s: RecordedSnapshot, server: NodeServer): number {
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
  text: `idle connections that ${serverKey(ref)} keeps open, which would be dead after the reboot: ${reading?.idleConnections ?? 0}`,
})

const notListed = ({ ref }: NodeServer): Reason => ({
  code: 'ServerNotListed',
  object: `${ref.backend}/${ref.server}`,
  text: `${ref.instance} does not list ${ref.backend}/${ref.server} at the recorded address any more`,
})

const stillServing = (server: NodeServer): Reason => ({
  code: 'SessionsLeft',
  object: `${server.ref.backend}/${server.ref.server}`,
  text: sessionsText(server),
})

function sessionsText({ ref, reading }: NodeServer): string {
  const connections = reading?.endpoint?.connections
  if (connections === 'unknown') return `how many connections ${ref.server} has left cannot be seen`
  const left = connections ?? (reading === undefined ? 0 : reading.currentSessions + reading.queued)
  return `${serverKey(ref)} has ${left} ${left === 1 ? 'session' : 'sessions'} left`
}
