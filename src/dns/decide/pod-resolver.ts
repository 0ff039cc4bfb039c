import { canonicalAddress } from '../../ground/model/ip-address.ts'
import { isDnsName } from '../model/dns.ts'
import type { DnsService } from '../model/dns-objects.ts'

/** Where pods of the cluster send their queries, and which zone they search. */
export interface PodResolver {
  readonly addresses: readonly string[]
  readonly zone?: string
}

const NOTHING: PodResolver = { addresses: [] }

/** From the resolv.conf of a pod: kubelet writes `search <namespace>.svc.<zone> svc.<zone> <zone>`. */
export function resolverOfPod(resolvConf: string): PodResolver {
  const words = resolvConf.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  )
  const addresses = words.flatMap(([word, address]) =>
    word === 'nameserver' && address !== undefined ? [address] : [],
  )
  const searched = words.flatMap(([word, ...domains]) => (word === 'search' ? domains : []))
  return withZone({ addresses }, searched.find((domain) => domain.startsWith('svc.'))?.slice('svc.'.length))
}

/** From the kubelet configuration that kubeadm keeps in ConfigMap kube-system/kubelet-config: `clusterDNS`, `clusterDomain`. */
export function resolverOfKubelet(config: string): PodResolver {
  const list = /^clusterDNS:[ \t]*\n((?:[ \t]*-[ \t]*\S+[ \t]*(?:\n|$))+)/m.exec(config)?.[1] ?? ''
  const addresses = [...list.matchAll(/-[ \t]*["']?([0-9A-Fa-f.:]+)["']?/g)].map(([, address = '']) => address)
  return withZone({ addresses }, /^clusterDomain:[ \t]*["']?([^\s"']+)/m.exec(config)?.[1])
}

/** Of the first that says so. */
export function firstResolver(resolvers: readonly PodResolver[]): PodResolver {
  const addresses = resolvers.find((one) => one.addresses.length > 0)?.addresses ?? NOTHING.addresses
  return withZone({ addresses }, resolvers.find(({ zone }) => zone !== undefined)?.zone)
}

/** 169.254.0.0/16 and fe80::/10: what answers there is on the node that asks. */
const LINK_LOCAL = /^(?:169\.254\.|fe[89ab][0-9a-f]:)/

/**
 * Addresses of a cache on each node at which pods are sent past the Service, as NodeLocal DNSCache does with IPVS. A resolver that
 * names no zone is that of a node: its link-local address is the resolver of a cloud.
 */
export function cachesOfNodes(resolvers: readonly PodResolver[], services: readonly DnsService[]): readonly string[] {
  const ofServices = new Set(services.flatMap(({ addresses }) => addresses.map(canonicalAddress)))
  const named = resolvers.flatMap(({ zone, addresses }) => (zone === undefined ? [] : addresses.map(canonicalAddress)))
  return [...new Set(named)].filter((address) => LINK_LOCAL.test(address) && !ofServices.has(address))
}

function withZone(resolver: PodResolver, zone: string | undefined): PodResolver {
  return zone !== undefined && isDnsName(zone) ? { ...resolver, zone: zone.replace(/\.$/, '') } : resolver
}
