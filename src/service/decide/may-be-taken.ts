import type { Node } from '../../ground/model/node.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { actuatorAt } from '../actuators/actuator-of.ts'
import { asUsed, lastUsableServers, othersUnchecked } from './last-server.ts'
import { matchNodeServers } from './match-node-servers.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/**
 * What has to hold before a server that serves is taken out: no program undoes it, the server takes commands, and another
 * server is left. Which server is the last one is known only once every agent has answered.
 */
export function mayBeTaken(s: ServiceSnapshot): readonly Reason[] {
  const unheard = agentsHeard(s)
  return [...agentsOurs(s), ...(unheard.length > 0 ? unheard : lastUsable(s))]
}

/** Checked before the node is begun or first taken out, and before its pods leave: a balancer may have restarted meanwhile. */
export const othersChecked = (s: ServiceSnapshot): readonly Reason[] => othersUnchecked(s.node, used(s))

const agentsOurs = (s: ServiceSnapshot): readonly Reason[] =>
  matchNodeServers(s.node, s.instances).flatMap(
    (matched) => actuatorAt(s.balancers, matched.instance.balancer).mayBeUndone(matched) ?? [],
  )

/** An agent that misses one question shows nothing about its node, and does not show that the node is out. */
const agentsHeard = (s: ServiceSnapshot): readonly Reason[] =>
  matchNodeServers(s.node, s.instances).flatMap(
    (matched) => actuatorAt(s.balancers, matched.instance.balancer).unheard(matched) ?? [],
  )

function lastUsable(s: ServiceSnapshot): readonly Reason[] {
  const { beside = [], ...alone } = s
  const last = lastUsableServers(s.node, used(alone))
  if (last.length > 0 || beside.length === 0) return last
  return lastUsableServers(s.node, used(s)).length === 0 ? [] : [lastWithout(s, beside)]
}

/** The other node comes back, or its owner ends: this wait needs no limit. */
const lastWithout = ({ node }: ServiceSnapshot, beside: readonly Node[]): Reason => ({
  code: 'OtherNodeOfRoll',
  object: node.name,
  text: `${node.name} waits for ${beside.map(({ name }) => name).join(', ')} of the same roll: with both out, a backend has no usable server`,
})

const used = (s: ServiceSnapshot): ServiceSnapshot['instances'] => s.instances.map((instance) => asUsed(s, instance))
