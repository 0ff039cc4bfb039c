import { PROMOTED_ANNOTATION, REVISION_HASH_LABEL } from '../../../ground/model/ingress-keys.ts'
import type { JsonPatch } from '../../../ground/model/json-patch.ts'
import type { OwnedObject } from '../../../ground/model/owned-object.ts'
import { evenkeel, type Sentence, say } from '../../../ground/model/sentence.ts'
import type { CheckedIngress } from '../ingress-kind.ts'
import { promotionId, rejectedRevision } from '../rejected-revision.ts'
import { holdsTemplateOf, numberOf } from '../revision.ts'
import { existing } from '../rollback.ts'
import { conditionOf } from './rollout-state.ts'

/** One write for a person's command. */
export interface RolloutWrite {
  /** Absent: the IngressDaemonSet itself; else the Deployment of that name. */
  readonly deployment?: string
  readonly patch: JsonPatch | Readonly<Record<string, unknown>>
  /** One sentence without a full stop. */
  readonly text: string
}

/** The result of a command. `nothing`: it is so already. `refused`: why, and what to do instead. */
export type RolloutChange =
  | { readonly kind: 'write'; readonly writes: readonly RolloutWrite[] }
  | { readonly kind: 'nothing'; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string; readonly fix: Sentence }

export const nothing = (text: string): RolloutChange => ({ kind: 'nothing', text })

/** Tests for the spec that was read, since another one may ask for something else. */
const testsOf = ({ uid, generation }: CheckedIngress): JsonPatch => [
  { op: 'test', path: '/metadata/uid', value: uid },
  { op: 'test', path: '/metadata/generation', value: generation },
]

const write = (object: CheckedIngress, patch: JsonPatch, text: string): RolloutChange => ({
  kind: 'write',
  writes: [{ patch: [...testsOf(object), ...patch], text }],
})

export function pause(object: CheckedIngress): RolloutChange {
  const { name, spec } = object
  if (spec.rollout.paused) return nothing(`the rollout of ${name} is paused already`)
  const text = `${name} is paused: no further node begins an update, and nodes that have begun are finished`
  return write(object, [{ op: 'add', path: '/spec/paused', value: true }], text)
}

/** Ends a pause. Without one, lets a rollout go on that waits after its canary nodes. */
export function resume(object: CheckedIngress): RolloutChange {
  const { name, spec, status, generation, resourceVersion, retried } = object
  if (spec.rollout.paused)
    return write(object, [{ op: 'add', path: '/spec/paused', value: false }], `${name} is not paused any more`)
  if (spec.rollout.canary !== undefined && status.observedGeneration !== generation)
    return {
      kind: 'refused',
      text: `the controller has not seen generation ${generation} of ${name} yet, so it is not known which revision waits`,
      fix: 'run the command again once the controller has seen it',
    }
  const { updateRevision } = status.fields
  const awaits = conditionOf(object, 'Progressing')?.reason === 'CanaryAwaited'
  if (!awaits || typeof updateRevision !== 'string')
    return nothing(`the rollout of ${name} is not paused, and does not wait after its canary nodes`)
  const text = `the rollout of ${name} goes on with revision ${updateRevision} beyond its canary nodes`
  // A merge patch: there may be no annotations yet.
  const rejected = rejectedRevision(status.fields, { desired: updateRevision, retried })
  const annotations = { [PROMOTED_ANNOTATION]: promotionId(updateRevision, rejected) }
  const patch = { metadata: { resourceVersion, annotations } }
  return { kind: 'write', writes: [{ patch, text }] }
}

/** `to` absent: the previous revision. The controller writes the template. */
export function undo(object: CheckedIngress, revisions: readonly OwnedObject[], to?: number): RolloutChange {
  const { name, spec, rollbackTo } = object
  const isNow = (revision: OwnedObject): boolean => holdsTemplateOf(revision, spec)
  const wanted =
    to === undefined
      ? revisions
          .filter((revision) => !isNow(revision) && !isRejected(object, revision))
          .toSorted(byNumber)
          .at(-1)
      : revisions.find((revision) => numberOf(revision) === to)
  if (wanted === undefined) {
    const which = to === undefined ? 'no revision before the one of now' : `no revision ${to}`
    const fix = say`${evenkeel`rollout history`} shows the revisions; apply the wanted template where none of them has it`
    return { kind: 'refused', text: `${name} has ${which}: ${existing(revisions)}`, fix }
  }
  const revision = numberOf(wanted)
  if (isNow(wanted) && rollbackTo === undefined)
    return nothing(`the template of ${name} is that of revision ${revision} already`)
  if (rollbackTo?.revision === revision) return nothing(`${name} is asked to go back to revision ${revision} already`)
  const text = `${name} is to go back to revision ${revision}: the controller writes its template`
  return write(object, [{ op: 'add', path: '/spec/rollbackTo', value: { revision } }], text)
}

const isRejected = ({ status }: CheckedIngress, { labels }: OwnedObject): boolean =>
  labels[REVISION_HASH_LABEL] === status.fields.rejectedRevision

const byNumber = (one: OwnedObject, other: OwnedObject): number => numberOf(one) - numberOf(other)
