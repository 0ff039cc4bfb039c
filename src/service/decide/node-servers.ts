import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { type ServerReading, type ServerRef, serverKey } from '../model/balancer.ts'
import { RECORD_ANNOTATION, type RecordedServer } from '../model/node-record.ts'
import type { DetachEvidence } from './evidence.ts'
import type { InstanceSnapshot } from './instance-snapshot.ts'
import { belongsTo, type MatchedServer, matchNodeServers, serversAtAddress } from './match-node-servers.ts'
import type { ServiceSnapshot } from './service-snapshot.ts'

/** A server of the node under way: as recorded, and as its instance shows it now. */
export interface NodeServer {
  readonly recorded: RecordedServer
  /** By the name that it has now. */
  readonly ref: ServerRef
  readonly instance: InstanceSnapshot
  /** Absent when the instance never answered or no longer lists it. */
  readonly reading?: ServerReading
}

/**
 * The record is read back as hostile input: only servers count that the file allows and that are at one of the node's own
 * addresses.
 *
 * A name may come to lead elsewhere: by a reload with other names, by a slot of `server-template`, by `set server addr`. So what is at
 * the node's addresses counts, whatever it is called. A server of another name takes the place of a recorded one that is not there any
 * more, or stands beside one at the same port, and goes by the same state.
 *
 * Law: a server is known by the address that it leads to, whatever its name is by now.
 */
export function nodeServers(s: ServiceSnapshot): readonly NodeServer[] {
  const known = FOUND.get(s) ?? serversFound(s)
  FOUND.set(s, known)
  return known
}

/** By the snapshot, which never changes: each rule of a pass asks. */
const FOUND = new WeakMap<ServiceSnapshot, readonly NodeServer[]>()

function serversFound(s: ServiceSnapshot): readonly NodeServer[] {
  const recorded = allowedRecorded(s).filter((server) => belongsTo(server.recorded, s.node))
  const readings = new Set(recorded.map(({ reading }) => reading))
  const others = matchNodeServers(s.node, s.instances).filter(({ reading }) => !readings.has(reading))
  if (others.length === 0) return recorded
  const { servers, left } = [isServer, isAtPort, isOfBackend].reduce(found, { servers: recorded, left: others })
  return [...servers, ...left.flatMap((matched) => besideRecorded(s, servers, matched))]
}

interface Found {
  readonly servers: readonly NodeServer[]
  /** At the node, and not taken for one of the recorded servers. */
  readonly left: readonly MatchedServer[]
}

type Fits = (recorded: RecordedServer, matched: MatchedServer) => boolean

/** Each recorded server that is not there takes the first that fits, unless that may as well be one that was in another state. */
function found({ servers, left }: Found, fits: Fits): Found {
  const missing = servers.filter(({ reading }) => reading === undefined)
  const taken = new Map<NodeServer, MatchedServer>()
  for (const server of missing) {
    const { recorded } = server
    const rivals = missing.filter((other) => other.recorded.state !== recorded.state)
    const match = left.find(
      (matched) =>
        fits(recorded, matched) &&
        mayStandFor(recorded, matched) &&
        !rivals.some((rival) => fits(rival.recorded, matched)) &&
        ![...taken.values()].includes(matched),
    )
    if (match !== undefined) taken.set(server, match)
  }
  const named = servers.map((server) => {
    const match = taken.get(server)
    return match === undefined ? server : { ...server, ref: match.reading.ref, reading: match.reading }
  })
  const matches = new Set(taken.values())
  return { servers: named, left: left.filter((matched) => !matches.has(matched)) }
}

/** One that came to be beside a recorded one: while it is sent traffic, and from then on. What is found out of service is not ours. */
function besideRecorded(
  { evidence }: ServiceSnapshot,
  servers: readonly NodeServer[],
  matched: MatchedServer,
): readonly NodeServer[] {
  const { ref, ownState } = matched.reading
  if (ownState !== 'ready' && evidence.setOut[serverKey(ref)] === undefined) return []
  const [first, ...more] = servers.filter(({ recorded }) => isAtPort(recorded, matched))
  if (first === undefined || more.some(({ recorded }) => recorded.state !== first.recorded.state)) return []
  return [{ ...first, ref, reading: matched.reading }]
}

/**
 * Recorded servers that the file allows but that are no longer at an address of the node. Such a server gets no command, and no
 * step is done while there is one. A server at the address of another node was never ours, unless this run has taken it out: then the other
 * node came to have that address since.
 */
export const lostServers = (s: ServiceSnapshot): readonly NodeServer[] =>
  allowedRecorded(s).filter(
    ({ recorded }) =>
      // The node under way is checked first: nearly always the server is its own, and no other node has to be checked.
      !belongsTo(recorded, s.node) &&
      (s.evidence.setOut[serverKey(recorded)] !== undefined || s.nodes.every((node) => !belongsTo(recorded, node))),
  )

/**
 * Servers at the node that are sent traffic and that its record does not have, nor a server in whose place they are: a deployed
 * configuration or a person has added them since. What they were is recorded nowhere, so this run does not change them.
 *
 * Law: no node is rebooted while a server at its address is sent traffic that its record does not have.
 */
export function unrecordedServers(s: ServiceSnapshot): readonly MatchedServer[] {
  const known = new Set(nodeServers(s).map(({ reading }) => reading))
  return matchNodeServers(s.node, s.instances).filter(
    ({ reading }) => reading.adminState === 'ready' && !known.has(reading),
  )
}

const isOfBackend: Fits = (recorded, { instance, reading: { ref } }) =>
  recorded.balancer === instance.balancer && recorded.instance === ref.instance && recorded.backend === ref.backend

const isAtPort: Fits = (recorded, matched) => isOfBackend(recorded, matched) && recorded.port === matched.reading.port

const isServer: Fits = (recorded, matched) =>
  isOfBackend(recorded, matched) && recorded.server === matched.reading.ref.server

/** That people had taken one out says nothing of a server with another name and another port. */
const mayStandFor: Fits = (recorded, matched) =>
  recorded.state === 'ready' || isServer(recorded, matched) || isAtPort(recorded, matched)

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

/** What was seen of the server while it was out: by its name of now, or by the one that it had when it was recorded. */
export const seenOut = ({ evidence }: ServiceSnapshot, { ref, recorded }: NodeServer): DetachEvidence | undefined =>
  evidence.detached[serverKey(ref)] ?? evidence.detached[serverKey(recorded)]

/**
 * Servers that this process took out at the node, and that the same process of the balancer has at another address by now, in the same
 * state: nothing puts them back with the node. Where the other address is that of a node with a record, whoever has it in work does.
 */
export const ledElsewhere = (s: ServiceSnapshot): readonly MatchedServer[] =>
  nodeServers(s).flatMap(({ recorded, instance, ref, reading: at }) => {
    const key = serverKey(recorded)
    const seen = s.evidence.detached[key]
    if (seen === undefined || s.evidence.setOut[key] === undefined) return []
    if (at !== undefined && ref.server === recorded.server) return []
    const reading = instance.reading?.servers.find((server) => serverKey(server.ref) === key)
    const isOurs = seen.process === instance.reading?.process && reading?.ownState !== recorded.state
    if (reading === undefined || !isOurs || belongsTo(reading, s.node)) return []
    const isInWork = s.nodes.some((node) => RECORD_ANNOTATION in node.annotations && belongsTo(reading, node))
    return isInWork ? [] : [{ instance, reading }]
  })

export const leadsElsewhere = ({ reading: { ref, address, port, ownState } }: MatchedServer): Reason => ({
  code: 'ServerLedElsewhere',
  object: `${ref.backend}/${ref.server}`,
  text: `${serverKey(ref)} ${address === '' ? 'has no address' : `leads to ${address}:${port}`} now, and is in ${ownState} still, to which this roll set it`,
  next: `set ${serverKey(ref)} to ready by hand`,
})

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
