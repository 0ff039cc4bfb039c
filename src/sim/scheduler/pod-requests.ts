import { quantity } from '../../ground/model/quantity.ts'
import type { PodSpec, Quantities, Resources } from '../actors/pod-object.ts'

/** Whole numbers by the name of the resource: cpu in thousandths of a core, memory in bytes. */
export type Amounts = ReadonlyMap<string, number>

/** Objects of the store never change in place, and a write of a status keeps the spec. */
const REQUESTS = new WeakMap<PodSpec, Amounts>()
const PARSED = new WeakMap<Quantities, Amounts>()
const NOTHING: Amounts = new Map()

/** What a pod takes of its node (component-helpers, resource/helpers.go, PodRequests). */
export function requestsOf(spec: PodSpec): Amounts {
  const known = REQUESTS.get(spec)
  if (known !== undefined) return known
  const computed = computedRequests(spec)
  REQUESTS.set(spec, computed)
  return computed
}

/** Fractions are rounded up, as `Quantity.Value` and `MilliValue` do. */
export function amountsOf(quantities: Quantities | undefined): Amounts {
  if (quantities === undefined) return NOTHING
  const known = PARSED.get(quantities)
  if (known !== undefined) return known
  const amounts = new Map<string, number>()
  for (const [name, text] of Object.entries(quantities)) {
    const value = (quantity(String(text)) ?? 0) * (name === 'cpu' ? 1_000 : 1)
    amounts.set(name, Math.ceil(Number(value.toFixed(6))))
  }
  PARSED.set(quantities, amounts)
  return amounts
}

/**
 * The containers together, or the largest init container with the sidecars before it; a request of the pod as a whole goes
 * before both.
 */
function computedRequests({ containers, initContainers = [], resources, overhead }: PodSpec): Amounts {
  const all = new Map<string, number>()
  for (const container of containers) add(all, requested(container.resources))
  const sidecars = new Map<string, number>()
  const initial = new Map<string, number>()
  for (const container of initContainers) {
    const own = new Map(requested(container.resources))
    if (container.restartPolicy === 'Always') {
      add(all, own)
      add(sidecars, own)
      raise(initial, sidecars)
    } else {
      add(own, sidecars)
      raise(initial, own)
    }
  }
  raise(all, initial)
  for (const [name, amount] of requested(resources)) if (OF_WHOLE_PODS.has(name)) all.set(name, amount)
  add(all, amountsOf(overhead))
  return all
}

/** KEP-2837, IsSupportedPodLevelResource. */
const OF_WHOLE_PODS = new Set(['cpu', 'memory'])

/** A limit is the request where there is no other (pkg/apis/core/v1/defaults.go, SetDefaults_Pod). */
const requested = (resources: Resources | undefined): Amounts =>
  resources?.limits === undefined
    ? amountsOf(resources?.requests)
    : new Map([...amountsOf(resources.limits), ...amountsOf(resources.requests)])

export function add(sum: Map<string, number>, amounts: Amounts, sign: 1 | -1 = 1): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + sign * amount)
}

function raise(most: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) if (amount > (most.get(name) ?? 0)) most.set(name, amount)
}
