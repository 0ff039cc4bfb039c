import { REVISION_HASH_LABEL, TEMPLATE_HASH_ANNOTATION } from '../../ground/model/ingress-keys.ts'
import { isJsonObject } from '../../ground/model/json-object.ts'
import type { Node } from '../../ground/model/node.ts'
import { canonicalJson } from '../../ground/model/owned/canonical-json.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { eligibilityIn } from '../../service/decide/eligibility.ts'
import type { IngressSpec } from '../model/ingress-daemon-set.ts'
import type { IngressFound } from './found.ts'
import { targetRevision } from './node-state.ts'
import { OP_ANNOTATION, parseOp, revisionIn } from './op.ts'
import { specAt } from './revision.ts'
import type { IngressDeployment, IngressNode, IngressSnapshot } from './snapshot.ts'

type Judge = ReturnType<typeof eligibilityIn>
type Placed = Pick<IngressNode, 'eligibility' | 'isGoing' | 'otherwise'>

/** Which nodes are to have pods, by the revision that each node has or gets: a template says nothing of a node to which it does not go yet. */
export type Placements = (node: Node, annotations: IngressDeployment['annotations'] | undefined) => Placed

interface Known {
  readonly revisions: readonly OwnedObject[]
  readonly named: string
  readonly placements: Placements
}

/** By the spec of the object. The same function as long as the revisions are the same. */
const KNOWN = new WeakMap<object, Known>()

export function placementsOf({ object, revisions }: IngressFound, named: IngressSnapshot['revisions']): Placements {
  const { spec, uid } = object
  const target = targetRevision({ revisions: named })
  const words = [uid, named.desired, named.current, target].join()
  const known = KNOWN.get(spec)
  if (known?.revisions === revisions && known.named === words) return known.placements
  const ours = revisions.filter(({ controller }) => controller?.uid === uid)
  const judges = judgesOf(spec, { revisions: ours, desired: named.desired })
  const placements = placed(judges, { target, others: [named.desired, named.current ?? target, target] })
  KNOWN.set(spec, { revisions, named: words, placements })
  return placements
}

/** One judge for all revisions that place pods alike. A revision that is not stored is judged by the template of now. */
function judgesOf(
  spec: IngressSpec,
  { revisions, desired }: { readonly revisions: readonly OwnedObject[]; readonly desired: string },
): (revision: string) => Judge {
  const now = eligibilityIn(spec)
  const alike = new Map([[placeOf(spec), now]])
  const judges = new Map([[desired, now]])
  for (const stored of revisions) {
    const at = specAt(spec, stored)
    const hash = stored.labels[REVISION_HASH_LABEL] ?? ''
    if (at === undefined || judges.has(hash)) continue
    const judge = alike.get(placeOf(at)) ?? eligibilityIn(at)
    alike.set(placeOf(at), judge)
    judges.set(hash, judge)
  }
  return (revision) => judges.get(revision) ?? now
}

function placeOf({ template: { object, hostNetwork } }: IngressSpec): string {
  const { nodeSelector, affinity, tolerations } = isJsonObject(object.spec) ? object.spec : {}
  return canonicalJson({ nodeSelector, affinity, tolerations, hostNetwork })
}

function placed(
  judgeOf: (revision: string) => Judge,
  { target, others }: { readonly target: string; readonly others: readonly string[] },
): Placements {
  return (node, annotations) => {
    const judge = judgeOf(annotations === undefined ? target : hasOrGets(annotations, target))
    const { kind, isGoing = false } = judge(node)
    const otherwise = others.flatMap((revision) => {
      const other = judgeOf(revision)
      const at = other === judge ? kind : other(node).kind
      return at === kind ? [] : [[revision, at] as const]
    })
    const given = otherwise.length === 0 ? {} : { otherwise: Object.fromEntries(otherwise) }
    return { eligibility: kind, isGoing, ...given }
  }
}

/** The target, once its operation says so. Until then, the revision that its pods have. */
function hasOrGets(annotations: IngressDeployment['annotations'], target: string): string {
  const word = parseOp(annotations[OP_ANNOTATION])
  return word.kind === 'op' && word.op.revision === target ? target : revisionIn(annotations[TEMPLATE_HASH_ANNOTATION])
}
