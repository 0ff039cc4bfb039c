import { isDnsName } from '../../model/dns.ts'

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

function withZone(resolver: PodResolver, zone: string | undefined): PodResolver {
  return zone !== undefined && isDnsName(zone) ? { ...resolver, zone: zone.replace(/\.$/, '') } : resolver
}
