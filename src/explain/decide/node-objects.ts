import { claimsOf, MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import { evenkeel } from '../../ground/model/sentence.ts'
import { explainNode as explainByGuard } from '../../guard/decide/from-status/explain-node.ts'
import { guardStateOf } from '../../guard/decide/from-status/guard-state.ts'
import type { CheckedGuard } from '../../guard/decide/guard-kind.ts'
import { clearText } from '../../guard/model/holds/hold-kinds.ts'
import type { CheckedIngress } from '../../ingress/decide/ingress-kind.ts'
import { ingressOwner } from '../../ingress/decide/marks.ts'
import { rolloutStateOf } from '../../ingress/decide/rollout/rollout-state.ts'
import { type ExplainFinding, finding, type Next } from './finding.ts'
import type { NodeScene } from './node-scene.ts'

type NodeNow = Pick<NodeScene, 'node' | 'now'>

/** The NodeGuards that list the node. */
export const nodeGuards = (s: NodeNow, guards: readonly CheckedGuard[]): readonly ExplainFinding[] =>
  guards.flatMap((guard) => guardFinding(s, guard))

/** Neither ends by itself: a person wrote the one, and in the other, guards contradict each other. */
const NEEDS_PERSON: readonly string[] = ['HeldByHand', 'ForeignBudget', 'GuardRefused']

function guardFinding({ node, now }: NodeNow, guard: CheckedGuard): readonly ExplainFinding[] {
  const { state, reason, message, steps, since } = explainByGuard(guard, node, now)
  if (state === 'NotListed') return []
  const of = `NodeGuard ${guard.namespace}/${guard.name}`
  const { kind, why } = guardStateOf(guard)
  const isHeld = state === 'Held'
  const base = { part: 'guard', subject: node.name, code: reason ?? `Guard${state}` } as const
  const evidence = [
    `status of ${of}: ${state}${since === undefined ? '' : ` since ${since}`}`,
    ...steps.map(({ about, text }) => `${about}: ${text}`),
    ...(isHeld ? guard.spec.holds.map((hold) => `hold ${hold.name}: ${clearText(hold, node.name)}`) : []),
    ...(kind === 'failed' || kind === 'unseen' ? [why] : []),
  ]
  const isWaiting = isHeld || state === 'Requested' || state === 'Conflict' || state === 'Degraded'
  if (!isWaiting)
    return [
      finding({
        ...base,
        is: 'fact',
        text: `${of} has it as ${state}${message === undefined ? '' : `: ${message}`}`,
        evidence,
      }),
    ]
  const isStuck = kind === 'failed' || kind === 'unseen' || state === 'Conflict' || NEEDS_PERSON.includes(reason ?? '')
  const text = `${of}: ${message ?? (state === 'Requested' ? `${node.name} waits for its turn` : state)}`
  return [
    finding({ ...base, is: isStuck ? 'stuck' : 'waits', text, evidence, next: guardNext(guard, node.name, reason) }),
  ]
}

function guardNext({ namespace, name }: CheckedGuard, node: string, reason: string | undefined): readonly Next[] {
  const of = [`nodeguard/${name}`, '--node', node]
  return [
    {
      command: evenkeel`guard explain ${of} -n ${namespace}`,
      note: 'its holds, and the commands that pass over them',
    },
    ...(reason === 'HeldByHand'
      ? [{ command: evenkeel`guard hold ${of} --remove -n ${namespace}`, note: 'takes back a hold by hand' }]
      : []),
  ]
}

/** The IngressDaemonSets that list the node. */
export const nodeIngresses = (s: NodeScene): readonly ExplainFinding[] =>
  (s.ingresses ?? []).flatMap((object) => ingressFinding(s, object))

function ingressFinding({ node }: NodeScene, object: CheckedIngress): readonly ExplainFinding[] {
  const status = rolloutStateOf(object)
  const listed = status.nodes.find(({ name }) => name === node.name)
  const claim = claimsOf(node.annotations[MAINTENANCE_ANNOTATION]).find(({ owner }) => owner === ingressOwner(object))
  if (listed === undefined && claim === undefined) return []
  const of = `IngressDaemonSet ${object.namespace}/${object.name}`
  const { state = 'claimed', reason, message } = listed ?? {}
  const isStuck = state === 'Stuck' || status.kind === 'failed'
  // A node that waits for its turn serves meanwhile.
  const is = claim === undefined && !isStuck ? 'fact' : isStuck ? 'stuck' : 'waits'
  const kind = object.group === 'evenkeel.dev' ? 'ingressdaemonset' : `ingressdaemonset.${object.group}`
  return [
    finding({
      ...{ part: 'ingress', is, subject: node.name, code: reason ?? 'RolloutHere' },
      text: `${of} has ${node.name} at ${state}${message === undefined ? '' : `: ${message}`}`,
      evidence: [
        ...(claim === undefined ? [] : [`it claims ${node.name}${claim.at === undefined ? '' : ` since ${claim.at}`}`]),
        `its rollout: ${status.why}`,
      ],
      next: [
        {
          command: evenkeel`rollout status ${kind}/${object.name} -n ${object.namespace}`,
          note: 'how far its rollout is',
        },
        ...(isStuck
          ? [
              {
                command: evenkeel`rollout undo ${kind}/${object.name} -n ${object.namespace}`,
                note: 'back to the revision before',
              },
            ]
          : []),
      ],
    }),
  ]
}
