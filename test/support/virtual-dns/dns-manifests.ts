import { apiService, clusterDns } from '../../../src/sim/cluster/dns-workloads.ts'
import type { DnsScenario } from './dns-scenario.ts'

export const ZONE = 'cluster.local'
export const PORTS = { dns: 53, health: 8080 } as const
const DNS_ADDRESS = '10.96.0.10'
export const API = { address: '10.96.0.1', port: 443 } as const

/** DNS as kubeadm installs it, and the Service of the API server. */
export const dnsManifests = ({ replicas }: Pick<DnsScenario, 'replicas'>): readonly object[] => [
  ...clusterDns({ zone: ZONE, replicas, address: DNS_ADDRESS, ports: PORTS }),
  ...apiService({ ...API, server: { host: '192.0.2.1', port: 6_443 } }),
]

/** Of people, so that there is a newest one. */
export const someService = (index: number): object => {
  const address = `10.96.7.${index + 1}`
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `cart-${index}`, namespace: 'default' },
    spec: { clusterIP: address, clusterIPs: [address], selector: { app: 'cart' }, ports: [{ port: 80 }] },
  }
}

/** Pods of people, one on each node: what a check connects to around a silent pod. */
export const neighbours = (): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'registry.test/web:1', ports: [{ containerPort: PORTS.health }] }] },
    },
  },
})
