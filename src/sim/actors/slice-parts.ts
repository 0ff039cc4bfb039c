import type { ApiObject } from '../world/api-object.ts'
import type { SliceEndpoint } from './service-endpoints.ts'

/** The default of `--max-endpoints-per-slice`. */
const ENDPOINTS_MAX = 100

/** The content of one slice; without `slice` it has to be created. */
export interface SlicePart {
  readonly slice: ApiObject | undefined
  readonly endpoints: readonly SliceEndpoint[]
}

/**
 * Distributes endpoints over the slices of a Service: each stays where it is, and new ones go where there is room
 * (endpointslice/reconciler.go). `endpoints` are in the order that they have in a slice. There is at least one part; others may
 * be empty.
 */
export function slicePartsOf(endpoints: readonly SliceEndpoint[], slices: readonly ApiObject[]): readonly SlicePart[] {
  const placeOf = new Map(slices.flatMap((slice, at) => endpointsIn(slice).map(({ targetRef }) => [targetRef.uid, at])))
  const places = endpoints.map(({ targetRef }) => placeOf.get(targetRef.uid))
  const sizes = slices.length === 0 ? [0] : slices.map(() => 0)
  for (const place of places) if (place !== undefined) sizes[place] = (sizes[place] ?? 0) + 1
  const taken = places.map((place) => place ?? takeRoom(sizes))
  const parts = Map.groupBy(endpoints.keys(), (i) => taken[i])
  return sizes.map((_, at) => ({
    slice: slices[at],
    endpoints: (parts.get(at) ?? []).flatMap((i) => endpoints[i] ?? []),
  }))
}

function takeRoom(sizes: number[]): number {
  const found = sizes.findIndex((size) => size < ENDPOINTS_MAX)
  const at = found === -1 ? sizes.length : found
  sizes[at] = (sizes[at] ?? 0) + 1
  return at
}

const endpointsIn = (slice: ApiObject): readonly SliceEndpoint[] =>
  (slice as ApiObject & { readonly endpoints?: readonly SliceEndpoint[] }).endpoints ?? []
