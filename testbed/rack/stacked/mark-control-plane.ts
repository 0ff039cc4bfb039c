import type { ApiClient } from '../api-client.ts'
import { CONTROL_PLANE } from '../node-settings.ts'
import { controlPlaneNodes, type RackPlan } from '../plan.ts'

/** Labels control-plane nodes as kubeadm does. Kubelets may not give themselves these labels. */
export async function markControlPlane(plan: RackPlan, api: ApiClient): Promise<void> {
  // Untainted nodes run pods of services, so balancers must send to them.
  const excluded = plan.stacked === 'tainted' ? { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } : {}
  const labels = { [CONTROL_PLANE]: '', ...excluded }
  await Promise.all(controlPlaneNodes(plan).map((node) => api.patch(`/api/v1/nodes/${node}`, { metadata: { labels } })))
}
