import { parseMetadata } from '../model/parse-metadata.ts'
import { present } from '../model/present.ts'
import type { Service } from '../model/service.ts'
import type { Untrusted } from '../model/untrusted.ts'

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
    ...present({
      headless: spec.at('clusterIP').textOr('') === 'None' || undefined,
      publishesNotReady: spec.at('publishNotReadyAddresses').flagOr(false) || undefined,
    }),
  }
}
