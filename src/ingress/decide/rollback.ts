import type { JsonPatch } from '../../ground/model/json-patch.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import type { Sentence } from '../../ground/model/sentence.ts'
import type { IngressDaemonSet, IngressSpec } from '../model/ingress-daemon-set.ts'
import { holdsTemplateOf, numberOf, specAt, templateHash } from './revision.ts'
import { validateIngress } from './validate.ts'

/** The result of `spec.rollbackTo`. `to` is empty if the template is that one already; then only the field is removed. */
export type Rollback =
  /** `spec`: the spec after the rollback. */
  | { readonly kind: 'done'; readonly reason: Reason; readonly to: Partial<Restored>; readonly spec?: IngressSpec }
  | { readonly kind: 'refused'; readonly reason: Reason }

interface Restored {
  readonly template: object
  readonly placement: string
}

/**
 * The rollback that the object asks for. Undefined: none. A rollback is a rollout of an old template, with the same budget, canary nodes
 * and pauses.
 */
export function rollbackOf(
  object: IngressDaemonSet,
  { revisions, rejected }: { readonly revisions: readonly OwnedObject[]; readonly rejected?: string | undefined },
): Rollback | undefined {
  const { name, spec, rollbackTo } = object
  if (rollbackTo === undefined) return undefined
  const { revision: number } = rollbackTo
  const wanted = revisions.find((revision) => numberOf(revision) === number)
  if (wanted === undefined) return refused(object, `${name} has no revision ${number}: ${existing(revisions)}`, ANOTHER)
  const done = (code: Reason['code'], text: string): Omit<Extract<Rollback, { kind: 'done' }>, 'to' | 'spec'> => ({
    kind: 'done',
    reason: { code, object: name, text },
  })
  if (holdsTemplateOf(wanted, spec))
    return { ...done('RollbackUnneeded', `the template of ${name} is that of revision ${number} already`), to: {} }
  const restored = specAt(spec, wanted)
  if (restored === undefined) return refused(object, `revision ${number} of ${name} cannot be read`, ANOTHER)
  if (templateHash(restored) === rejected)
    return refused(object, `revision ${number} of ${name} failed before, and is not rolled out again`, ANOTHER)
  const to = { template: restored.template.object, placement: restored.placement }
  const error = validateIngress({ metadata: { name }, spec: { ...withoutRequest(rollbackTo.spec), ...to } }).find(
    ({ severity }) => severity === 'error',
  )
  if (error !== undefined) {
    const text = `the template of revision ${number} of ${name} is not allowed beside the rest of the spec: ${error.field}: ${error.text}`
    return refused(object, text, error.fix)
  }
  return { ...done('RollbackAsked', `${name} goes back to the template of revision ${number}`), to, spec: restored }
}

/** What was seen of it. */
interface Kept {
  readonly revisions: readonly OwnedObject[]
  readonly snapshot: { readonly revisions: { readonly rejected?: { readonly revision: string } } }
}

/** The same for a refused object, which a rollback may correct. `findingsOf`: the conflicts that the object would have with that spec. */
export function rollbackOfRefused(
  object: IngressDaemonSet,
  { revisions, snapshot }: Kept,
  findingsOf: (spec: IngressSpec) => readonly FieldFinding[],
): Rollback | undefined {
  const back = rollbackOf(object, { revisions, rejected: snapshot.revisions.rejected?.revision })
  if (back?.kind !== 'done' || back.spec === undefined) return back
  const error = findingsOf(back.spec).find(({ severity }) => severity === 'error')
  if (error === undefined) return back
  const text = `${object.name} would be refused with the template of revision ${object.rollbackTo?.revision} as well: ${error.field}: ${error.text}`
  return refused(object, text, error.fix)
}

const withoutRequest = ({ rollbackTo: _, ...spec }: Readonly<Record<string, unknown>>) => spec

const ANOTHER = 'set spec.rollbackTo.revision to one that exists, or remove spec.rollbackTo'

const refused = ({ name }: IngressDaemonSet, text: string, next: Sentence): Rollback => ({
  kind: 'refused',
  reason: { code: 'RollbackRefused', object: name, text, next },
})

/** `it has revisions 1, 3 and 4`. */
export function existing(revisions: readonly OwnedObject[]): string {
  const numbers = revisions.map(numberOf).toSorted((one, other) => one - other)
  const last = numbers.at(-1)
  if (last === undefined) return 'it has no revision'
  if (numbers.length === 1) return `it has revision ${last} alone`
  return `it has revisions ${numbers.slice(0, -1).join(', ')} and ${last}`
}

/** Sets the template and removes the request in one write, on the version that was read. Two writes could leave one without the other. */
export const rollbackPatch = ({ resourceVersion }: IngressDaemonSet, to: Partial<Restored>): JsonPatch => [
  { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
  ...(to.template === undefined ? [] : [{ op: 'add', path: '/spec/template', value: to.template } as const]),
  ...(to.placement === undefined ? [] : [{ op: 'add', path: '/spec/placement', value: to.placement } as const]),
  { op: 'remove', path: '/spec/rollbackTo' },
]
