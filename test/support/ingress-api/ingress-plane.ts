import { type Bed, openBed } from '../../../testbed/bed.ts'
import type { KubeconfigPair } from '../../../testbed/owner/identities.ts'
import { rightsOfTheChart, shipped } from '../agent-chart.ts'

const NAMESPACE = 'evenkeel'
const ACCOUNT = 'evenkeel-agent-controller'

/** The user that a controller is to the API server that has the kubeconfig of the plane. */
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
export const openIngressPlane = ({ maxOut, groups }: PlaneOptions): Promise<IngressPlane> =>
  openPlane(maxOut, {
    values: ['ingress.enabled=true', `ingress.groups={${groups.join()}}`],
    crds: groups.map((group) => `ingressdaemonsets.${group}`),
  })

/** The same for a controller of NodeGuards. */
export const openGuardPlane = (maxOut: string): Promise<IngressPlane> =>
  openPlane(maxOut, { values: ['guard.enabled=true'], crds: ['nodeguards.evenkeel.dev'] })

interface PlaneParts {
  /** Of the chart. */
  readonly values: readonly string[]
  readonly crds: readonly string[]
}

async function openPlane(maxOut: string, { values, crds }: PlaneParts): Promise<IngressPlane> {
  // No kubelet renews the heartbeats of the Nodes.
  const bed = await openBed({ controlPlaneOnly: true, monitorGraceSeconds: 24 * 60 * 60 })
  try {
    await bed.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }])
    const budget = { namespace: NAMESPACE, name: 'evenkeel-budget' }
    await bed.apply([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: budget, data: { maxOut } }])
    await bed.apply(await rightsOfTheChart('controller.enabled=true', ...values))
    for (const crd of crds) await bed.apply(shipped(`crd/${crd}.yaml`))
    const made = crds.map((crd) => `crd/${crd}`)
    await bed.established(made)
    return { bed, kubeconfigs: await bed.serviceAccountKubeconfig(NAMESPACE, ACCOUNT) }
  } catch (error) {
    await bed.close()
    throw error
  }
}
