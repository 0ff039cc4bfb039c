const container = { name: 'app', image: 'testbed.local/app:1', imagePullPolicy: 'Never' }

/** A pod on n2 that keeps data of its own in an emptyDir, and one on n3 that has no controller. */
export function oddPods(): readonly object[] {
  const cache = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'cache' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { odd: 'cache' } },
      template: {
        metadata: { labels: { odd: 'cache' } },
        spec: {
          nodeName: 'n2',
          containers: [{ ...container, volumeMounts: [{ name: 'kept', mountPath: '/kept' }] }],
          volumes: [{ name: 'kept', emptyDir: {} }],
        },
      },
    },
  }
  const lonely = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'lonely', labels: { odd: 'lonely' } },
    spec: { nodeName: 'n3', containers: [container] },
  }
  return [cache, lonely]
}
