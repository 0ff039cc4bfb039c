import { ApiClient } from '../../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import type { Exchange } from '../../../src/ground/kube/exchange.ts'
import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { type Condition, parseConditions } from '../../../src/ground/model/condition.ts'
import type { ObjectKind } from '../../../src/ground/model/object-kind.ts'
import type { StatusBearer } from '../../../src/ground/model/object-status.ts'
import { parseMetadata } from '../../../src/ground/model/parse-metadata.ts'
import type { Untrusted } from '../../../src/ground/model/untrusted.ts'
import type { Objects } from '../../../src/ground/ports/objects.ts'
import type { ApiDoor } from '../api/api-door.ts'

/** A way to an API server for code that stands on the port of objects. */
export interface FrameGround {
  readonly credentials: ConstructorParameters<typeof ApiClient>[0]['credentials']
  readonly exchange: Exchange
  /** Past the code that is looked at. */
  readonly door: ApiDoor
  readonly signal: AbortSignal
}

/** The port, with something between it and the server where a test wants that. */
export function objectsOf(
  { credentials, exchange }: FrameGround,
  between = (inner: Exchange): Exchange => inner,
): Objects {
  const client = new ApiClient({ credentials, clock, userAgent: 'evenkeel/test', exchange: between(exchange) })
  const log = { debug: () => undefined, warn: () => undefined }
  return kubeObjects({ client, reach: new ApiReach(clock), clock, random, log })
}

export interface Guard extends StatusBearer {
  readonly namespace: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
  readonly size: number
}

/** A custom resource. */
export const GUARDS: ObjectKind<Guard> = {
  group: 'evenkeel.dev',
  version: 'v1alpha1',
  resource: 'nodeguards',
  kind: 'NodeGuard',
  namespaced: true,
  parse: (object) => {
    const { namespace, name, uid, resourceVersion, generation, labels } = parseMetadata(object, 'namespaced')
    const [status, size] = [object.at('status'), object.at('spec').at('size').integerOr(0)]
    const observedGeneration = status.at('observedGeneration').optionalInteger()
    return {
      ...{ namespace, name, uid, resourceVersion, labels, size },
      ...(generation === undefined ? {} : { generation }),
      status: {
        ...(observedGeneration === undefined ? {} : { observedGeneration }),
        conditions: parseConditions(status),
        fields: pick(status, ['nodes', 'held']),
      },
    }
  },
}

function pick(object: Untrusted, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.flatMap((name) => (object.at(name).absent ? [] : [[name, object.at(name).raw]])))
}

export interface Held {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly data: Readonly<Record<string, string>>
}

/** A built-in kind with namespaces. */
export const MAPS: ObjectKind<Held> = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
  parse: (object) => {
    const { namespace, name, uid, resourceVersion } = parseMetadata(object, 'namespaced')
    return { namespace, name, uid, resourceVersion, data: object.at('data').textMap() }
  },
}

interface Served {
  readonly namespace: string
  readonly name: string
  readonly resourceVersion: string
  readonly conditions: readonly Condition[]
}

/** A built-in kind with a status. */
export const SERVICES: ObjectKind<Served> = {
  group: '',
  version: 'v1',
  resource: 'services',
  kind: 'Service',
  namespaced: true,
  parse: (object) => {
    const { namespace, name, resourceVersion } = parseMetadata(object, 'namespaced')
    return { namespace, name, resourceVersion, conditions: parseConditions(object.at('status')) }
  },
}
