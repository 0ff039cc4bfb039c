import type { Lease } from '../model/lease.ts'
import { parseMetadata } from '../model/parse-metadata.ts'
import type { Untrusted } from '../model/untrusted.ts'

export function parseLease(object: Untrusted): Lease {
  const { namespace, name, resourceVersion, annotations } = parseMetadata(object, 'namespaced')
  const spec = object.at('spec')
  return {
    namespace,
    name,
    resourceVersion,
    annotations,
    holder: spec.at('holderIdentity').textOr(''),
    durationSeconds: spec.at('leaseDurationSeconds').integerOr(0),
    renewTime: spec.at('renewTime').textOr(''),
    transitions: spec.at('leaseTransitions').integerOr(0),
  }
}
