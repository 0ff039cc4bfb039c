import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { MonoMs, WallMs } from '../../ground/model/time.ts'
import { actuatorOf } from '../actuators/actuator-of.ts'
import type { Action } from '../model/action.ts'
import { type AdminState, type ServerReading, serverKey } from '../model/balancer.ts'
import { purge } from './detach.ts'
import type { ServiceEvidence } from './evidence.ts'
import { asUsed, isLastServer, othersServe } from './last-server.ts'
import { claimedByOthers } from './node-claims.ts'
import {
  isSilent,
  lostServers,
  type NodeServer,
  nodeServers,
  notItsAddress,
  silentInstance,
  wasServing,
} from './node-servers.ts'
import type { ServiceGuards, ServiceSnapshot } from './service-snapshot.ts'
import { act, done, hold, RECHECK_MS, type StepAnswer } from './step-answer.ts'

/**
 * Why a node is not attached yet, step 10 of a roll: every server has to be at its recorded state, read back. HAProxy's `ready`
 * out of `maint` means UP before any check. So a server goes through `drain`, where checks run and nothing is sent, and gets
 * `ready` once all have passed.
 *
 * Law: out of maint, the word of HAProxy that a server is up proves nothing.
 * Law: no node counts as attached while an instance of its balancers is silent.
 */
export function attach(s: ServiceSnapshot, { maySend }: ServiceGuards): StepAnswer {
  const servers = nodeServers(s)
  const silent = servers.filter(({ instance }) => isSilent(instance))
  const pending = servers.filter((server) => !isRestored(s, server) || unnoticed(s, server) !== undefined)
  const lost = lostServers(s).map((server) => notItsAddress(s, server))
  if (pending.length === 0 && silent.length === 0 && lost.length === 0) return done
  const refusals = maySend()
  if (refusals.length > 0) return hold(refusals)
  const pooled = s.rebooted ? pending.filter((server) => holdsDeadConnections(s, server)) : []
  if (pooled.length > 0) return purge(s, pooled, { restores: true })
  const others = claimsAgainst(s, pending)
  if (others.length > 0) return hold(others)
  const prepare = pending.flatMap((server) => through(s, server))
  if (prepare.length > 0)
    return act(
      prepare.map(([server, state]) => set(s, server, state)),
      ...prepare.map(([server]) => unchecked(server)),
    )
  const waits = [...silentReasons(silent), ...lost, ...pending.filter((server) => !mayServe(s, server)).map(unchecked)]
  if (waits.length > 0) return hold(waits, RECHECK_MS / 2)
  // A server that was out before is set without a check. A server that the balancer does not list cannot be set.
  const toSet = pending.filter((server) => isListed(server) && server.reading.ownState !== stateBefore(s, server))
  if (toSet.length === 0)
    return hold(
      pending.map((server) => (isRestored(s, server) ? unnoticed(s, server) : undefined) ?? unchecked(server)),
      RECHECK_MS / 2,
    )
  return act(
    toSet.map((server) => set(s, server, stateBefore(s, server))),
    {
      code: 'MayServe',
      text: 'its own checks passed on every instance',
    },
  )
}

/**
 * Cookies send clients to a server in `drain` as soon as its checks pass. So connections that are pooled after the pool was empty once
 * lead to the machine as it runs now.
 */
const holdsDeadConnections = (s: ServiceSnapshot, server: NodeServer): boolean =>
  s.evidence.emptiedAt[serverKey(server.ref)] === undefined && actuatorOf(s, server).holdsDeadConnections(server)

/** A server that was out before stays out; claims of others do not matter for it. */
function claimsAgainst(s: ServiceSnapshot, pending: readonly NodeServer[]): readonly Reason[] {
  const wasIn = pending.filter(({ recorded }) => recorded.state === 'ready')
  if (wasIn.length === 0) return []
  return [...claimedByOthers(s), ...wasIn.flatMap((server) => actuatorOf(s, server).heldByOthers(s) ?? [])]
}

/** Why the node is not attached. A silent instance gives its silence as the only reason. */
export function unattached(s: ServiceSnapshot): readonly Reason[] {
  const servers = nodeServers(s)
  const answering = servers.filter(({ instance }) => !isSilent(instance))
  const lost = lostServers(s).map((server) => notItsAddress(s, server))
  return [
    ...silentReasons(servers),
    ...lost,
    ...claimsAgainst(
      s,
      answering.filter((server) => !isRestored(s, server)),
    ),
    ...answering.filter((server) => !isRestored(s, server)).map(unchecked),
    ...answering.filter((server) => isRestored(s, server)).flatMap((server) => unnoticed(s, server) ?? []),
  ]
}

/** A server that answers is not as it was, or not where it was. One that a new process has not checked yet shows neither. */
export const isSeenAway = (s: ServiceSnapshot): boolean =>
  lostServers(s).length > 0 ||
  nodeServers(s).some((server) => !isSilent(server.instance) && !isRestored(s, server) && !awaitsFirstCheck(s, server))

const awaitsFirstCheck = (s: ServiceSnapshot, server: NodeServer): boolean =>
  server.reading?.uncheckedYet === true &&
  server.reading.operational === 'up' &&
  server.reading.ownState === stateBefore(s, server)

const isListed = (server: NodeServer): server is NodeServer & Required<Pick<NodeServer, 'reading'>> =>
  server.reading !== undefined

export function isRestored(s: ServiceSnapshot, server: NodeServer): boolean {
  const { reading, recorded } = server
  if (reading === undefined) return false
  if (reading.ownState !== stateBefore(s, server)) return servesAsLast(s, server)
  return !wasServing(recorded) || isUpByCheck(reading) || outByOthers(reading)
}

/** A balancer that has just started calls every server up, and drops it at its first failed check. */
const isUpByCheck = ({ operational, uncheckedYet }: ServerReading): boolean =>
  operational === 'up' && uncheckedYet !== true

/** The server was out before, and others have set it ready since: it is not taken out again while no other server can serve. */
const servesAsLast = (s: ServiceSnapshot, { ref, instance, reading }: NodeServer): boolean =>
  reading?.ownState === 'ready' && isLastServer(ref, asUsed(s, instance))

/** The agent has announced it, but the balancer does not send yet. */
const unnoticed = (s: ServiceSnapshot, server: NodeServer): Reason | undefined =>
  actuatorOf(s, server).unnoticed(s, server, 'in')

const stateBefore = (s: ServiceSnapshot, server: NodeServer): AdminState => actuatorOf(s, server).before(s, server)

/** Out by a tracked server or by name resolution: that was so before the roll, and the roll cannot change it. */
const outByOthers = (reading: ServerReading): boolean => reading.inherited && reading.adminState !== 'ready'

/** The state that the server goes through on its way back; undefined where it is set at once. */
function through(s: ServiceSnapshot, server: NodeServer): readonly (readonly [NodeServer, AdminState])[] {
  const actuator = actuatorOf(s, server)
  const state = isForgotten(s, server) ? actuator.whenOut(s, server) : actuator.through(server)
  return state === undefined ? [] : [[server, state]]
}

/**
 * A reload has put the server in before its checks passed after the reboot. It goes out again until they have, unless it is the only
 * one that its backend has.
 */
const isForgotten = (s: ServiceSnapshot, { ref, instance, recorded, reading }: NodeServer): boolean =>
  s.rebooted &&
  wasServing(recorded) &&
  reading?.ownState === 'ready' &&
  reading.uncheckedYet === true &&
  s.evidence.attachedAt === undefined &&
  s.evidence.putBackAt[serverKey(ref)] === undefined &&
  othersServe(ref.backend, s.node, asUsed(s, instance))

/** A server without a check proves nothing by itself: the data port must have answered. */
function mayServe(s: ServiceSnapshot, { reading, recorded }: NodeServer): boolean {
  if (!wasServing(recorded) || reading?.ownState === 'ready') return true
  if (reading?.check === 'none') {
    return !s.limits.dataPort || s.dataPorts[`${recorded.address}:${recorded.port}`] === true
  }
  return reading?.check === 'passing'
}

const set = (s: ServiceSnapshot, server: NodeServer, state: AdminState): Action =>
  actuatorOf(s, server).move(s, server, { state, restores: true })

const unchecked = ({ ref, reading }: NodeServer): Reason => ({
  code: 'NotUpYet',
  object: `${ref.backend}/${ref.server}`,
  text:
    reading === undefined
      ? `${ref.instance} does not list ${ref.backend}/${ref.server}`
      : `${serverKey(ref)} is ${reading.adminState}, its check ${checkWords(reading)} (${reading.checkText})`,
})

/** HAProxy counts a check as failing until `rise` of them have passed. */
const checkWords = ({ check, checkText }: ServerReading): string =>
  check === 'failing' && /^L\dOK/.test(checkText) ? 'not passed often enough yet' : check

/** One reason for each instance, however many servers of the node it has. */
const silentReasons = (servers: readonly NodeServer[]): readonly Reason[] =>
  [...new Set(servers.map(({ instance }) => instance))].filter(isSilent).map(silentInstance)

/**
 * Set when the first server is to be put back: from then on the limit of the attach runs, and failed requests are blamed on it.
 * `isUnsent`: nothing can be put back yet, so that nothing is blamed on it.
 */
export const attachBegan = (
  { attachingSince, attachingSinceWall }: ServiceEvidence,
  { now, wall }: { readonly now: MonoMs; readonly wall: WallMs },
  isUnsent = false,
) => ({
  attachingSince: attachingSince ?? now,
  ...present({ attachingSinceWall: attachingSinceWall ?? (isUnsent ? undefined : wall) }),
})

/** Whether another owner's claim has kept every server out since the attach began. Runs before `attachBegan`. */
export function awaitingClaims(s: ServiceSnapshot): Pick<ServiceEvidence, 'awaitsClaims'> {
  const stands = claimedByOthers(s).length > 0
  if (s.evidence.attachingSince === undefined) return stands ? { awaitsClaims: true } : {}
  return s.evidence.awaitsClaims === true ? { awaitsClaims: stands } : {}
}
