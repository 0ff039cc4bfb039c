import type { HealthOrder } from '../../service/model/health-order.ts'

/** The Deployment of one IngressDaemonSet for this node, as the API server has it. */
export interface IngressReading {
  /** The UID of the Deployment. A successor of the same name has another one. */
  readonly uid: string
  readonly namespace: string
  /** The name of the IngressDaemonSet. */
  readonly name: string
  readonly deployment: string
  /** metadata.creationTimestamp, in ms. */
  readonly createdAt: number
  readonly deleting: boolean
  readonly ready: number
  readonly isMarked: boolean
  /** What is wrong with its annotation. `order` is then the last one that could be read. */
  readonly unreadable?: string
  /** Absent: the annotation could never be read. */
  readonly order?: Pick<HealthOrder, 'ports' | 'minReadyPods'>
}

/** `shop/web`, as people write it. */
export const ingressName = ({ namespace, name }: Pick<IngressReading, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`
