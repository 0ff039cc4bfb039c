import type { FollowCache } from '../../ground/loop/follow-cache.ts'
import { FollowCaches } from '../../ground/loop/follow-caches.ts'
import { INGRESS_LABEL } from '../../ground/model/ingress-keys.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import type { OutLimit } from '../../ground/model/out-limit.ts'
import { parseLabelSelector } from '../../ground/model/parse-label-selector.ts'
import { parseCreatedAt, parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { crossCheck } from '../decide/cross-check.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import type { Neighbours, OthersBudget, PortService } from '../decide/neighbours.ts'
import { standsBefore } from '../decide/precedence.ts'
import type { IngressCaches } from './ingress-caches.ts'

interface NeighbourParts {
  readonly objects: Pick<Objects, 'follow'>
  readonly clock: Clock
  readonly caches: Pick<IngressCaches, 'nodes' | 'objects'>
  /** From the last reading. */
  readonly limit: () => OutLimit | undefined
  /** A port was taken or released, or a budget has changed. */
  readonly onChange: () => void
}

/** Services and budgets of others, and the conflicts of each object with them. The conflicts are found once after each change. */
export class NeighbourCaches extends FollowCaches {
  readonly #parts: NeighbourParts
  readonly #services: FollowCache<PortService>
  readonly #budgets: FollowCache<OthersBudget>
  readonly #found = new WeakMap<CheckedIngress, { readonly of: string; readonly findings: readonly FieldFinding[] }>()
  #changes = 0

  constructor(parts: NeighbourParts) {
    super(parts)
    this.#parts = parts
    const { onChange } = parts
    this.#services = this.objectsOf(
      { kind: SERVICES },
      {
        onKey: (_key, { before, now }) => {
          if (!takesPorts(before) && !takesPorts(now)) return
          this.changed()
          onChange()
        },
        isNews: (before, now) => portsOf(before) !== portsOf(now),
      },
    )
    this.#budgets = this.objectsOf(
      { kind: OTHERS_BUDGETS, labelSelector: `!${INGRESS_LABEL}` },
      {
        onKey: () => {
          this.changed()
          onChange()
        },
        isNews: (before, now) => JSON.stringify(before.selector) !== JSON.stringify(now.selector),
      },
    )
  }

  /** Nodes or IngressDaemonSets have changed. */
  changed(): void {
    this.#changes += 1
  }

  /** The current neighbours. */
  #around(): Neighbours {
    const { caches, limit } = this.#parts
    const most = limit()
    return {
      objects: caches.objects(),
      nodes: caches.nodes.objects(),
      services: this.#services.objects().filter(takesPorts),
      budgets: this.#budgets.objects(),
      ...present({ limit: most }),
    }
  }

  /** The conflicts of this object with those that go before it. The object has no error by itself. */
  findings(object: CheckedIngress): readonly FieldFinding[] {
    const of = `${this.#changes} ${JSON.stringify(this.#parts.limit())}`
    const known = this.#found.get(object)
    if (known?.of === of) return known.findings
    const findings = crossCheck(object, this.#around(), (other) => standsBefore(other, object))
    this.#found.set(object, { of, findings })
    return findings
  }
}

const takesPorts = (service: PortService | undefined): service is PortService =>
  service !== undefined && (service.nodePorts.length > 0 || service.healthCheckNodePort !== undefined)

const portsOf = ({ nodePorts, healthCheckNodePort }: PortService): string =>
  JSON.stringify([nodePorts, healthCheckNodePort])

const SERVICES: ObjectKind<PortService> = {
  group: '',
  version: 'v1',
  resource: 'services',
  kind: 'Service',
  namespaced: true,
  parse: parsePortService,
}

function parsePortService(object: Untrusted): PortService {
  const { namespace, name, uid, resourceVersion } = parseMetadata(object, 'namespaced')
  const spec = object.at('spec')
  const healthCheckNodePort = spec.at('healthCheckNodePort').integerOr(0)
  const nodePorts = spec
    .at('ports')
    .each()
    .map((port) => port.at('nodePort').integerOr(0))
    .filter((port) => port > 0)
  return {
    ...{ namespace, name, uid, resourceVersion, nodePorts },
    createdAt: parseCreatedAt(object),
    ...(healthCheckNodePort > 0 ? { healthCheckNodePort } : {}),
  }
}

const OTHERS_BUDGETS: ObjectKind<OthersBudget> = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
  parse: (object) => {
    const { namespace, name, uid, resourceVersion } = parseMetadata(object, 'namespaced')
    return { namespace, name, uid, resourceVersion, selector: parseLabelSelector(object.at('spec').at('selector')) }
  },
}
