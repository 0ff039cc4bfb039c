import { RETRY_ANNOTATION, SKIP_ANNOTATION, TEMPLATE_HASH_ANNOTATION } from '../../../ground/model/ingress-keys.ts'
import { type JsonPatch, pointerToken } from '../../../ground/model/json-patch.ts'
import type { FoundDeployment } from '../../../ground/model/owned/found-workload.ts'
import { NODE_ANNOTATION } from '../../../ground/model/slot.ts'
import type { CheckedIngress } from '../ingress-kind.ts'
import { OP_ANNOTATION, parseOp } from '../op.ts'
import { rejectedRevision, rejectionId } from '../rejected-revision.ts'
import { templateHash } from '../revision.ts'
import { REJECTED_ANNOTATION } from '../snapshot.ts'
import { nothing, type RolloutChange, type RolloutWrite } from './changes.ts'
import { rolloutStateOf } from './rollout-state.ts'

/** The node that a Deployment is for. */
export const nodeOf = ({ annotations }: FoundDeployment): string => annotations[NODE_ANNOTATION] ?? ''

interface Requested {
  readonly deployments: readonly FoundDeployment[]
  /** Absent: each node that failed. */
  readonly node?: string
}

/** What failed on a node. A person's request names it, and so counts for nothing later. */
interface Failed {
  readonly node: string
  readonly deployment: FoundDeployment
  /** The id of the operation, or the revision. */
  readonly of: string
  /** The revision whose pods were rejected, if no operation is under way. */
  readonly rejected?: string
}

/** Tries failed nodes again, except those that a person skips unless one is named, and the template that was rolled back automatically. */
export function retry(object: CheckedIngress, requested: Requested): RolloutChange {
  if (requested.node !== undefined) return retryNodes(failedNodes(object, requested))
  const lifted = lift(object)
  const nodes = retryNodes(withoutSkipped(object, failedNodes(object, requested)))
  if (lifted === undefined) return nodes
  return nodes.kind === 'write'
    ? { kind: 'write', writes: [lifted, ...nodes.writes] }
    : { kind: 'write', writes: [lifted] }
}

function withoutSkipped(
  { name }: CheckedIngress,
  failed: readonly Failed[] | RolloutChange,
): readonly Failed[] | RolloutChange {
  if ('kind' in failed) return failed
  const left = failed.filter(({ deployment, of }) => deployment.annotations[SKIP_ANNOTATION] !== of)
  if (left.length > 0) return left
  const names = failed.map(({ node }) => node).join(', ')
  return nothing(`the nodes of ${name} that are stuck are skipped: ${names}; --node tries one of them again`)
}

function retryNodes(failed: readonly Failed[] | RolloutChange): RolloutChange {
  if ('kind' in failed) return failed
  return asked(
    failed.filter(({ deployment, ...one }) => {
      const { key, value } = requestOf(one)
      return deployment.annotations[key] !== value
    }),
    (one) => ({
      patch: [add(requestOf(one).key, requestOf(one).value)],
      text: `${one.node} is to be tried again`,
    }),
    `${failed.map(({ node }) => node).join(', ')}: asked to be tried again already`,
  )
}

/** Undefined: the current template was not rejected. */
function lift({ name, spec, status, retried, resourceVersion }: CheckedIngress): RolloutWrite | undefined {
  const rejected = rejectedRevision(status.fields, { desired: templateHash(spec), retried })
  if (rejected === undefined || rejected.isLifted) return undefined
  const text = `${name} is rolled out once more with the template that failed`
  // A merge patch: there may be no annotations yet.
  const annotations = { [RETRY_ANNOTATION]: rejectionId(rejected) }
  return { patch: { metadata: { resourceVersion, annotations } }, text }
}

/** A revision without a time means that it is due to be tried again. */
const requestOf = ({ of, rejected }: Pick<Failed, 'of' | 'rejected'>) =>
  rejected === undefined ? { key: RETRY_ANNOTATION, value: of } : { key: REJECTED_ANNOTATION, value: rejected }

/** Skips nodes: they do not count as failed any more. */
export function skip(object: CheckedIngress, requested: Requested): RolloutChange {
  const failed = failedNodes(object, requested)
  if ('kind' in failed) return failed
  return asked(
    failed.filter(({ deployment, of }) => deployment.annotations[SKIP_ANNOTATION] !== of),
    (one) => ({
      patch: [
        // A request to try again would come first, even one that was met long ago, so it is removed.
        ...(RETRY_ANNOTATION in one.deployment.annotations ? [without(RETRY_ANNOTATION)] : []),
        add(SKIP_ANNOTATION, one.of),
      ],
      text: `${one.node} is skipped: it does not stop the rollout any more, and stays out until it gets well by itself, is tried again, or gets another template`,
    }),
    `${failed.map(({ node }) => node).join(', ')}: skipped already`,
  )
}

const add = (key: string, value: string) => ({ op: 'add', path: pathOf(key), value }) as const

const pathOf = (key: string): string => `/metadata/annotations/${pointerToken(key)}`

const without = (key: string) => ({ op: 'remove', path: pathOf(key) }) as const

function asked(
  failed: readonly Failed[],
  writeOf: (one: Failed) => { readonly patch: JsonPatch; readonly text: string },
  already: string,
): RolloutChange {
  if (failed.length === 0) return nothing(already)
  return {
    kind: 'write',
    writes: failed.map((one): RolloutWrite => {
      const { patch, text } = writeOf(one)
      return { deployment: one.deployment.name, patch: [...testsOf(one.deployment), ...patch], text }
    }),
  }
}

/** Tests for the operation that was read. */
function testsOf({ uid, annotations }: FoundDeployment): JsonPatch {
  const op = annotations[OP_ANNOTATION]
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    ...(op === undefined ? [] : [{ op: 'test', path: pathOf(OP_ANNOTATION), value: op } as const]),
  ]
}

function failedNodes(object: CheckedIngress, { deployments, node }: Requested): readonly Failed[] | RolloutChange {
  const { nodes } = rolloutStateOf(object)
  const stuck = new Set(nodes.filter(({ state }) => state === 'Stuck').map(({ name }) => name))
  const failed = deployments.flatMap((deployment) => failedOf(object, deployment, stuck))
  if (node === undefined) return failed.length > 0 ? failed : nothing(`no node of ${object.name} is stuck`)
  const one = failed.find((each) => each.node === node)
  if (one !== undefined) return [one]
  if (!deployments.some((deployment) => nodeOf(deployment) === node)) {
    const names = deployments.map(nodeOf).toSorted()
    const fix =
      names.length === 0 ? 'name a node that has pods of it' : `choose one of ${names.slice(0, 20).join(', ')}`
    return { kind: 'refused', text: `${object.name} has no pods on a node ${node}`, fix }
  }
  const state = nodes.find(({ name }) => name === node)?.state ?? 'InService'
  return nothing(`${node} is not stuck: it is ${state}`)
}

function failedOf(
  { status }: CheckedIngress,
  deployment: FoundDeployment,
  stuck: ReadonlySet<string>,
): readonly Failed[] {
  const node = nodeOf(deployment)
  const { annotations } = deployment
  const { updateRevision } = status.fields
  if (typeof updateRevision !== 'string') return []
  if (!stuck.has(node)) return []
  const word = parseOp(annotations[OP_ANNOTATION])
  const of = word.kind === 'op' ? word.op.id : updateRevision
  const isRejected = word.kind !== 'op' && REJECTED_ANNOTATION in annotations
  const { [TEMPLATE_HASH_ANNOTATION]: rejected = updateRevision } = annotations
  return [{ node, deployment, of, ...(isRejected ? { rejected } : {}) }]
}
