import type { Reason } from '../../ground/model/reason.ts'
import { actuatorOf } from '../actuators/actuator-of.ts'
import type { TrafficAction } from '../model/action.ts'
import { type ServerRef, serverKey } from '../model/balancer.ts'
import { isNotSet, takeOut } from './detach.ts'
import { asUsed, leftAsLast, othersServe } from './last-server.ts'
import { type NodeServer, nodeServers } from './node-servers.ts'
import { placeState } from './place-state.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/**
 * The standing duty while a node is out: whatever a reload forgot is said again, in every step from the first
 * confirmed detach until the first server is put back, and for as long as an unproven node is guarded. Before the intent
 * it is said only to servers that were out already, and never to the last usable one of a backend: to take another one is
 * a matter of step 4 and its guards. A claim of ours that was overwritten is made again, though another one keeps the node
 * out as yet: that takes nothing from service.
 *
 * Law: before the reboot is announced, the last usable server of a backend that a reload put back in serves on.
 * Law: a claim of a roll that was overwritten is made again while the node must be out.
 */
export const keepDetached = (s: ServiceSnapshot): readonly TrafficAction[] =>
  taken(s)
    .filter((server) =>
      isBack(s, server) ? isNotSet(s, server) && !isLastToServe(s, server) : isOverwritten(s, server),
    )
    .map((server) => takeOut(s, server))

/**
 * Servers of the node that are ours to keep out: until the first of them is put back, and for good where a verdict keeps
 * the node out. While the claim of another owner has kept all of them from being put back, those that served before are still
 * ours to keep out: nothing else does, where balancers do not go by claims.
 */
export function mustBeOut(s: ServiceSnapshot): readonly NodeServer[] {
  const { attachingSince, awaitsClaims = false } = s.evidence
  if (attachingSince === undefined || s.keepOut) return nodeServers(s)
  return awaitsClaims ? nodeServers(s).filter(({ recorded }) => recorded.state === 'ready') : []
}

/** A server is in service that must be out, whether it is taken out again or serves on as the last one. */
export const isBackInService = (s: ServiceSnapshot): boolean => backInService(s).length > 0

/** Why a node that is to be kept out serves on. */
export const servesOn = (s: ServiceSnapshot): readonly Reason[] =>
  backInService(s)
    .filter((server) => isLastToServe(s, server))
    .map(({ ref, instance }) => leftAsLast(ref, instance))

const backInService = (s: ServiceSnapshot): readonly NodeServer[] => taken(s).filter((server) => isBack(s, server))

/** What was taken out and is to be kept out. */
const taken = (s: ServiceSnapshot): readonly NodeServer[] => mustBeOut(s).filter((server) => wasTaken(s, server))

const isBack = (s: ServiceSnapshot, server: NodeServer): boolean => ['in', 'returning'].includes(placeState(s, server))

/** It is heard, and out for another owner alone. */
const isOverwritten = (s: ServiceSnapshot, server: NodeServer): boolean =>
  placeState(s, server) !== 'unknown' && actuatorOf(s, server).isOverwritten(s, server)

/**
 * Without it a backend would have no server, and every request would fail. Where it is down itself, its balancers may not
 * have noticed yet, and it may be back before the others are.
 */
const isLastToServe = (s: ServiceSnapshot, { ref, instance }: NodeServer): boolean =>
  !mayBeDark(s) && !othersServe(ref.backend, s.node, asUsed(s, instance))

/**
 * Its reboot is announced, or it was rebooted by others, and no proof was given since: it goes out whichever server is
 * left. Before the announcement it runs, and a node that was put back was proven: it can serve.
 */
export const mayBeDark = (s: ServiceSnapshot): boolean => s.evidence.attachingSince === undefined && s.unproven

const wasTaken = (s: ServiceSnapshot, { ref }: NodeServer): boolean => wasOutBefore(s, ref) || s.rebooted

/**
 * It was out before, as this process saw, or as the announcement says, which is made once every server is out. To say so again
 * begins nothing.
 */
export const wasOutBefore = (s: ServiceSnapshot, ref: ServerRef): boolean =>
  s.evidence.detached[serverKey(ref)] !== undefined || s.announced
