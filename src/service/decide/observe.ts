import type { MonoMs } from '../../ground/model/time.ts'
import { actuatorOf } from '../actuators/actuator-of.ts'
import { type Action, movesTraffic } from '../model/action.ts'
import { serverKey } from '../model/balancer.ts'
import type { Outcome } from '../model/outcome.ts'
import { isNotSet, STRAY_MS } from './detach.ts'
import type { DetachEvidence, ServiceEvidence } from './evidence.ts'
import { isSilent, ledElsewhere, type NodeServer, nodeServers, seenOut } from './node-servers.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/** Adds what is read of the places now to what was seen before. Pure. */
export function observeService(
  s: ServiceSnapshot,
): Pick<ServiceEvidence, 'detached' | 'noticing' | 'connectionsEnded' | 'emptiedAt'> {
  const noticing = byServer(s, s.evidence.noticing, (server, before) => actuatorOf(s, server).notice(s, server, before))
  const elsewhere = new Set(ledElsewhere(s).map(({ reading }) => serverKey(reading.ref)))
  const detached = {
    ...Object.fromEntries(Object.entries(s.evidence.detached).filter(([key]) => elsewhere.has(key))),
    ...byServer(s, s.evidence.detached, (server, before = underOldName(s, server)) => confirm(s, server, before)),
  }
  // A node may be read as out and idle at once.
  const connectionsEnded = endOfConnections({ ...s, evidence: { ...s.evidence, noticing, detached } })
  const emptiedAt = byServer(s, s.evidence.emptiedAt, (server, before) => before ?? emptied(s, server))
  return { noticing, connectionsEnded, detached, emptiedAt }
}

const emptied = (s: ServiceSnapshot, { instance, reading }: NodeServer): MonoMs | undefined =>
  s.rebooted && !isSilent(instance) && reading?.idleConnections === 0 ? s.now : undefined

const endOfConnections = (s: ServiceSnapshot): ServiceEvidence['connectionsEnded'] =>
  s.announced || s.rebooted
    ? s.evidence.connectionsEnded
    : byServer(s, s.evidence.connectionsEnded, (server, before) =>
        actuatorOf(s, server).endConnections(s, server, before),
      )

/** Another line of the balancer, so what it was sent counts from now on, as after a reload. */
function underOldName(s: ServiceSnapshot, server: NodeServer): DetachEvidence | undefined {
  const before = seenOut(s, server)
  return before && { ...before, process: '' }
}

/** A process other than the one that confirmed has forgotten the state: the evidence begins anew, its strays stay counted. */
function confirm(
  s: ServiceSnapshot,
  server: NodeServer,
  before: DetachEvidence | undefined,
): DetachEvidence | undefined {
  const { reading, instance } = server
  if (reading === undefined || isSilent(instance)) return before
  if (reading.ownState === 'ready') return before && { ...before, since: undefined }
  if (isNotSet(s, server)) return before
  if (actuatorOf(s, server).untaken(s, server) !== undefined) return before
  const process = instance.reading?.process ?? ''
  const { totalSessions } = reading
  if (before === undefined) return { process, since: s.now, totalSessions, strays: 0, cutSessions: 0 }
  if (before.process !== process) return { ...before, process, since: s.now, totalSessions }
  const more = Math.max(0, totalSessions - before.totalSessions)
  const strayed = more > 0 ? { strays: before.strays + more, strayedAt: s.now } : {}
  // What was queued or tried again for it when it left arrives soon.
  const isLong = before.since !== undefined && s.now - before.since >= STRAY_MS
  const sent = more > 0 && isLong && reading.ownState === 'drain' ? { isSentInDrain: true as const } : {}
  return { ...before, since: before.since ?? s.now, totalSessions, ...strayed, ...sent }
}

/** Updates what is known of each server of the node, by its key; undefined removes it. */
const byServer = <Known>(
  s: ServiceSnapshot,
  before: Readonly<Record<string, Known>>,
  fold: (server: NodeServer, before: Known | undefined) => Known | undefined,
): Readonly<Record<string, Known>> =>
  Object.fromEntries(
    nodeServers(s).flatMap((server) => {
      const key = serverKey(server.ref)
      const now = fold(server, before[key])
      return now === undefined ? [] : [[key, now]]
    }),
  )

/** Adds the result of an action that moved traffic to the evidence. Pure. */
export function rememberService(
  { evidence, now }: Pick<ServiceSnapshot, 'evidence' | 'now'>,
  action: Action,
  { ok }: Outcome,
): Partial<ServiceEvidence> {
  const { setOut, purgedAt, putBackAt, detached } = evidence
  if (!ok) return {}
  if (movesTraffic(action)) {
    const server = serverKey(action.ref)
    if (action.state === 'ready') return { putBackAt: { ...putBackAt, [server]: now } }
    const out = { setOut: { ...setOut, [server]: true as const } }
    return action.state === 'maint' ? { ...out, purgedAt: { ...purgedAt, [server]: now } } : out
  }
  if (action.kind !== 'cutSessions') return {}
  const key = serverKey(action.ref)
  const seen = detached[key]
  if (seen === undefined) return {}
  return { detached: { ...detached, [key]: { ...seen, cutSessions: seen.cutSessions + action.sessions } } }
}
