import type { Reason } from '../../ground/model/reason.ts'
import type { NodeAction } from './action.ts'
import { belongingOf } from './belonging.ts'
import { wantedGate } from './drain-gate.ts'
import type { IngressLook } from './look.ts'
import { identityOf } from './names.ts'

/** A node for which an object cannot be made, since one of others has its name. */
interface TakenName {
  readonly node: string
  /** What is not done therefore. */
  readonly makes: NodeAction['kind']
  readonly reason: Reason
}

export const takenNames = (look: IngressLook): readonly TakenName[] => [...takenDeployments(look), ...takenGates(look)]

const takenDeployments = ({ deployments }: IngressLook): readonly TakenName[] =>
  deployments.taken.map(({ node, name, text }) => ({
    node,
    makes: 'createDeployment',
    reason: nameTaken('Deployment', node, { name, text }),
  }))

/** A gate that lost its owner is adopted by the write that sets it. */
function takenGates({ snapshot: { object }, deployments, gates, otherGates }: IngressLook): readonly TakenName[] {
  if (otherGates.size === 0 || object.deleting) return []
  return [...deployments.ours].flatMap(([node, deployment]): readonly TakenName[] => {
    const { name } = deployment
    const other = otherGates.get(name)
    if (other === undefined || gates.has(name)) return []
    const { labels } = wantedGate(object, identityOf(deployment, node), 'closed').metadata
    const belonging = belongingOf(object, other, labels)
    if (belonging.kind === 'ours' || belonging.kind === 'orphan') return []
    const text = belonging.kind === 'foreign' ? belonging.text : 'is being deleted, and has no controller'
    return [{ node, makes: 'setGate', reason: nameTaken('PodDisruptionBudget', node, { name, text }) }]
  })
}

const nameTaken = (
  kind: string,
  node: string,
  { name, text }: { readonly name: string; readonly text: string },
): Reason => ({
  code: 'NameTaken',
  object: node,
  text: `the ${kind} of ${node} cannot be created: ${name} ${text}`,
  next: `rename or remove the ${kind} ${name}`,
})
