import { unannounceCommand } from '../../../ground/model/announced-conditions.ts'
import { claimsOf, MAINTENANCE_ANNOTATION } from '../../../ground/model/claims.ts'
import { firstOf } from '../../../ground/model/first-of.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { present } from '../../../ground/model/present.ts'
import { type Command, kubectl, type Sentence, say } from '../../../ground/model/sentence.ts'
import { markedBy, TO_COME_KEY, unmarkCommand } from '../../../ground/model/to-come.ts'
import { claimsUnreadable } from '../../../service/decide/node-claims.ts'
import { INTENT_ANNOTATION, OUT_TAINT, RECORD_ANNOTATION } from '../../../service/model/node-record.ts'
import { recorded } from './node-findings.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'

/** What earlier runs and other owners left on nodes. `nodes` are those of the roll, whose records have findings of their own. */
export function leftoverFindings(
  { cluster }: { readonly cluster: Pick<PlanSnapshot['cluster'], 'nodes'> },
  nodes: readonly Node[],
): readonly PlanFinding[] {
  const rolled = new Set(nodes.map(({ name }) => name))
  return [
    ...cluster.nodes.filter(({ name }) => !rolled.has(name)).flatMap(leftOut),
    ...gathered(cluster.nodes.filter(isMarked), marked),
    ...toCome(cluster.nodes),
    ...cluster.nodes.flatMap(announced),
    ...gathered(nodes.filter(isCordoned), cordoned),
    ...nodes.flatMap(claimed),
  ]
}

const gathered = (
  nodes: readonly Node[],
  finding: (names: readonly string[]) => PlanFinding,
): readonly PlanFinding[] => (nodes.length === 0 ? [] : [finding(nodes.map(({ name }) => name))])

const at = (names: readonly string[]): Pick<PlanFinding, 'node' | 'nodes'> =>
  names.length === 1 ? { node: names[0] ?? '' } : { nodes: names }

const TYPED_AT_MOST = 8

/** A command for the nodes, or for the first of very many. */
function typed(names: readonly string[], command: (names: readonly string[]) => Command): Sentence {
  const first = command(names.slice(0, TYPED_AT_MOST))
  return names.length <= TYPED_AT_MOST ? first : say`${first}, and so on`
}

/** The node uses up the node budget until its run ends. */
/** Also one that cannot be read uses up the node budget. */
const leftOut = (node: Node): readonly PlanFinding[] =>
  recorded(node).map((finding) => ({
    ...finding,
    severity: 'hold',
    code: 'RunLeftOut',
    text: `${finding.text}, and uses up the node budget`,
  }))

export const isMarked = ({ annotations, taints }: Node): boolean =>
  !(RECORD_ANNOTATION in annotations) &&
  (INTENT_ANNOTATION in annotations || taints.some(({ key }) => key === OUT_TAINT.key))

export const marked = (names: readonly string[]): PlanFinding => ({
  severity: 'warning',
  code: 'MarkLeft',
  ...at(names),
  text: `${firstOf(names)} ${names.length === 1 ? 'bears' : 'bear'} a mark of an earlier run and no record of it`,
  fix: say`${typed(names, (of) => kubectl`annotate node ${of} ${INTENT_ANNOTATION}-`)}; ${typed(names, (of) => kubectl`taint node ${of} ${OUT_TAINT.key}-`)}`,
})

/** A run that is under way needs its marks. A run that ended normally has left none. */
function toCome(nodes: readonly Node[]): readonly PlanFinding[] {
  const runs = Map.groupBy(nodes, markedBy)
  return [...runs].flatMap(([run, bearing]): readonly PlanFinding[] => {
    const names = bearing.map(({ name }) => name)
    if (run === undefined) return []
    const text = `${firstOf(names)} ${names.length === 1 ? 'bears' : 'bear'} the taint ${TO_COME_KEY} of run ${run}: new pods go to other nodes until that run takes it off at its end, or a person does`
    return [{ severity: 'warning', code: 'ToComeLeft', ...at(names), text, fix: unmarkCommand(names) }]
  })
}

/** A run that has the node out announces it on purpose. */
function announced({ name, annotations, announced: conditions = {} }: Node): readonly PlanFinding[] {
  const types = Object.keys(conditions)
  const [type = ''] = types
  if (types.length === 0 || RECORD_ANNOTATION in annotations) return []
  const text = `${name} has the condition ${types.join(', ')} of run ${conditions[type]}, which does not have it out`
  return [{ severity: 'warning', code: 'AnnouncementLeft', node: name, text, fix: unannounceCommand(name, types) }]
}

const isCordoned = ({ unschedulable, annotations }: Node): boolean =>
  unschedulable && !(RECORD_ANNOTATION in annotations)

const cordoned = (names: readonly string[]): PlanFinding => ({
  severity: 'warning',
  code: 'NodeCordoned',
  ...at(names),
  text: `${firstOf(names)} ${names.length === 1 ? 'is cordoned and stays' : 'are cordoned and stay'} so after the roll`,
  fix: say`${typed(names, (of) => kubectl`uncordon ${of}`)}, unless that is meant`,
})

function claimed(node: Node): readonly PlanFinding[] {
  const { name, annotations } = node
  const unreadable = RECORD_ANNOTATION in annotations ? undefined : claimsUnreadable({ node })
  if (unreadable !== undefined) {
    const { code, text, next } = unreadable
    return [{ severity: 'hold', code, node: name, text, ...present({ fix: next }) }]
  }
  const owners = claimsOf(annotations[MAINTENANCE_ANNOTATION]).map(({ owner }) => owner)
  if (owners.length === 0 || RECORD_ANNOTATION in annotations) return []
  return [
    {
      severity: 'hold',
      code: 'NodeClaimed',
      node: name,
      text: `${name} is claimed by ${owners.join(' and ')}, and is not put back in before that claim is withdrawn`,
      fix: `let ${owners.join(' and ')} withdraw it, or leave ${name} out of the roll`,
    },
  ]
}
