import type { TrafficAction } from '../../model/action.ts'
import { type ServerRef, serverKey } from '../../model/balancer.ts'
import type { Reason } from '../../model/reason.ts'
import { isNotTold, takeOut } from './detach.ts'
import { asUsed, leftAsLast, othersServe } from './last-server.ts'
import { type NodeServer, nodeServers } from './node-servers.ts'
import { placeState } from './place-state.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/**
 * The standing duty while a node is out: whatever a reload forgot is said again, in every step from the first
 * confirmed detach until the first server is put back, and for as long as an unproven node is guarded. Before the intent
 * it is said only to servers that were out already, and never to the last usable one of a backend: to take another one is
 * a matter of step 4 and its guards.
 */
export const keepDetached = (s: ServiceSnapshot): readonly TrafficAction[] =>
  backInService(s)
    .filter((server) => isNotTold(s, server) && !isLastToServe(s, server))
    .map((server) => takeOut(s, server))

/**
 * Servers of the node that are ours to keep out: until the first of them is put back, and for good where a verdict keeps
 * the node out.
 */
export const mustBeOut = (s: ServiceSnapshot): readonly NodeServer[] =>
  s.evidence.attachingSince !== undefined && !s.keepOut ? [] : nodeServers(s)

/** A server is in service that must be out, whether it is taken out again or serves on as the last one. */
export const isBackInService = (s: ServiceSnapshot): boolean => backInService(s).length > 0

/** Why a node that is to be kept out serves on. */
export const servesOn = (s: ServiceSnapshot): readonly Reason[] =>
  backInService(s)
    .filter((server) => isLastToServe(s, server))
    .map(({ ref, instance }) => leftAsLast(ref, instance))

const backInService = (s: ServiceSnapshot): readonly NodeServer[] =>
  mustBeOut(s)
    .filter((server) => wasTaken(s, server))
    .filter((server) => ['in', 'returning'].includes(placeState(s, server)))

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
