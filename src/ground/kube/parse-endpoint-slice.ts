import { parseMetadata } from '../model/parse-metadata.ts'
import { present } from '../model/present.ts'
import type { EndpointSlice } from '../model/service.ts'
import type { Untrusted } from '../model/untrusted.ts'

export function parseEndpointSlice(object: Untrusted): EndpointSlice {
  const { namespace, name, labels } = parseMetadata(object, 'namespaced')
  return {
    namespace,
    name,
    serviceName: labels['kubernetes.io/service-name'] ?? '',
    ports: object
      .at('ports')
      .each()
      .flatMap((port) => port.at('port').optionalInteger() ?? []),
    endpoints: object.at('endpoints').each().map(parseEndpoint),
  }
}

/** An absent `ready` counts as true, an absent `serving` as `ready`, an absent `terminating` as false (discovery.k8s.io/v1). */
function parseEndpoint(endpoint: Untrusted): EndpointSlice['endpoints'][number] {
  const conditions = endpoint.at('conditions')
  const ready = conditions.at('ready').flagOr(true)
  const target = endpoint.at('targetRef')
  const isPod = target.at('kind').textOr('') === 'Pod'
  return {
    addresses: endpoint
      .at('addresses')
      .each()
      .map((address) => address.text()),
    ready,
    serving: conditions.at('serving').flagOr(ready),
    terminating: conditions.at('terminating').flagOr(false),
    ...present({
      nodeName: endpoint.at('nodeName').optionalText(),
      podUid: isPod ? target.at('uid').optionalText() : undefined,
    }),
  }
}
