type Json = Readonly<Record<string, unknown>>

const DRIVER = 'csi.example.com'
export const GUARD = 'storage'
const OTHER_DRIVER = 'other.example.com'

/** Runs on every node. */
export const storageObject: Json = {
  metadata: { name: 'storage-node' },
  spec: {
    selector: { matchLabels: { app: 'storage-node' } },
    template: {
      metadata: { labels: { app: 'storage-node' } },
      spec: { containers: [{ name: 'node', image: 'registry.example/storage/node:1' }] },
    },
  },
}

/** One hold of each kind; all of them are clear. */
export const guardObject = (askPort: number): Json => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'NodeGuard',
  metadata: { name: GUARD },
  spec: {
    follow: { daemonSet: { name: 'storage-node' } },
    mode: 'PerNode',
    holds: [
      { name: 'volumes', volumes: { drivers: [DRIVER] } },
      { name: 'pods', pods: { namespace: 'default', selector: { app: 'rebalance' } } },
      { name: 'http', http: { url: `http://127.0.0.1:${askPort}/drain/{node}` } },
      {
        name: 'object',
        object: {
          ...{ version: 'v1', resource: 'configmaps', namespace: 'default', name: 'state-{node}' },
          clearWhen: "object.data.state == 'clean'",
        },
      },
      { name: 'annotation', annotation: { key: 'storage.example.com/busy' } },
    ],
  },
})

/** What the hold of type object reads. */
export const stateObject = (node: string): Json => ({ metadata: { name: `state-${node}` }, data: { state: 'clean' } })

/** A volume of a driver that the guard does not ask for. */
export const attachmentObject = (node: string): Json => ({
  metadata: { name: `csi-${node}` },
  spec: { attacher: OTHER_DRIVER, nodeName: node, source: { persistentVolumeName: `pv-${node}` } },
  status: { attached: true },
})
