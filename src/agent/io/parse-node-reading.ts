import { announcedIn } from '../../ground/kube/parse-node.ts'
import { CLAIMS_LENGTH_MAX, MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import {
  EXCLUDE_LABEL,
  LIFECYCLE_CONDITIONS,
  type NodeReading,
  REMOVAL_TAINTS,
} from '../../ground/model/node-reading.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'

export function parseNodeReading(object: Untrusted): NodeReading {
  const { uid, resourceVersion, labels, annotations } = parseMetadata(object, 'cluster')
  const spec = object.at('spec')
  const taints = spec
    .at('taints')
    .each()
    .map((taint) => taint.at('key').text())
  const conditions = object.at('status').at('conditions').each()
  const isTrue = (condition: Untrusted): boolean => condition.at('status').textOr('') === 'True'
  const types = conditions.filter(isTrue).map((condition) => condition.at('type').textOr(''))
  const announced = announcedIn(object)
  return {
    uid,
    resourceVersion,
    unschedulable: spec.at('unschedulable').flagOr(false),
    deleting: object.at('metadata').at('deletionTimestamp').optionalText() !== undefined,
    lifecycle: LIFECYCLE_CONDITIONS.filter((type) => types.includes(type) && !(type in announced)),
    removal: REMOVAL_TAINTS.filter((key) => taints.includes(key)),
    excluded: EXCLUDE_LABEL in labels,
    // Cut where it is longer than valid claims: it is unreadable then, and need not be kept whole.
    ...present({ maintenance: annotations[MAINTENANCE_ANNOTATION]?.slice(0, CLAIMS_LENGTH_MAX + 1) }),
  }
}
