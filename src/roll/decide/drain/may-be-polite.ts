import { type LabelSelector, selectorMatches } from '../../../ground/model/label-selector.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import { HASH_LABEL, LEAVING_VALUE, labelsBefore } from '../../../ground/model/polite-mark.ts'
import type { EndpointSlice, Service } from '../../../ground/model/service.ts'
import type { PoliteSpec, RollSpec } from '../../model/roll-spec.ts'
import type { ClusterReading } from '../snapshot.ts'
import { guardOf } from './guard-of.ts'

type Labels = Readonly<Record<string, string>>
export type PoliteReading = Pick<ClusterReading, 'workloads' | 'budgets' | 'slices'> & {
  readonly services: readonly Service[]
}

/** The entry of the roll file that lets the pod leave politely; undefined: there is none. */
export const politeSpec = (pod: Pod, drain: RollSpec['drain']): PoliteSpec | undefined =>
  drain.polite?.find(
    ({ selector, namespaces }) =>
      (namespaces?.includes(pod.namespace) ?? true) && selectorMatches(selector, labelsBefore(pod)),
  )

/** Whether the file needs labels of pods to be changed, and Services to be followed. */
export const mayRelease = ({ polite, blocked = [] }: RollSpec['drain']): boolean =>
  polite !== undefined || blocked.some(({ surgeMs }) => surgeMs !== undefined)

/** The Services that select the pod. A Service without a selector has endpoints that others write. */
export function selectingServices(services: readonly Service[], namespace: string, labels: Labels): readonly Service[] {
  return services.filter((service) => {
    const pairs = Object.entries(service.selector)
    return service.namespace === namespace && pairs.length > 0 && pairs.every(([key, value]) => labels[key] === value)
  })
}

type Endpoints = Pick<PoliteReading, 'slices' | 'services'>

/**
 * A slice that names the pod for a Service without a selector: another program writes it, and no label takes the pod out of it.
 */
export const foreignSlice = ({ slices, services }: Endpoints, { namespace, uid }: Pod): EndpointSlice | undefined =>
  slices.find(
    (slice) =>
      slice.namespace === namespace &&
      slice.endpoints.some(({ podUid }) => podUid === uid) &&
      services.some(
        ({ namespace: of, name, selector }) =>
          of === namespace && name === slice.serviceName && Object.keys(selector).length === 0,
      ),
  )

/** The labels by which any Service selects the pod, each with another value. */
export const withdrawnLabels = (services: readonly Service[], { namespace, labels }: Pod): Labels =>
  Object.fromEntries(
    selectingServices(services, namespace, labels).flatMap(({ selector }) =>
      Object.keys(selector).map((key) => [key, LEAVING_VALUE]),
    ),
  )

/** Why a pod cannot leave politely; undefined: it can. */
export function whyNotPolite(reading: PoliteReading, pod: Pod): string | undefined {
  const { workloads, budgets, services } = reading
  const { controller, namespace, labels } = pod
  if (controller === undefined) return 'it has no controller that would start another pod'
  if (controller.kind !== 'ReplicaSet')
    return `its controller is a ${controller.kind}, which starts no other pod before this one is gone`
  const set = workloads.find(({ uid }) => uid === controller.uid)
  if (set?.controller?.kind !== 'Deployment') return 'no Deployment controls its ReplicaSet'
  if (set.selector.matchLabels[HASH_LABEL] === undefined) return `its ReplicaSet does not select by ${HASH_LABEL}`
  if (guardOf(pod) !== undefined) return 'it is the pod of a NodeGuard, which runs on its node alone'
  if (pod.claims.length > 0) return 'it has a volume, which its replacement could not have beside it'
  const foreign = foreignSlice(reading, pod)
  if (foreign !== undefined)
    return `EndpointSlice ${refKey(foreign)} names it for Service ${foreign.serviceName}, which has no selector`
  const released = { ...labels, [HASH_LABEL]: LEAVING_VALUE }
  const ours = services.filter((service) => service.namespace === namespace)
  const byHash = selectingServices(ours, namespace, labels).find(({ selector }) => HASH_LABEL in selector)
  if (byHash !== undefined) return `Service ${refKey(byHash)} selects by ${HASH_LABEL}`
  const guarding = budgets.filter((budget) => budget.namespace === namespace)
  const lost = guarding.find(
    ({ selector }) => selectorMatches(selector, labels) && !selectorMatches(selector, released),
  )
  if (lost !== undefined) return `budget ${refKey(lost)} selects by ${HASH_LABEL}`
  const adopter = workloads.find(
    (other) => other.namespace === namespace && adopts(other.kind) && selectorMatches(other.selector, released),
  )
  if (adopter !== undefined)
    return `${adopter.kind} ${refKey(adopter)} would take it over, since it selects its labels too`
  const withdrawn = { ...released, ...withdrawnLabels(ours, pod) }
  const both = guarding.filter(({ selector }) => selectorMatches(selector, withdrawn))
  return both.length > 1 ? `it is under budgets ${both.map(refKey).join(' and ')}` : undefined
}

const adopts = (kind: string): boolean => kind === 'ReplicaSet' || kind === 'DaemonSet'

/** Whether a budget still selects the pod once these labels are overwritten is checked by the API server at the eviction. */
export const guardingBudgets = (
  budgets: ClusterReading['budgets'],
  { namespace, labels }: Pick<Pod, 'namespace' | 'labels'>,
): ClusterReading['budgets'] =>
  budgets.filter(
    (budget) => budget.namespace === namespace && selectorMatches(budget.selector as LabelSelector, labels),
  )
