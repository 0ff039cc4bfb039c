import { ARTICLE_PORT } from './check-backends.ts'

const NAME = 'nodecheck'
const labels = { app: NAME }
const account = { kind: 'ServiceAccount', name: NAME, namespace: 'default' }

/** The program that asks the API server at each check, on every node, with the right that it takes. */
export const articleProgram = (): readonly object[] => [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: NAME },
    rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: NAME },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME },
    subjects: [account],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: NAME },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: NAME,
          hostNetwork: true,
          tolerations: [{ operator: 'Exists' }],
          containers: [
            {
              name: 'app',
              image: 'testbed.local/nodecheck:1',
              imagePullPolicy: 'Never',
              args: [`:${ARTICLE_PORT}`],
              env: [{ name: 'MY_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            },
          ],
        },
      },
    },
  },
]
