import type { ObjectMeta, OwnerReference } from '../api-object.ts'
import { type Cause, forbidden, tooLong, wrong } from './cause.ts'
import { isLabelValue, isQualifiedName, isSubdomain } from './names.ts'

/** All keys and values of annotations together (apimachinery, api/validation/objectmeta.go, TotalAnnotationSizeLimitB). */
const ANNOTATIONS_MAX = 256 * 1024
const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion']

/** apimachinery, api/validation/objectmeta.go, ValidateObjectMeta; most kinds look at finalizers more closely. */
export function checkMetadata(metadata: ObjectMeta, areFinalizersFree: boolean): readonly Cause[] {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata
  return [
    ...labelCauses('metadata.labels', labels),
    ...annotationCauses(annotations),
    ...finalizers.flatMap((name, index) => finalizerCauses(name, index, areFinalizersFree)),
    ...ownerReferences.flatMap(ownerCauses),
    ...(ownerReferences.filter(({ controller }) => controller === true).length > 1
      ? [wrong('metadata.ownerReferences', null, 'Only one reference can have Controller set to true')]
      : []),
  ]
}

/** Of most kinds. The same, NameIsDNSSubdomain. */
export const nameCauses = (name: string): readonly Cause[] =>
  isSubdomain(name)
    ? []
    : [
        wrong(
          'metadata.name',
          name,
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        ),
      ]

const labelCauses = (field: string, labels: Readonly<Record<string, string>>): readonly Cause[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...(isQualifiedName(key) ? [] : [wrong(field, key, 'name part must consist of alphanumeric characters')]),
    ...(isLabelValue(value)
      ? []
      : [wrong(field, value, 'a valid label must be an empty string or consist of alphanumeric characters')]),
  ])

function annotationCauses(annotations: Readonly<Record<string, string>>): readonly Cause[] {
  const field = 'metadata.annotations'
  const keys = Object.keys(annotations).filter((key) => !isQualifiedName(key.toLowerCase()))
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  return [
    ...keys.map((key) => wrong(field, key, 'name part must consist of alphanumeric characters')),
    ...(size > ANNOTATIONS_MAX ? [tooLong(field, ANNOTATIONS_MAX)] : []),
  ]
}

function finalizerCauses(name: string, index: number, areFinalizersFree: boolean): readonly Cause[] {
  if (!isQualifiedName(name))
    return [wrong('metadata.finalizers', name, 'name part must consist of alphanumeric characters')]
  if (areFinalizersFree || name.includes('/') || STANDARD_FINALIZERS.includes(name)) return []
  return [
    wrong(`metadata.finalizers[${index}]`, name, 'name is neither a standard finalizer name nor is it fully qualified'),
  ]
}

function ownerCauses({ apiVersion, kind, name, uid }: OwnerReference): readonly Cause[] {
  const field = 'metadata.ownerReferences'
  const named = { apiVersion, kind, name, uid }
  if (apiVersion === 'v1' && kind === 'Event') return [wrong(field, named, 'Event is disallowed from being an owner')]
  return Object.entries(named).flatMap(([part, value = '']) =>
    value === '' ? [wrong(`${field}.${part}`, '', `${part} must not be empty`)] : [],
  )
}

/** Of a change: what is being deleted takes no new finalizer (the same, ValidateNoNewFinalizers). */
export function checkMetadataChange(metadata: ObjectMeta, old: ObjectMeta): readonly Cause[] {
  const more = (metadata.finalizers ?? []).filter((name) => !(old.finalizers ?? []).includes(name))
  return old.deletionTimestamp === undefined || more.length === 0
    ? []
    : [
        forbidden(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(more)}`,
        ),
      ]
}
