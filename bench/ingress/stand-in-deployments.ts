import { NODE_ANNOTATION } from '../../src/ground/model/slot.ts'
import type { ApiObject } from '../../src/sim/world/api-object.ts'
import { DEPLOYMENTS, PODS } from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import type { World } from '../../src/sim/world/world.ts'

interface DeploymentSpec {
  readonly replicas: number
  readonly template: { readonly metadata: { readonly labels: Readonly<Record<string, string>> }; readonly spec: object }
}

/**
 * In the place of the Deployment controller, the scheduler and kubelets: what a Deployment asks for is there at once, on the node
 * that it names, and its pods are Ready.
 */
export function standInDeployments(world: World): void {
  world.store.subscribe(DEPLOYMENTS, ({ type, object }) => {
    if (type === 'DELETED') return
    const { observedGeneration } = (object.status ?? {}) as { readonly observedGeneration?: number }
    if (observedGeneration === object.metadata.generation) return
    follow(world, object)
  })
}

function follow(world: World, deployment: ApiObject): void {
  const { replicas, template } = deployment.spec as DeploymentSpec
  const { namespace = '', name, generation, uid, annotations = {} } = deployment.metadata
  const { [NODE_ANNOTATION]: nodeName } = annotations
  for (let at = 0; at < replicas; at += 1) {
    const pod = `${name}-${at}`
    if (world.store.get(PODS, { namespace, name: pod }) !== undefined) continue
    const made = createObject(world, {
      resource: PODS,
      namespace,
      body: {
        metadata: {
          name: pod,
          labels: template.metadata.labels,
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true }],
        },
        spec: nodeName === undefined ? template.spec : { ...template.spec, nodeName },
      },
    })
    // As a kubelet does: a pod is made Pending, whatever status it is made with.
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    world.store.put(PODS, { ...made, status })
  }
  const all = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas }
  const conditions = [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' }]
  world.store.put(DEPLOYMENTS, { ...deployment, status: { observedGeneration: generation, ...all, conditions } })
}
