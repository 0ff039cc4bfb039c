import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { auditPolicy } from '../audit-policy.ts'
import type { RackPlan } from '../plan.ts'
import { type NodePki, writeNodePki } from './node-pki.ts'
import { auditPolicyFile, staticPods } from './static-pods.ts'

/** Writes what makes a node one of the control plane into its /etc/kubernetes: kubelet starts it from there. */
export function installControlPlane(kubernetes: string, plan: RackPlan, pki: Omit<NodePki, 'disk'>): void {
  writeNodePki(kubernetes, { ...pki, disk: plan.disk })
  writeFileSync(join(kubernetes, auditPolicyFile), JSON.stringify(auditPolicy))
  for (const { name, pod } of staticPods(plan, pki.node))
    writeFileSync(join(kubernetes, 'manifests', `${name}.json`), JSON.stringify(pod))
}
