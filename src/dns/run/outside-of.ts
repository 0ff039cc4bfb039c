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

/** The addresses that the Service has for outside, and its node ports at a few Ready nodes. */
export function outsideOf(service: DnsService, nodes: readonly DnsNode[]): readonly OutsideAddress[] {
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
