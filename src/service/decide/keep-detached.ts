import type { Reason } from '../../ground/model/reason.ts'
import { actuatorOf } from '../actuators/actuator-of.ts'
import type { TrafficAction } from '../model/action.ts'
import { type ServerRef, serverKey } from '../model/balancer.ts'
import { isNotSet, takeOut } from './detach.ts'
import { asUsed, leftAsLast, othersServe } from './last-server.ts'
import { type NodeServer, nodeServers, seenOut, unrecordedServers } from './node-servers.ts'
import { placeState } from './place-state.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/**
 * Keeps a node out while it has to be out: a state that a reload forgot is set again. This holds in every step from the first
 * confirmed detach until the first server is put back, and while an unproven node is kept out. Before the intent, only servers
 * that were out already are set again, and never the last usable one of a backend: to take another one out is decided in step
 * 4, by its guards. A claim of ours that was overwritten is made again even if another claim keeps the node out: that takes
 * nothing from service.
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
 * The servers of the node that this roll has to keep out: until the first of them is put back, and for good where a verdict
 * keeps the node out. While another owner's claim has kept all of them out, the roll still keeps out those that served before:
 * balancers that do not go by claims have no one else for it.
 */
export function mustBeOut(s: ServiceSnapshot): readonly NodeServer[] {
  const { attachingSince, awaitsClaims = false } = s.evidence
  if (attachingSince === undefined || s.keepOut) return nodeServers(s)
  return awaitsClaims ? nodeServers(s).filter(({ recorded }) => recorded.state === 'ready') : []
}

/** The node is sent traffic though it must be out: by a server that serves again, or by one that was added since it was recorded. */
export const isBackInService = (s: ServiceSnapshot): boolean =>
  backInService(s).length > 0 || unrecordedServers(s).length > 0

/** Why a node that has to be out serves on. */
export const servesOn = (s: ServiceSnapshot): readonly Reason[] =>
  backInService(s)
    .filter((server) => isLastToServe(s, server))
    .map(({ ref, instance }) => leftAsLast(ref, instance))

const backInService = (s: ServiceSnapshot): readonly NodeServer[] => taken(s).filter((server) => isBack(s, server))

/** The servers that were taken out and have to stay out. */
const taken = (s: ServiceSnapshot): readonly NodeServer[] => mustBeOut(s).filter((server) => wasTaken(s, server))

const isBack = (s: ServiceSnapshot, server: NodeServer): boolean => ['in', 'returning'].includes(placeState(s, server))

/** The agent answers, and the node is out only for another owner. */
const isOverwritten = (s: ServiceSnapshot, server: NodeServer): boolean =>
  placeState(s, server) !== 'unknown' && actuatorOf(s, server).isOverwritten(s, server)

/**
 * Without this server a backend would have none, and every request would fail. Even if the server is down, its balancers may
 * not have noticed yet, and it may be back before the others are.
 */
const isLastToServe = (s: ServiceSnapshot, { ref, instance }: NodeServer): boolean =>
  !mayBeDark(s) && !othersServe(ref.backend, s.node, asUsed(s, instance))

/**
 * The reboot is announced, or others rebooted the node, and there was no proof since: the node goes out even if no other server
 * is left. Before the announcement the machine runs, and after the proof it can serve.
 */
export const mayBeDark = (s: ServiceSnapshot): boolean => s.evidence.attachingSince === undefined && s.unproven

const wasTaken = (s: ServiceSnapshot, server: NodeServer): boolean => wasOut(s, server) || s.rebooted

const wasOut = (s: ServiceSnapshot, server: NodeServer): boolean =>
  seenOut(s, server) !== undefined || s.announced || actuatorOf(s, server).keepsRequest(s, server)

/**
 * The server was out before, as this process saw, or the agent of its node remembers, or as the announcement shows, which is made once every
 * server is out. To set it again begins nothing.
 */
export const wasOutBefore = (s: ServiceSnapshot, ref: ServerRef): boolean =>
  nodeServers(s).some((server) => serverKey(server.ref) === serverKey(ref) && wasOut(s, server))
