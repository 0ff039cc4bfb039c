import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { type ServerReading, type ServerRef, serverKey } from '../model/balancer.ts'
import type { RecordedServer } from '../model/node-record.ts'
import type { InstanceSnapshot } from './instance-snapshot.ts'
import { belongsTo, type MatchedServer, matchNodeServers, serversAtAddress } from './match-node-servers.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/** A server of the node under way: as recorded, and as its instance shows it now. */
export interface NodeServer {
  readonly recorded: RecordedServer
  readonly ref: ServerRef
  readonly instance: InstanceSnapshot
  /** Absent when the instance never answered or no longer lists it. */
  readonly reading?: ServerReading
}

/**
 * The record is read back as hostile input: only servers count that the file allows and that are at one of the node's own
 * addresses.
 */
export const nodeServers = (s: ServiceSnapshot): readonly NodeServer[] =>
  allowedRecorded(s).filter(({ recorded }) => belongsTo(recorded, s.node))

/**
 * Recorded servers that the file allows but that are no longer at an address of the node. Such a server gets no command, and no
 * step is done while there is one. Servers of other nodes were never ours.
 */
export const lostServers = (s: ServiceSnapshot): readonly NodeServer[] =>
  allowedRecorded(s).filter(
    ({ recorded }) =>
      // The node under way is checked first: nearly always the server is its own, and no other node has to be checked.
      !belongsTo(recorded, s.node) && s.nodes.every((node) => !belongsTo(recorded, node)),
  )

/**
 * Servers at the node that are sent traffic and that its record does not have: a deployed configuration or a person has added them
 * since. What they were is recorded nowhere, so this run does not change them.
 *
 * Law: no node is rebooted while a server at its address is sent traffic that its record does not have.
 */
export const unrecordedServers = (s: ServiceSnapshot): readonly MatchedServer[] =>
  matchNodeServers(s.node, s.instances).filter(
    (matched) => matched.reading.adminState === 'ready' && !s.recorded.some((recorded) => isServer(recorded, matched)),
  )

const isServer = (recorded: RecordedServer, { instance, reading: { ref } }: MatchedServer): boolean =>
  recorded.balancer === instance.balancer &&
  recorded.instance === ref.instance &&
  recorded.backend === ref.backend &&
  recorded.server === ref.server

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

/** Why a node that has an unrecorded server does not leave. */
export const notRecorded = (s: ServiceSnapshot, { reading: { ref, address, port } }: MatchedServer): Reason => ({
  code: 'ServerNotRecorded',
  object: `${ref.backend}/${ref.server}`,
  text: `${serverKey(ref)} leads to ${s.node.name} (${address}:${port}) since the node was recorded, and is sent traffic`,
  next: `take ${serverKey(ref)} out by hand until ${s.node.name} is back in service`,
})

/** An instance is silent once its newest poll failed; its earlier reading confirms nothing. */
export const isSilent = (instance: InstanceSnapshot): boolean =>
  instance.reading === undefined || instance.silentForMs > 0

export const silentInstance = (instance: InstanceSnapshot): Reason => ({
  code: 'InstanceSilent',
  object: instance.instance,
  text: `${instance.instance} of ${instance.balancer} does not answer: ${instance.error ?? 'not queried yet'}`,
})

/**
 * The server was sent traffic before the roll: only then is its return waited for. A server that was `ready` and down already
 * (an app that does not run on every node) is set `ready` without a wait. Records of earlier versions do not have this.
 */
export const wasServing = ({ state, operational = 'up' }: RecordedServer): boolean =>
  state === 'ready' && (operational === 'up' || operational === 'starting')
