import { UserError } from '../../src/ground/model/user-error.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import type { OwnPod } from '../../src/roll/model/own-pod.ts'
import type { ClusterPlace } from './world.ts'

/** The pod that `--pod` names. Throws UserError where the cluster has no such pod on a node. */
export async function ownPodOf(
  { pod }: { readonly pod?: string },
  { cluster }: { readonly cluster: Cluster },
  signal: AbortSignal,
): Promise<{ readonly ownPod?: OwnPod }> {
  if (pod === undefined) return {}
  const pods = await cluster.list('placedpods', signal)
  const found = pods.find(({ namespace, name }) => `${namespace}/${name}` === pod)
  if (found?.nodeName === undefined) {
    throw new UserError(`this cluster has no pod ${pod} on a node`, {
      code: 'usage.own-pod',
      fix: 'give --pod the namespace and name of the pod that runs this command: --pod $(POD_NAMESPACE)/$(POD_NAME)',
    })
  }
  const { namespace, name, uid, nodeName } = found
  return { ownPod: { namespace, name, uid, node: nodeName } }
}

/** With the service account of a pod, the cluster of the roll is the one that this process runs in: it would drain itself. */
export function refuseUnknownPod({ pod }: { readonly pod?: string }, { remembered }: ClusterPlace): void {
  if (pod !== undefined || remembered.kubeconfig !== undefined) return
  throw new UserError('the roll runs in a pod of the cluster, and does not know which: it would drain its own pod', {
    code: 'usage.own-pod',
    fix: 'add --pod $(POD_NAMESPACE)/$(POD_NAME), with both variables from fieldRef; deploy/examples/roll-job.yaml has them',
  })
}
