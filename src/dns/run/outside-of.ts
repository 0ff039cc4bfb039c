import type { Endpoint } from '../../ground/model/endpoint.ts'
import { present } from '../../ground/model/present.ts'
import { udpPort } from '../decide/find-dns-service.ts'
import type { DnsNode, DnsService } from '../model/dns-objects.ts'

/** Where the Service is reached from outside of the cluster. A node port differs between UDP and TCP. */
export interface OutsideAddress extends Endpoint {
  /** Absent: it is not reached over TCP there. */
  readonly tcpPort?: number
}

/** Each node port leads to all pods: more nodes cost many queries, and tell little more. */
const NODES_ASKED = 3

interface WaysIn {
  readonly at: readonly OutsideAddress[]
  /** One of them does not lead to all pods alike. */
  readonly isLocal: boolean
  readonly notes: readonly string[]
}

/**
 * Where the pods are reached from outside: by the Service itself, and by others that lead to the same pods at the same port, such as one of
 * type NodePort that people made beside it.
 */
export function waysIn(services: readonly DnsService[], service: DnsService, nodes: readonly DnsNode[]): WaysIn {
  const key = keyOf(service)
  const others = services.filter((one) => one.name !== service.name && key !== undefined && keyOf(one) === key)
  const beside = others.map((way) => ({ way, at: outsideOf(way, nodes) })).filter(({ at }) => at.length > 0)
  return {
    at: [...outsideOf(service, nodes), ...beside.flatMap(({ at }) => at)],
    isLocal: beside.some(({ way }) => way.isLocalOutside === true || way.isUneven),
    notes: beside.map(
      ({ way: { namespace, name } }) => `from outside, Service ${namespace}/${name} leads to the same pods`,
    ),
  }
}

function keyOf(service: DnsService): string | undefined {
  const port = udpPort(service)
  const labels = Object.entries(service.selector ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1))
  if (port === undefined || labels.length === 0) return undefined
  return JSON.stringify([service.namespace, labels, port.targetPort ?? String(port.port)])
}

/** The addresses that the Service has for outside, and its node ports at a few Ready nodes. */
function outsideOf(service: DnsService, nodes: readonly DnsNode[]): readonly OutsideAddress[] {
  const port = udpPort(service)
  if (port === undefined) return []
  const tcp = service.ports.find((one) => one.protocol === 'TCP' && one.port === port.port)
  const at = (address: string, udp: number, tcpPort: number | undefined): OutsideAddress => ({
    address,
    port: udp,
    ...present({ tcpPort }),
  })
  const { nodePort } = port
  const ofNodes = nodes.filter(({ ready }) => ready).flatMap(({ addresses }) => addresses.slice(0, 1))
  return [
    ...service.outsideAddresses.map((address) => at(address, port.port, tcp?.port)),
    ...(nodePort === undefined
      ? []
      : ofNodes.slice(0, NODES_ASKED).map((address) => at(address, nodePort, tcp?.nodePort))),
  ]
}
