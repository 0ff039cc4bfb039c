import { parseMaintenance } from '../../model/maintenance.ts'
import type { NodeFacts } from '../../model/node-facts.ts'
import type { Reason } from '../../model/reason.ts'
import { cordonStanding } from './cordon-standing.ts'
import { isStale } from './is-stale.ts'
import type { AgentSnapshot } from './snapshot.ts'

type Rule = (s: AgentSnapshot) => Reason | undefined

/**
 * Why the node is to leave its load balancers, all of it. Ready=False is no reason: a cut between nodes and control plane
 * turns all of them NotReady, while they serve.
 */
export const leaveReasons = (s: AgentSnapshot): readonly Reason[] => {
  const ofOurs = present([maintenance(s)])
  return isStaleUp(s) ? ofOurs : [...ofOurs, ...present(TOLD.map((rule) => rule(s)))]
}

/** Told to say `up` once the API server is away for long: what it said before counts no more, but for our own requests. */
const isStaleUp = (s: AgentSnapshot): boolean => isStale(s) && s.spec.stale?.answer === 'up'

/** A request on the disk counts until the API was seen without it, however long that takes: see `keptMaintenance`. */
const maintenance: Rule = (s) => {
  const word = parseMaintenance(nodeOf(s)?.maintenance)
  if (word.kind === 'asked')
    return { code: 'Maintenance', object: word.request.run, text: `run ${word.request.run} takes the node out` }
  if (word.kind === 'unreadable')
    return {
      code: 'MaintenanceUnreadable',
      text: `maintenance is asked for in words that make no sense: ${word.why}`,
      next: 'remove the annotation evenkeel.dev/maintenance from the node if nobody is at work on it',
    }
  if (s.kept === undefined) return undefined
  return {
    code: 'MaintenanceKept',
    object: s.kept.run,
    text: `run ${s.kept.run} took the node out, and the API server has not shown that this is over`,
    next: `annotate the node with evenkeel.dev/maintenance=withdrawn if run ${s.kept.run} is over`,
  }
}

const gone: Rule = ({ evidence }) =>
  evidence.node === 'gone' ? { code: 'NodeGone', text: 'the API server has no Node of that name' } : undefined

const lifecycle: Rule = (s) => {
  const types = nodeOf(s)?.lifecycle ?? []
  return types.length === 0
    ? undefined
    : { code: 'NodeLeaves', text: `the condition ${types.join(', ')} of the node is True` }
}

const deleting: Rule = (s) =>
  nodeOf(s)?.deleting === true ? { code: 'NodeDeleted', text: 'the Node object is being deleted' } : undefined

const removal: Rule = (s) => {
  const keys = nodeOf(s)?.removal ?? []
  return keys.length === 0
    ? undefined
    : { code: 'NodeToBeRemoved', text: `the node is tainted with ${keys.join(', ')}` }
}

const excluded: Rule = (s) =>
  nodeOf(s)?.excluded === true
    ? { code: 'NodeExcluded', text: 'a label keeps the node out of external load balancers' }
    : undefined

const cordoned: Rule = (s) =>
  cordonStanding(s) === 'counts' ? { code: 'Cordoned', text: 'the node is cordoned' } : undefined

const TOLD: readonly Rule[] = [gone, lifecycle, deleting, removal, excluded, cordoned]

const nodeOf = ({ evidence: { node } }: AgentSnapshot): NodeFacts | undefined => (node === 'gone' ? undefined : node)

const present = (reasons: readonly (Reason | undefined)[]): readonly Reason[] =>
  reasons.filter((reason) => reason !== undefined)
