import { formatHealthOrder } from '../../../src/service/model/health-order.ts'

interface Change {
  readonly name?: string
  readonly node?: string
  readonly ports?: readonly number[]
  readonly minReadyPods?: number
  readonly ready?: number
  /** As written, where it is not what the controller writes; null: none. */
  readonly order?: string | null
  readonly isMarked?: boolean
  /** The pods of its health checker answer. */
  readonly by?: 'pods'
  readonly group?: string
  readonly uid?: string
  readonly created?: string
  readonly deleting?: boolean
}

export const MARK = 'example.com/to-be-updated'

/** The Deployment of an IngressDaemonSet for one node, as the API server shows it to an agent. */
export function healthDeployment(change: Change = {}) {
  const { name = 'web', node = 'n1', ports = [30_100], minReadyPods = 2, ready = 2, isMarked = false } = change
  const answered = change.by === undefined ? {} : { by: change.by }
  const {
    order = formatHealthOrder({ ports, minReadyPods, mark: { key: MARK, value: '' }, ...answered }),
    uid = `uid-${name}`,
  } = change
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace: 'default',
      name: `${name}-1`,
      uid,
      resourceVersion: '1',
      creationTimestamp: change.created ?? '2026-01-01T00:00:00Z',
      ...(change.deleting === true ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
      ...(change.group === undefined ? {} : { ownerReferences: [ownerOf(name, change.group)] }),
      labels: { 'evenkeel.dev/ingress': name, 'evenkeel.dev/node': node },
      annotations: {
        'evenkeel.dev/node': node,
        ...(order === null ? {} : { 'evenkeel.dev/health-check': order }),
        ...(isMarked ? { [MARK]: '' } : {}),
      },
    },
    status: { readyReplicas: ready },
  }
}

const ownerOf = (name: string, group: string) => ({
  apiVersion: `${group}/v1alpha1`,
  kind: 'IngressDaemonSet',
  name,
  uid: `uid-of-${name}`,
  controller: true,
})
