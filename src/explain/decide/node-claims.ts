import {
  type Claim,
  formatClaims,
  MAINTENANCE_ANNOTATION,
  parseClaims,
  withoutClaim,
} from '../../ground/model/claims.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { pointerToken } from '../../ground/model/json-patch.ts'
import { asciiJson } from '../../ground/model/posix-quote.ts'
import { evenkeel, kubectl } from '../../ground/model/sentence.ts'
import { ingressOwner } from '../../ingress/decide/marks.ts'
import { RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import { type ExplainFinding, finding, type Next } from './finding.ts'
import type { NodeScene } from './node-scene.ts'

/** The owners that want the node out, by the claims on it. */
export function nodeClaims(s: NodeScene): readonly ExplainFinding[] {
  const { name, annotations } = s.node
  const text = annotations[MAINTENANCE_ANNOTATION]
  const word = parseClaims(text)
  if (word.kind === 'unreadable')
    return [
      finding({
        ...{ part: 'service', is: 'stuck', subject: name, code: 'MaintenanceUnreadable' },
        text: `the claims on ${name} cannot be read, and keep it out: ${word.why}`,
        evidence: [`annotation ${MAINTENANCE_ANNOTATION}: ${escapeForeign(text ?? '', 80)}`],
        next: [withdrawAll(name, 'if no work on the node is in progress')],
      }),
    ]
  return word.kind === 'claimed' ? word.claims.map((claim) => claimed(s, claim, word.claims)) : []
}

function claimed(s: NodeScene, claim: Claim, all: readonly Claim[]): ExplainFinding {
  const { name } = s.node
  const { owner, at, why } = claim
  const lost = lostOwner(s, owner)
  const because = why === undefined ? '' : `: ${escapeForeign(why, 200)}`
  const is = lost !== undefined || owner.startsWith('person/') ? 'stuck' : 'waits'
  return finding({
    part: 'service',
    // For a roll that has the node, see its record.
    is: owner.startsWith('roll/') && lost === undefined ? 'fact' : is,
    subject: name,
    code: lost === undefined ? 'Maintenance' : 'ClaimLeft',
    text: lost ?? `${owner} keeps ${name} out${because}`,
    evidence: [`annotation ${MAINTENANCE_ANNOTATION}: owner ${owner}${at === undefined ? '' : `, at ${at}`}${because}`],
    next: is === 'stuck' ? [withdraw(s, claim, all)] : followOf(owner),
  })
}

/** A fault where the owner of a claim is gone. */
function lostOwner(s: NodeScene, owner: string): string | undefined {
  const { node, ingresses, areIngressesWhole = true } = s
  if (owner.startsWith('roll/') && !(RECORD_ANNOTATION in node.annotations))
    return `${owner} keeps ${node.name} out, and ${node.name} has no record of that run (a run withdraws its claim before it removes its record)`
  const isGone =
    owner.startsWith('ingress/') && areIngressesWhole && ingresses?.every((one) => ingressOwner(one) !== owner)
  return isGone ? `${owner} keeps ${node.name} out, and there is no such IngressDaemonSet` : undefined
}

function followOf(owner: string): readonly Next[] {
  const [kind, rest = ''] = owner.split('/')
  const dot = rest.indexOf('.')
  const [namespace, object] = [rest.slice(0, dot), rest.slice(dot + 1).replace(/@.*$/, '')]
  if (kind !== 'ingress' || dot < 1) return []
  return [
    { command: evenkeel`rollout status ingressdaemonset/${object} -n ${namespace}`, note: 'how far its rollout is' },
  ]
}

/** The patch is refused if the claims have changed since. */
function withdraw({ node }: NodeScene, { owner }: Claim, all: readonly Claim[]): Next {
  const note = `withdraws the claim of ${owner}, if its work is over`
  if (all.length === 1) return withdrawAll(node.name, note)
  const path = `/metadata/annotations/${pointerToken(MAINTENANCE_ANNOTATION)}`
  const patch = [
    { op: 'test', path, value: node.annotations[MAINTENANCE_ANNOTATION] },
    { op: 'replace', path, value: formatClaims(withoutClaim(all, owner)) },
  ]
  return { command: kubectl`patch node ${node.name} --type json -p ${asciiJson(patch)}`, note }
}

const withdrawAll = (name: string, note: string): Next => ({
  command: kubectl`annotate node ${name} ${MAINTENANCE_ANNOTATION}-`,
  note,
})
