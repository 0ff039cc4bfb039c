import { type Bed, openBed } from '../../../testbed/bed.ts'
import type { KubeconfigPair } from '../../../testbed/owner/identities.ts'
import { rightsOfTheChart, shipped } from '../agent-chart.ts'

const NAMESPACE = 'evenkeel'
const ACCOUNT = 'evenkeel-agent-controller'

/** Who a controller is to the API server that has the kubeconfig of the plane. */
export const CONTROLLER_USER = `system:serviceaccount:${NAMESPACE}:${ACCOUNT}`

interface PlaneOptions {
  /** Of the node budget. */
  readonly maxOut: string
  /** Whose CustomResourceDefinitions are there. */
  readonly groups: readonly string[]
}

interface IngressPlane {
  readonly bed: Bed
  /** Paths of those of the controller, with the rights of the chart. */
  readonly kubeconfigs: KubeconfigPair
}

/** A real control plane without any node, and all that a controller of IngressDaemonSets needs there. */
export async function openIngressPlane({ maxOut, groups }: PlaneOptions): Promise<IngressPlane> {
  // No kubelet renews the heartbeats of the Nodes.
  const bed = await openBed({ controlPlaneOnly: true, monitorGraceSeconds: 24 * 60 * 60 })
  try {
    await bed.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }])
    const budget = { namespace: NAMESPACE, name: 'evenkeel-budget' }
    await bed.apply([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: budget, data: { maxOut } }])
    const settings = ['controller.enabled=true', 'ingress.enabled=true', `ingress.groups={${groups.join()}}`]
    await bed.apply(await rightsOfTheChart(...settings))
    for (const group of groups) await bed.apply(shipped(`crd/ingressdaemonsets.${group}.yaml`))
    const crds = groups.map((group) => `crd/ingressdaemonsets.${group}`)
    await bed.kubectl(['wait', '--for=condition=Established', ...crds, '--timeout=30s'])
    return { bed, kubeconfigs: await bed.serviceAccountKubeconfig(NAMESPACE, ACCOUNT) }
  } catch (error) {
    await bed.close()
    throw error
  }
}
