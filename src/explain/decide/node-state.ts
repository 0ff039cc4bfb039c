import { brakeBy } from '../../agent/decide/brake.ts'
import { EXCLUDE_LABEL } from '../../ground/model/node-reading.ts'
import { evenkeel, kubectl, piecesOf } from '../../ground/model/sentence.ts'
import { markedBy, TO_COME_KEY, unmarkCommand } from '../../ground/model/to-come.ts'
import { isMarked, marked } from '../../roll/decide/plan/leftover-findings.ts'
import { budgetNode } from '../../service/decide/budget/budget-node.ts'
import { INTENT_ANNOTATION, OUT_TAINT, RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import { type ExplainFinding, finding } from './finding.ts'
import type { NodeScene } from './node-scene.ts'

/** The marks on the Node, and whether a cordon takes it out of its load balancers. */
export const nodeState = (s: NodeScene): readonly ExplainFinding[] => [
  ...ready(s),
  ...cordon(s),
  ...toCome(s),
  ...left(s),
  ...leaving(s),
  ...brake(s),
]

const base = ({ node }: NodeScene): Pick<ExplainFinding, 'part' | 'subject'> => ({ part: 'node', subject: node.name })

function ready(s: NodeScene): readonly ExplainFinding[] {
  const { name, ready: word } = s.node
  const { reason = '', message = '', since } = s.readiness ?? {}
  const sinceText = since === undefined ? '' : ` since ${since}`
  if (word === 'True')
    return [finding({ ...base(s), is: 'fact', code: 'NodeReady', text: `${name} is Ready${sinceText}` })]
  return [
    finding({
      ...base(s),
      is: 'stuck',
      code: 'NodeNotReady',
      text: `${name} is not Ready${sinceText}${message === '' ? '' : `: ${message}`}`,
      evidence: [`condition Ready is ${word}${reason === '' ? '' : ` (${reason})`}`],
      next: [{ command: kubectl`describe node ${name}`, note: 'its conditions; then its kubelet and its machine' }],
    }),
  ]
}

function cordon(s: NodeScene): readonly ExplainFinding[] {
  const { name, unschedulable, taints } = s.node
  const shut = taints.filter(({ effect }) => effect !== 'PreferNoSchedule').map(({ key, effect }) => `${key}:${effect}`)
  const evidence = shut.length === 0 ? [] : [`taints ${shut.join(', ')}`]
  if (!unschedulable) return []
  return [
    finding({
      ...base(s),
      is: 'fact',
      code: 'Cordoned',
      text: `${name} is cordoned, so no new pod is placed on it`,
      evidence: ['spec.unschedulable is true', ...evidence],
      next: RECORD_ANNOTATION in s.node.annotations ? [] : [uncordon(name)],
    }),
  ]
}

function toCome(s: NodeScene): readonly ExplainFinding[] {
  const { name } = s.node
  const run = markedBy(s.node)
  if (run === undefined) return []
  return [
    finding({
      ...base(s),
      is: 'fact',
      code: 'ToCome',
      text: `run ${run} begins ${name} later, so new pods go to other nodes where they can`,
      evidence: [`taint ${TO_COME_KEY}:PreferNoSchedule`],
      next: [{ command: unmarkCommand([name]), note: 'if that run is over' }],
    }),
  ]
}

const uncordon = (name: string, note = 'once the work on it is done') => ({ command: kubectl`uncordon ${name}`, note })

/** The taint of an earlier run would keep pods away for ever. */
function left(s: NodeScene): readonly ExplainFinding[] {
  const { node } = s
  if (!isMarked(node)) return []
  const { code, text, fix = '' } = marked([node.name])
  const isShut = node.taints.some(({ key }) => key === OUT_TAINT.key)
  return [
    finding({
      ...{ ...base(s), is: isShut ? 'stuck' : 'fact', code, text },
      evidence: [
        ...(isShut ? [`taint ${OUT_TAINT.key}`] : []),
        ...(INTENT_ANNOTATION in node.annotations ? [`annotation ${INTENT_ANNOTATION}`] : []),
        `no annotation ${RECORD_ANNOTATION}`,
      ],
      next: piecesOf(fix).flatMap((command) =>
        typeof command === 'string' ? [] : [{ command, note: 'if no roll works on the node' }],
      ),
    }),
  ]
}

/** What other programs announce by marks on the Node. */
function leaving(s: NodeScene): readonly ExplainFinding[] {
  const { name, labels, deleting } = s.node
  const why = budgetNode(s.node).leaving
  const causes =
    why === undefined ? [] : [finding({ ...base(s), ...leaves(name, why), is: deleting ? 'stuck' : 'waits' })]
  if (!(EXCLUDE_LABEL in labels)) return causes
  return [
    ...causes,
    finding({
      ...base(s),
      part: 'service',
      is: budgetNode(s.node).excluded && !isControl(s) ? 'stuck' : 'fact',
      code: 'NodeExcluded',
      text: `${name} has a label that keeps it out of external load balancers`,
      evidence: [`label ${EXCLUDE_LABEL}`],
      next: [{ command: kubectl`label node ${name} ${EXCLUDE_LABEL}-`, note: 'if it is to serve' }],
    }),
  ]
}

const isControl = ({ node: { labels } }: NodeScene): boolean => 'node-role.kubernetes.io/control-plane' in labels

const leaves = (name: string, why: string): Pick<ExplainFinding, 'code' | 'text' | 'evidence'> => ({
  code: 'NodeLeaves',
  text: `${name} ${why}`,
  evidence: ['the program that set it takes the node out'],
})

/** A node that a roll or a claim has out leaves because of that; its cordon needs no grant. */
function brake(s: NodeScene): readonly ExplainFinding[] {
  const { cordons, node } = s
  if (!node.unschedulable || cordons === undefined || cordons === 'unknown') return []
  const { recordOf, claimedBy } = budgetNode(node)
  const by = { part: 'brake', subject: node.name } as const
  if (cordons === 'noBrake')
    return [
      finding({
        ...{ ...by, is: 'fact', code: 'NoBrake' },
        text: `there is no brake, so nothing limits how many cordoned nodes leave their load balancers at the same time; if ${node.name} has an agent that acts on cordons, the agent takes it out`,
        evidence: ['there is no ConfigMap evenkeel-cordon-grants'],
      }),
    ]
  const { granted, max, of } = cordons
  const [first = ''] = granted
  const has = granted.length === 0 ? 'no node' : granted.join(', ')
  const evidence = [`evenkeel-cordon-grants: granted ${has}; at most ${max} of ${of} nodes at the same time`]
  if (brakeBy(cordons, node.name) === 'granted')
    return [
      finding({
        ...{ ...by, is: 'fact', code: 'CordonGranted', evidence },
        text: `the brake has granted the cordon of ${node.name}: its agent takes it out of its load balancers`,
      }),
    ]
  return [
    finding({
      ...{ ...by, is: recordOf === undefined && claimedBy === undefined ? 'waits' : 'fact', code: 'CordonNotGranted' },
      text: `the brake has not granted the cordon of ${node.name}, so its load balancers still send to it: ${has} ${granted.length > 1 ? 'are' : 'is'} granted, and at most ${max} of ${of} may be`,
      evidence,
      next: [
        granted.length === 0
          ? { command: evenkeel`budget`, note: 'what uses up the limit of the brake' }
          : uncordon(first, `once the work on ${first} is done`),
      ],
    }),
  ]
}
