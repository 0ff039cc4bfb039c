/** Components of the cluster itself, whose traffic would bury that of all other clients. */
const COMPONENTS = ['system:apiserver', 'system:kube-controller-manager', 'system:kube-scheduler', 'system:kube-proxy']
const COMPONENT_GROUPS = ['system:nodes', 'system:serviceaccounts:kube-system']

/** What the API server writes down: one line for each answered request of any client but the components, without bodies. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    { level: 'None', users: COMPONENTS },
    { level: 'None', userGroups: COMPONENT_GROUPS },
    { level: 'None', nonResourceURLs: ['/readyz*', '/livez*', '/healthz*'] },
    { level: 'Metadata' },
  ],
}
