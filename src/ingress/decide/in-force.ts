import { HEALTH_ANNOTATION, type HealthOrder, parseHealthOrder } from '../../service/model/health-order.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import type { IngressDeployment } from './snapshot.ts'

/** What the health port of a node goes by: the order on its Deployment, since the spec may say otherwise by now. */
export function healthInForce(
  { spec }: IngressDaemonSet,
  { annotations }: Pick<IngressDeployment, 'annotations'>,
): Pick<HealthOrder, 'minReadyPods' | 'mark'> {
  const order = parseHealthOrder(annotations[HEALTH_ANNOTATION] ?? '')
  return typeof order === 'string' ? { minReadyPods: spec.minReadyPodsPerNode, mark: spec.detach.deployment } : order
}
