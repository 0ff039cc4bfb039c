import type { Condition } from '../../../ground/model/condition.ts'
import { present } from '../../../ground/model/present.ts'
import { Untrusted } from '../../../ground/model/untrusted.ts'
import type { CheckedIngress } from '../ingress-kind.ts'
import { rejectedRevision } from '../rejected-revision.ts'
import { templateHash } from '../revision.ts'

/** A node that the status lists: it is not in service, or a write for it is refused. */
export interface ListedNode {
  readonly name: string
  readonly state: string
  /** The code of why it is there. */
  readonly reason?: string
  readonly message?: string
}

/** The state of a rollout, from its object. */
export interface RolloutState {
  /**
   * `unseen`: the controller has not looked at the object as it is now; `held`: it does not go on without a person, and nothing is
   * wrong; `failed`: it does not go on, and something is.
   */
  readonly kind: 'done' | 'going' | 'unseen' | 'held' | 'failed'
  readonly code: string
  /** One sentence without a full stop. */
  readonly why: string
  readonly nodes: readonly ListedNode[]
}

const UNDER_WAY: readonly string[] = ['Creating', 'Detaching', 'Updating', 'Verifying', 'Attaching', 'Leaving']

/** The state in one reading. A hold may end a moment later, so only one that lasts is reported. */
export function rolloutStateOf(object: CheckedIngress): RolloutState {
  const nodes = listedNodes(object)
  const found = earlyWord(object) ?? wordOfConditions(object, nodes) ?? going(object)
  return { ...found, nodes }
}

type Word = Omit<RolloutState, 'nodes'>

const word = (kind: RolloutState['kind'], code: string, why: string): Word => ({ kind, code, why })

export const conditionOf = ({ status }: CheckedIngress, type: string): Condition | undefined =>
  status.conditions.find((condition) => condition.type === type)

function earlyWord(object: CheckedIngress): Word | undefined {
  const { name, generation, status, rollbackTo, deleting } = object
  if (deleting) return word('failed', 'Deleted', `${name} is being deleted`)
  const { observedGeneration } = status
  if (observedGeneration !== generation) {
    const seen = observedGeneration === undefined ? 'it has not seen it at all' : `it has seen ${observedGeneration}`
    return word('unseen', 'Unseen', `the controller has not seen generation ${generation} of ${name} yet: ${seen}`)
  }
  const stalled = conditionOf(object, 'Stalled')
  if (stalled?.status === 'True') return word('failed', stalled.reason, stalled.message)
  if (rollbackTo !== undefined)
    return word('going', 'RollbackAsked', `${name} is asked to go back to revision ${rollbackTo.revision}`)
  if (isRejected(object))
    return word('failed', 'RolledBack', `the template of ${name} failed, and its nodes go back to the revision before`)
  return undefined
}

/** The template failed, and is not tried again. */
const isRejected = ({ spec, status, retried }: CheckedIngress): boolean => {
  const desired = templateHash(spec)
  const rejected = rejectedRevision(status.fields, { desired, retried })
  return rejected !== undefined && !rejected.isLifted
}

function wordOfConditions(object: CheckedIngress, nodes: readonly ListedNode[]): Word | undefined {
  const ready = conditionOf(object, 'Ready')
  const progressing = conditionOf(object, 'Progressing')
  if (ready?.status === 'True') return word('done', 'Complete', progressing?.message ?? ready.message)
  if (nodes.some(({ state }) => UNDER_WAY.includes(state))) return undefined
  const isKept = (node: ListedNode): boolean => node.reason === 'PartitionKept'
  const out = nodes.filter(({ state }) => state !== 'InService')
  if (out.length > 0 && out.every(isKept))
    return word(
      'done',
      'PartitionKept',
      `${progressing?.message ?? 'the others are updated'}, and the partition keeps the rest`,
    )
  if (progressing?.reason === 'RolloutPaused' || progressing?.reason === 'CanaryAwaited')
    return word('held', progressing.reason, progressing.message)
  const stuck = nodes.filter(({ state }) => state === 'Stuck')
  if (stuck.length === 0) return undefined
  const names = stuck.map(({ name }) => name).join(', ')
  return word(
    'failed',
    'NodesStuck',
    `${stuck.length === 1 ? 'a node is' : `${stuck.length} nodes are`} stuck: ${names}`,
  )
}

function going(object: CheckedIngress): Word {
  const progressing = conditionOf(object, 'Progressing')
  const ready = conditionOf(object, 'Ready')
  // All nodes are updated, and some of them do not serve.
  const condition = progressing?.reason === 'Complete' ? ready : progressing
  return word(
    'going',
    condition?.reason ?? 'RollingOut',
    condition?.message ?? `the rollout of ${object.name} is under way`,
  )
}

function listedNodes({ status }: CheckedIngress): readonly ListedNode[] {
  const { nodes } = status.fields
  return new Untrusted(nodes, 'status.nodes').each().map((node): ListedNode => {
    const reason = node.at('reason').optionalText()
    const message = node.at('message').optionalText()
    return {
      name: node.at('name').textOr(''),
      state: node.at('state').textOr(''),
      ...present({ reason, message }),
    }
  })
}
