import { podRange } from '../../../testbed/addresses.ts'
import { type DnsBed, WELL } from './dns-bed.ts'

const NODE_PORTS = {
  type: 'NodePort',
  ports: [
    { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53, nodePort: 30053 },
    { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53, nodePort: 31053 },
  ],
}

/** With the Service of DNS at node ports, asked from a place that reaches those alone, until `during` is over and DNS is healthy again. */
export async function exposed(place: DnsBed, during: () => Promise<void>): Promise<void> {
  const patched = (spec: object): Promise<string> => {
    const words = ['-n', 'kube-system', '--type=merge', '-p', JSON.stringify({ spec })]
    return place.bed.kubectl(['patch', 'service', 'kube-dns', ...words])
  }
  // To the network that joins the nodes pods are routed; where DNS is exposed for want of a route they are not.
  const filter = (flag: '-I' | '-D') => place.inHub(['iptables', '-w', flag, 'OUTPUT', '-d', podRange, '-j', 'DROP'])
  await patched(NODE_PORTS)
  await filter('-I')
  try {
    await place.from('hub', during)
  } finally {
    await filter('-D')
    const ports = NODE_PORTS.ports.map(({ nodePort: _, ...port }) => port)
    await patched({ type: 'ClusterIP', ports })
  }
  await place.says(WELL)
}
