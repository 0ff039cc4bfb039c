import type { AdminState, ServerReading, ServerRef } from '../../model/balancer.ts'
import type { RecordedServer } from '../../model/node-record.ts'
import type { RecordedSnapshot } from './node-snapshot.ts'
import type { InstanceFacts } from './snapshot.ts'

/** A server of the node under way: as recorded, and as its instance reports it now. */
export interface NodeServer {
  readonly recorded: RecordedServer
  readonly ref: ServerRef
  readonly instance: InstanceFacts
  /** Absent when the instance never answered or no longer lists it. */
  readonly reading?: ServerReading
}

/**
 * The record is read back as hostile input: of its servers only those count that the config allows and that stand at
 * one of this node's own addresses.
 */
export function nodeServers(s: RecordedSnapshot): readonly NodeServer[] {
  return s.record.servers.flatMap((recorded) => {
    if (!s.current.node.internalAddresses.includes(recorded.address)) return []
    const instance = s.instances.find(
      (facts) => facts.balancer === recorded.balancer && facts.instance === recorded.instance,
    )
    if (instance === undefined || !instance.backends.includes(recorded.backend)) return []
    const ref = { instance: recorded.instance, backend: recorded.backend, server: recorded.server }
    const reading = instance.reading?.servers.find(
      (server) =>
        server.ref.backend === ref.backend && server.ref.server === ref.server && server.address === recorded.address,
    )
    return [{ recorded, ref, instance, ...(reading === undefined ? {} : { reading }) }]
  })
}

/**
 * The state that keeps traffic away: `drain`, for checks go on under it; `maint` only where cookies still send. What
 * was out before us stays exactly as it was.
 */
export function detachedState(server: NodeServer): AdminState {
  if (server.recorded.state !== 'ready') return server.recorded.state
  return server.reading?.persistent === true ? 'maint' : 'drain'
}

/** An instance is silent once its newest poll failed; what it said before is no confirmation. */
export const isSilent = (instance: InstanceFacts): boolean => instance.reading === undefined || instance.silentForMs > 0
