import type { Bed } from '../../../testbed/bed.ts'
import type { KubeconfigPair } from '../../../testbed/owner/identities.ts'

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

const rule = (group: string, resources: readonly string[], ...verbs: readonly string[]): Rule => ({
  apiGroups: [group],
  resources,
  verbs,
})

/** What every check takes: to find DNS, and nothing to reach it by. */
const FOUND = [rule('', ['services', 'nodes'], 'list')]
const FOUND_IN_DNS = [rule('', ['pods'], 'list'), rule('discovery.k8s.io', ['endpointslices'], 'list')]

/** What one way to DNS takes beside that, and in which namespace. */
const OF_WAY = {
  sockets: {},
  portForward: { 'kube-system': [rule('', ['pods/portforward'], 'get', 'create')] },
  relay: {
    evenkeel: [
      rule('batch', ['jobs'], 'create', 'delete'),
      rule('', ['pods'], 'list'),
      rule('', ['pods/portforward'], 'get', 'create'),
    ],
  },
  ephemeral: {
    default: [
      rule('', ['pods'], 'get'),
      rule('', ['pods/ephemeralcontainers'], 'patch'),
      rule('', ['pods/portforward'], 'get', 'create'),
    ],
  },
  exec: { default: [rule('', ['pods'], 'get'), rule('', ['pods/exec'], 'get', 'create')] },
} as const satisfies Record<string, Readonly<Record<string, readonly Rule[]>>>

export type Way = keyof typeof OF_WAY

/** An identity that may find DNS and take that one way to it. */
export async function identityFor(bed: Bed, way: Way): Promise<KubeconfigPair> {
  const name = `dns-${way.toLowerCase()}`
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }]
  const rbac = 'rbac.authorization.k8s.io'
  const bound = (kind: 'Role' | 'ClusterRole', namespace: string | undefined, rules: readonly Rule[]): object[] => {
    const metadata = namespace === undefined ? { name } : { name, namespace }
    const apiVersion = `${rbac}/v1`
    return [
      { apiVersion, kind, metadata, rules },
      { apiVersion, kind: `${kind}Binding`, metadata, roleRef: { apiGroup: rbac, kind, name }, subjects },
    ]
  }
  const ofWay: Readonly<Record<string, readonly Rule[]>> = OF_WAY[way]
  const namespaces = [...new Set(['kube-system', ...Object.keys(ofWay)])]
  await bed.apply([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } },
    ...bound('ClusterRole', undefined, FOUND),
    ...namespaces.flatMap((namespace) =>
      bound('Role', namespace, [...(namespace === 'kube-system' ? FOUND_IN_DNS : []), ...(ofWay[namespace] ?? [])]),
    ),
  ])
  return bed.serviceAccountKubeconfig('default', name)
}
