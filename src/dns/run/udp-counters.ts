import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { ScenePod } from '../decide/scene.ts'
import { judgeUdp, type UdpSeen } from '../decide/udp-seen.ts'
import type { UdpCounts } from '../model/udp-counts.ts'
import type { PodCounters } from '../ports/pod-counters.ts'

interface Parts {
  readonly counters: PodCounters
  readonly clock: Clock
  readonly namespace: string
}

/** A pod at the first reading of its counters. */
interface Counted {
  readonly pod: ScenePod
  /** Where its metrics were found. */
  readonly port: number
  readonly counts: UdpCounts
  readonly at: MonoMs
}

interface FirstCounts {
  readonly counted: readonly Counted[]
  /** Whose counters could not be read, and why: sentences. */
  readonly notes: readonly string[]
}

interface SeenByCounters {
  /** By the name of the pod. */
  readonly seen: ReadonlyMap<string, UdpSeen>
  readonly notes: readonly string[]
}

/** A cluster that is asked at all asks each pod within this. */
const WINDOW_MS = 5_000
const POLL_EVERY_MS = 1_000
/** Each is a connection through the API server. */
const PODS_AT_ONCE = 4

/** The first reading, to which a later one is compared. Rejects by abort alone. */
export async function readCounters(
  pods: readonly { readonly pod: ScenePod; readonly ports: readonly number[] }[],
  parts: Parts,
  signal: AbortSignal,
): Promise<FirstCounts> {
  const read = await mapAtOnce(pods, PODS_AT_ONCE, async ({ pod, ports }): Promise<Counted | Unread> => {
    const texts: string[] = []
    for (const port of ports) {
      const reading = await countersOf(pod, { ...parts, port }, signal)
      if (reading.kind === 'counts') return { pod, port, counts: reading.counts, at: parts.clock.monoMs() }
      texts.push(reading.text)
      if (reading.kind === 'unknown') break
    }
    return { name: pod.name, why: texts.join('; ') }
  })
  return {
    counted: read.flatMap((one) => ('counts' in one ? [one] : [])),
    notes: notesOf(read.flatMap((one) => ('why' in one ? [one] : []))),
  }
}

/**
 * Reads them again until each has risen, for 5 s after the first reading at most, and judges what lies between. Rejects by
 * abort alone.
 */
export async function countersSince(
  first: readonly Counted[],
  { isEven, ...parts }: Parts & { readonly isEven: boolean },
  signal: AbortSignal,
): Promise<SeenByCounters> {
  const { clock } = parts
  const until = Math.max(...first.map(({ at }) => at + WINDOW_MS))
  const last = new Map<string, Counted>()
  const unread = new Map<string, Unread>()
  for (let waitingFor = first; waitingFor.length > 0; ) {
    const isOver = clock.monoMs() >= until
    // Pods are compared over one time: where one has not risen until the end, all are read at the end.
    const again = isOver ? first.filter(({ pod }) => !unread.has(pod.name)) : waitingFor
    await mapAtOnce(again, PODS_AT_ONCE, async (before) => {
      const { pod, port } = before
      const reading = await countersOf(pod, { ...parts, port }, signal)
      if (reading.kind === 'counts') last.set(pod.name, { ...before, counts: reading.counts, at: clock.monoMs() })
      else unread.set(pod.name, { name: pod.name, why: reading.text })
    })
    if (isOver) break
    waitingFor = waitingFor.filter(
      ({ pod, counts }) => !unread.has(pod.name) && (last.get(pod.name)?.counts.answered ?? 0) <= counts.answered,
    )
    if (waitingFor.length > 0) await clock.sleep(Math.min(POLL_EVERY_MS, Math.max(0, until - clock.monoMs())), signal)
  }
  const spans = first.flatMap(({ pod, counts: before, at }) => {
    const after = unread.has(pod.name) ? undefined : last.get(pod.name)
    if (after === undefined) return []
    const isServing = pod.endpoint === 'serving'
    return [{ name: pod.name, isServing, before, after: after.counts, overMs: after.at - at }]
  })
  return { seen: judgeUdp(spans, isEven), notes: notesOf([...unread.values()]) }
}

interface Unread {
  readonly name: string
  readonly why: string
}

const countersOf = (
  { name }: ScenePod,
  { counters, namespace, port }: Parts & { readonly port: number },
  signal: AbortSignal,
) => counters.udpCounts({ namespace, name, port }, signal)

/** Pods that could not be read for one reason share one sentence. */
const notesOf = (unread: readonly Unread[]): readonly string[] =>
  [...Map.groupBy(unread, ({ why }) => why)].map(
    ([why, of]) => `counters of ${of.map(({ name }) => name).join(', ')} could not be read: ${why}`,
  )
