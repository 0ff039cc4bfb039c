import type { HealthOrder } from '../../service/model/health-order.ts'

/** Of one IngressDaemonSet, what the API server told of its Deployment for this node. */
export interface IngressFacts {
  /** Of the Deployment; its successor of the same name is another one. */
  readonly uid: string
  readonly namespace: string
  /** Of the IngressDaemonSet. */
  readonly name: string
  readonly deployment: string
  /** metadata.creationTimestamp, in ms. */
  readonly createdAt: number
  readonly deleting: boolean
  readonly ready: number
  readonly isMarked: boolean
  /** What is wrong with its annotation: `order` is the last one that could be read. */
  readonly unreadable?: string
  /** Absent: none could ever be read. */
  readonly order?: Pick<HealthOrder, 'ports' | 'minReadyPods'>
}

/** `shop/web`, as people write it. */
export const ingressName = ({ namespace, name }: Pick<IngressFacts, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`
