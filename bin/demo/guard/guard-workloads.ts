import { appContainer } from '../../../src/sim/cluster/article-workloads.ts'

const DRIVER = 'csi.example.com'
export const GUARD = 'storage'
const namespace = 'default'

/** Its pods end at once, and are Ready a second after they began. */
const template = (app: string, port: number): object => ({
  metadata: { labels: { app } },
  spec: {
    terminationGracePeriodSeconds: 5,
    containers: [appContainer({ STOP: 'graceful', GRACE: '0s' }, {}, port)],
  },
})

/** The storage of each node, a program beside it that may move, and the NodeGuard. */
export const guardWorkloads = (port: number, replicas: number): readonly object[] => [
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { namespace, name: 'storage' },
    spec: { selector: { matchLabels: { app: 'storage' } }, template: template('storage', port) },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name: 'web' },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template('web', port) },
  },
  {
    apiVersion: 'evenkeel.dev/v1alpha1',
    kind: 'NodeGuard',
    metadata: { namespace, name: GUARD },
    spec: {
      follow: { daemonSet: { name: 'storage' } },
      mode: 'PerNode',
      holds: [{ name: 'volumes', volumes: { drivers: [DRIVER] } }],
      template: template('guard', port),
    },
  },
]

/** A volume of the driver is attached to the node. */
export const attachment = (volume: string, nodeName: string): object => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: volume },
  spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName: volume } },
})
