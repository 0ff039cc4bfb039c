import { appContainer } from '../../../src/sim/cluster/article-workloads.ts'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'

export type Json = Readonly<Record<string, unknown>>

/** `no`: the DaemonSet leaves the node alone. */
export const STORAGE_LABEL = 'storage'

/** The DaemonSet is to run on that Node. */
export const isWantedOn = ({ metadata: { labels = {} } }: ApiObject): boolean => labels[STORAGE_LABEL] !== 'no'

/** The pods that the guards stand beside. */
export const storage = (spec: Json = {}, name = 'storage'): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 5,
        affinity: notLabelled('storage', 'no'),
        containers: [appContainer({ STOP: 'graceful', GRACE: '1s' })],
        ...spec,
      },
    },
  },
})

/** The template of a guard. */
export const guardTemplate = (version = '1') => ({
  metadata: { labels: { app: 'guard' } },
  spec: {
    terminationGracePeriodSeconds: 2,
    containers: [appContainer({ STOP: 'graceful', GRACE: '1s', VERSION: version })],
  },
})

/** The template of guards that do not become ready. */
export const neverReady = () => ({
  metadata: { labels: { app: 'guard' } },
  spec: { containers: [appContainer({ STOP: 'immediate', START_DELAY: '1h' })] },
})

export const nodeGuard = (spec: Json = {}, name = 'guard'): object => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'NodeGuard',
  metadata: { namespace: 'default', name },
  spec: { follow: { daemonSet: { name: 'storage' } }, template: guardTemplate(), ...spec },
})

export const volumeAttachment = (name: string, nodeName: string, attacher = 'driver.example.com'): object => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name },
  spec: { attacher, nodeName, source: { persistentVolumeName: `pv-${name}` } },
})

const notLabelled = (key: string, value: string): Json => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'NotIn', values: [value] }] }],
    },
  },
})
