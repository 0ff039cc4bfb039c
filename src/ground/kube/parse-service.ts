import { parseMetadata } from '../model/parse-metadata.ts'
import type { Service } from '../model/service.ts'
import type { Untrusted } from '../model/untrusted.ts'
import { given } from './given.ts'

export function parseService(object: Untrusted): Service {
  const { namespace, name } = parseMetadata(object, 'namespaced')
  const spec = object.at('spec')
  return {
    namespace,
    name,
    type: spec.at('type').textOr('ClusterIP'),
    selector: spec.at('selector').textMap(),
    externalTrafficPolicy: spec.at('externalTrafficPolicy').textOr('Cluster'),
    internalTrafficPolicy: spec.at('internalTrafficPolicy').textOr('Cluster'),
    nodePorts: spec
      .at('ports')
      .each()
      .map((port) => port.at('nodePort').integerOr(0))
      .filter((port) => port > 0),
    ...given('headless', spec.at('clusterIP').textOr('') === 'None' || undefined),
    ...given('publishesNotReady', spec.at('publishNotReadyAddresses').flagOr(false) || undefined),
  }
}
