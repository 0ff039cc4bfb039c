import type { AnnouncedCondition } from '../../../ground/model/announced-conditions.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { Decision } from '../../model/decision.ts'
import type { Step } from '../../model/step.ts'
import { hasCurrent, type NodeSnapshot, ownIntent, ownRecord } from '../node-snapshot.ts'
import type { RollSnapshot } from '../snapshot.ts'

export interface ConditionsWant {
  readonly node: Node
  readonly types: readonly AnnouncedCondition[]
}

/**
 * What the conditions of the node under way have to say after a pass (KEP-5683), where the file asks for conditions. They only
 * inform: no decision waits for them. Conditions that others have set are left to them. Undefined: the present conditions may
 * stay.
 */
export function conditionsWanted(s: RollSnapshot, decision: Decision): ConditionsWant | undefined {
  if (s.spec.announce?.conditions !== true || !hasCurrent(s) || s.current.absent === true) return undefined
  const { node } = s.current
  const types = typesOf(s, decision)
  return types && { node, types: types.filter((type) => !isOfOthers(node, type)) }
}

const PLANNED = ['MaintenancePlanned'] as const
const UNDER_WAY = ['Drained', 'MaintenanceInProgress'] as const

/** A proven node takes pods again, and soon requests: by then, programs that go by the conditions must see none. */
const BACK: ReadonlySet<Step> = new Set(['uncordon', 'settle', 'attach', 'soak'])

function typesOf(s: NodeSnapshot, decision: Decision): readonly AnnouncedCondition[] | undefined {
  const record = ownRecord(s)
  if (record === undefined) return []
  if (s.run.verdict?.keepOut === true) return ['MaintenanceInProgress']
  // The process waits for its slot, or for lists: it is not known yet how far the node is.
  if (decision.kind === 'settled' || decision.step === 'slot') return undefined
  if (s.current.node.bootId !== record.bootId) return BACK.has(decision.step) ? [] : UNDER_WAY
  if (ownIntent(s) !== undefined) return UNDER_WAY
  if (s.run.verdict !== undefined) return []
  if (decision.step === 'drain') return [...PLANNED, 'DrainInProgress']
  return decision.step === 'reboot' ? [...PLANNED, 'Drained'] : PLANNED
}

const isOfOthers = ({ lifecycle = [], plannedByOthers }: Node, type: AnnouncedCondition): boolean =>
  type === 'MaintenancePlanned' ? plannedByOthers === true : lifecycle.includes(type)

/** The conditions that this run has set on the node. */
export const announcedOn = ({ announced = {} }: Pick<Node, 'announced'>, run: string): readonly string[] =>
  Object.keys(announced).filter((type) => announced[type] === run)
