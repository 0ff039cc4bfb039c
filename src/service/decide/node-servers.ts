import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { type ServerReading, type ServerRef, serverKey } from '../model/balancer.ts'
import type { RecordedServer } from '../model/node-record.ts'
import type { InstanceSnapshot } from './instance-snapshot.ts'
import { belongsTo, serversAtAddress } from './match-node-servers.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/** A server of the node under way: as recorded, and as its instance reports it now. */
export interface NodeServer {
  readonly recorded: RecordedServer
  readonly ref: ServerRef
  readonly instance: InstanceSnapshot
  /** Absent when the instance never answered or no longer lists it. */
  readonly reading?: ServerReading
}

/**
 * The record is read back as hostile input: of its servers only those count that the config allows and that stand at
 * one of this node's own addresses.
 */
export const nodeServers = (s: ServiceSnapshot): readonly NodeServer[] =>
  allowedRecorded(s).filter(({ recorded }) => belongsTo(recorded, s.node))

/**
 * What the config allows and the node had when it was recorded, but no server has any more: its address is another now.
 * Such a server is never told anything; but nor is a step done while there is one. Those of other nodes were never ours.
 */
export const lostServers = (s: ServiceSnapshot): readonly NodeServer[] =>
  allowedRecorded(s).filter(
    ({ recorded }) =>
      // The node under way first: nearly always it is the one, and then no other node is looked at.
      !belongsTo(recorded, s.node) && s.nodes.every((node) => !belongsTo(recorded, node)),
  )

function allowedRecorded(s: ServiceSnapshot): readonly NodeServer[] {
  return s.recorded.flatMap((recorded) => {
    const instance = s.instances.find(
      (known) => known.balancer === recorded.balancer && known.instance === recorded.instance,
    )
    if (instance === undefined || !instance.backends.includes(recorded.backend)) return []
    const ref = { instance: recorded.instance, backend: recorded.backend, server: recorded.server }
    const reading = serversAtAddress(recorded.address, instance.reading?.servers ?? []).find(
      (server) => server.ref.backend === ref.backend && server.ref.server === ref.server,
    )
    return [{ recorded, ref, instance, ...present({ reading }) }]
  })
}

/** Why a step that concerns every recorded server cannot be done. */
export const notItsAddress = (s: ServiceSnapshot, { recorded, ref }: NodeServer): Reason => ({
  code: 'ServerNotListed',
  object: `${ref.backend}/${ref.server}`,
  text: `${s.node.name} no longer has the recorded address ${recorded.address} of ${serverKey(ref)}`,
  next: `give ${s.node.name} that address again, or put it back by hand (docs/put-a-node-back.md)`,
})

/** An instance is silent once its newest poll failed; what it said before is no confirmation. */
export const isSilent = (instance: InstanceSnapshot): boolean =>
  instance.reading === undefined || instance.silentForMs > 0

export const silentInstance = (instance: InstanceSnapshot): Reason => ({
  code: 'InstanceSilent',
  object: instance.instance,
  text: `${instance.instance} of ${instance.balancer} does not answer: ${instance.error ?? 'not queried yet'}`,
})

/**
 * It was sent traffic before us: only that is waited for on the way back. A server that was `ready` and down already (an app
 * that does not run on every node) is put back to `ready` as it was. Records of earlier versions do not tell.
 */
export const wasServing = ({ state, operational = 'up' }: RecordedServer): boolean =>
  state === 'ready' && (operational === 'up' || operational === 'starting')
