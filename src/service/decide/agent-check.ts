import { type ServerReading, serverKey } from '../model/balancer.ts'

/**
 * What an agent-check on a server means, and how to be rid of it. `disable agent` only pauses it: HAProxy forgets that with a reload, and
 * begins to ask the agent again, so that the way is the file and a reload.
 */
export function agentCheckOf({ ref, agentDisabled }: Pick<ServerReading, 'ref' | 'agentDisabled'>) {
  const { backend, server, instance } = ref
  const away = `take "agent-check" out of server ${server} of backend ${backend} in haproxy.cfg of ${instance}, then reload HAProxy`
  return agentDisabled === true
    ? {
        text: `${serverKey(ref)} has an agent-check that is only disabled, by the runtime socket: a reload would begin it again, and it may undo what the roll sets`,
        fix: `${away}. If the agent is to be asked again: "enable agent ${backend}/${server}" on the runtime socket`,
      }
    : {
        text: `${serverKey(ref)} has an agent-check of another agent, which may undo what the roll sets`,
        fix: `${away} ("disable agent ${backend}/${server}" on the runtime socket is not enough: it lasts until a reload)`,
      }
}
