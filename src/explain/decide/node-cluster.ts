import { runOfLock } from '../../ground/model/kured-lock.ts'
import { isControlPlane } from '../../ground/model/node.ts'
import type { PlanFinding } from '../../ground/model/plan-finding.ts'
import { controlPlaneFindings } from '../../roll/decide/plan/control-plane-findings.ts'
import { rebootLocks } from '../../roll/decide/plan/reboot-lock-findings.ts'
import { type ExplainFinding, finding } from './finding.ts'
import type { NodeScene } from './node-scene.ts'

/** Findings about the whole cluster that let no roll take the node out: the same as in a plan. */
export const nodeCluster = (s: NodeScene): readonly ExplainFinding[] => [...plane(s), ...kured(s)]

type Said = Pick<ExplainFinding, 'is' | 'evidence'>

const asFinding = ({ node }: NodeScene, { code, text, fix }: PlanFinding, said: Said): ExplainFinding =>
  finding({
    ...{ part: 'roll', subject: node.name, code, text, ...said },
    next: fix === undefined ? [] : [{ note: fix }],
  })

const IS = { error: 'stuck', block: 'stuck', hold: 'waits', warning: 'fact' } as const

/** If an API server or a member of etcd is not Ready, nothing that is known replaces it. */
function plane(s: NodeScene): readonly ExplainFinding[] {
  const { node, system } = s
  if (system === undefined || !isControlPlane(node)) return []
  const evidence = system
    .filter(({ mirror, labels }) => mirror && (labels.component === 'etcd' || labels.component === 'kube-apiserver'))
    .map(({ name, nodeName = 'no node', ready }) => `${name} on ${nodeName} is ${ready ? '' : 'not '}Ready`)
  return controlPlaneFindings(system, [node]).map((one) => asFinding(s, one, { is: IS[one.severity], evidence }))
}

/** If kured reboots this node, it has the node; otherwise a roll waits for kured. A roll that has the lock does not wait. */
function kured(s: NodeScene): readonly ExplainFinding[] {
  const { node, daemonSets = [], now } = s
  return rebootLocks(daemonSets, { wall: now }).map(({ holders, finding: one }) => {
    const isOfRolls = holders.every((holder) => runOfLock(holder) !== undefined)
    const isCause = !isOfRolls && (holders.includes(node.name) || !node.unschedulable)
    return asFinding(s, one, {
      is: isCause ? 'waits' : 'fact',
      evidence: [`the lock in its annotation names ${holders.join(' and ')}`],
    })
  })
}
