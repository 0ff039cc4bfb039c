import type { NodeTerm } from '../../../../ground/model/node-affinity.ts'
import type { Pod } from '../../../../ground/model/pod.ts'
import type { PodPlacement } from '../../../../ground/model/pod-placement.ts'
import type { Amount } from '../../../../ground/model/quantity.ts'
import type { Domains } from './domains.ts'
import type { Candidates, Place, Places } from './places.ts'

/**
 * Why no other node takes a pod that leaves its own: the first condition that no node meets. `room`: nodes would take it, and
 * have no room. `together`: a node has room, but not beside the other pods that leave with it.
 */
export type NoFit = 'noOther' | 'selector' | 'volume' | 'hostPort' | 'apart' | 'spread' | 'room' | 'together'

export type PlacedPod = Pod & { readonly placement: PodPlacement }

export interface FitParts {
  readonly places: Places
  readonly domains: Domains
  /** The terms of each volume of the pod that not every node reaches. */
  readonly termsOf: (pod: Pod) => readonly (readonly NodeTerm[])[]
}

/** What the pods that leave one node together have taken of other nodes. */
type Taken = Map<Place, Amount & { readonly pods: number }>

/** Where the pods of one node go, the largest first; returns those for which there is no place, with the reason. */
export function fitAll(
  parts: FitParts,
  pods: readonly PlacedPod[],
): readonly { readonly pod: PlacedPod; readonly why: NoFit }[] {
  const taken: Taken = new Map()
  return pods.toSorted(largestFirst).flatMap((pod) => {
    const why = fit(parts, pod, taken)
    return why === undefined ? [] : [{ pod, why }]
  })
}

export function largestFirst({ placement: one }: PlacedPod, { placement: other }: PlacedPod): number {
  const byCpu = other.requests.cpuMilli - one.requests.cpuMilli
  return byCpu === 0 ? other.requests.memoryBytes - one.requests.memoryBytes : byCpu
}

function fit(parts: FitParts, pod: PlacedPod, taken: Taken): NoFit | undefined {
  const candidates = parts.places.for(pod.placement, parts.termsOf(pod))
  const { cpuMilli, memoryBytes } = pod.placement.requests
  let fitsAlone = false
  for (const place of candidates.reaching) {
    // The places are in the order of their free cpu.
    if (cpuMilli > 0 && place.free !== undefined && place.free.cpuMilli < cpuMilli) break
    if (place.node.name === pod.nodeName || !hasRoom(place, pod, NONE) || !mayGoTo(parts, pod, { place, candidates }))
      continue
    fitsAlone = true
    const before = taken.get(place) ?? NONE
    if (!hasRoom(place, pod, before)) continue
    taken.set(place, {
      cpuMilli: before.cpuMilli + cpuMilli,
      memoryBytes: before.memoryBytes + memoryBytes,
      pods: before.pods + 1,
    })
    return undefined
  }
  return fitsAlone ? 'together' : whyNone(parts, pod, candidates)
}

const NONE = { cpuMilli: 0, memoryBytes: 0, pods: 0 }

/** A pod that requests nothing fits wherever one more pod does, however full the node is. */
function hasRoom({ free }: Place, { placement }: PlacedPod, taken: Amount & { readonly pods: number }): boolean {
  if (free === undefined) return true
  const { cpuMilli, memoryBytes } = placement.requests
  return (
    taken.pods < free.pods &&
    (cpuMilli === 0 || taken.cpuMilli + cpuMilli <= free.cpuMilli) &&
    (memoryBytes === 0 || taken.memoryBytes + memoryBytes <= free.memoryBytes)
  )
}

interface Asked {
  readonly place: Place
  readonly candidates: Candidates
}

const mayGoTo = (parts: FitParts, pod: PlacedPod, asked: Asked): boolean =>
  hasPorts(pod, asked.place) && isApart(parts, pod, asked.place) && isSpread(parts, pod, asked)

const hasPorts = ({ placement }: PlacedPod, { hostPorts }: Place): boolean =>
  !placement.hostPorts.some((port) => hostPorts.has(port))

const isApart = ({ domains }: FitParts, pod: PlacedPod, { node }: Place): boolean =>
  pod.placement.apart.every((term) => domains.mayBeBeside(pod, term, node))

const isSpread = (
  { domains }: FitParts,
  pod: PlacedPod,
  { place: { node }, candidates: { matching } }: Asked,
): boolean => pod.placement.spread.every((rule) => domains.mayGoTo(pod, rule, { node, matching }))

/** In the order in which the scheduler checks; only for a pod that no node takes. */
function whyNone(parts: FitParts, pod: PlacedPod, candidates: Candidates): NoFit {
  const isOther = ({ node }: Place): boolean => node.name !== pod.nodeName
  if (!candidates.open.some(isOther)) return 'noOther'
  if (!candidates.wanted.some(isOther)) return 'selector'
  const { reaching } = candidates
  if (!reaching.some(isOther)) return 'volume'
  const isFree = (place: Place): boolean => isOther(place) && hasPorts(pod, place)
  if (!reaching.some(isFree)) return 'hostPort'
  if (!reaching.some((place) => isFree(place) && isApart(parts, pod, place))) return 'apart'
  return reaching.some((place) => isFree(place) && mayGoTo(parts, pod, { place, candidates })) ? 'room' : 'spread'
}
