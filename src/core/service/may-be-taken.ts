import type { Reason } from '../../model/reason.ts'
import { actuatorAt } from './actuators/actuator-of.ts'
import { asUsed, lastUsableServers } from './last-server.ts'
import { matchNodeServers } from './match-node-servers.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/**
 * Before a server is taken out that serves: nobody undoes it, it can be told, and somebody is left. Who is left is said once
 * every agent is heard.
 */
export function mayBeTaken(s: ServiceSnapshot): readonly Reason[] {
  const unheard = agentsHeard(s)
  return [...agentsOurs(s), ...(unheard.length > 0 ? unheard : lastUsable(s))]
}

const agentsOurs = (s: ServiceSnapshot): readonly Reason[] =>
  matchNodeServers(s.node, s.instances).flatMap(
    (matched) => actuatorAt(s.balancers, matched.instance.balancer).mayBeUndone(matched) ?? [],
  )

/** An agent that misses one question says nothing of its node, least of all that it serves nobody. */
const agentsHeard = (s: ServiceSnapshot): readonly Reason[] =>
  matchNodeServers(s.node, s.instances).flatMap(
    (matched) => actuatorAt(s.balancers, matched.instance.balancer).unheard(matched) ?? [],
  )

const lastUsable = (s: ServiceSnapshot): readonly Reason[] =>
  lastUsableServers(
    s.node,
    s.instances.map((instance) => asUsed(s, instance)),
  )
