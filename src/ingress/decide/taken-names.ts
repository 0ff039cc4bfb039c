import type { Reason } from '../../ground/model/reason.ts'
import type { NodeAction } from './action.ts'
import { wantedGate } from './drain-gate.ts'
import { identityOf } from './names.ts'
import { ownershipOf } from './ownership.ts'
import type { IngressReading } from './reading.ts'

/** A node for which an object cannot be created, since an object of others has its name. */
interface TakenName {
  readonly node: string
  /** The action that is left out. */
  readonly makes: NodeAction['kind']
  readonly reason: Reason
}

export const takenNames = (reading: IngressReading): readonly TakenName[] => [
  ...takenDeployments(reading),
  ...takenGates(reading),
]

const takenDeployments = ({ deployments }: IngressReading): readonly TakenName[] =>
  deployments.taken.map(({ node, name, text }) => ({
    node,
    makes: 'createDeployment',
    reason: nameTaken('Deployment', node, { name, text }),
  }))

/** A gate that lost its owner is adopted by the write that sets it. */
function takenGates({ snapshot: { object }, deployments, gates, otherGates }: IngressReading): readonly TakenName[] {
  if (otherGates.size === 0 || object.deleting) return []
  return [...deployments.ours].flatMap(([node, deployment]): readonly TakenName[] => {
    const { name } = deployment
    const other = otherGates.get(name)
    if (other === undefined || gates.has(name)) return []
    const { labels } = wantedGate(object, identityOf(deployment, node), 'closed').metadata
    const ownership = ownershipOf(object, other, labels)
    if (ownership.kind === 'ours' || ownership.kind === 'orphan') return []
    const text = ownership.kind === 'foreign' ? ownership.text : 'is being deleted, and has no controller'
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
