import type { WallMs } from '../../../ground/model/time.ts'
import { serversAtAddress } from '../../../service/decide/match-node-servers.ts'
import type { InstanceReading } from '../../../service/model/balancer.ts'
import { isStillAway, type ReloadSpan } from '../../model/reload-span.ts'

/** One answer of one balancer instance, and the moments between which it was true. */
export interface TimedReading {
  readonly balancer: string
  readonly reading: InstanceReading
  readonly askedAt: WallMs
  readonly answeredAt: WallMs
}

/** What must not be sent traffic now: servers of a backend at this address, whatever a reload calls them. */
export interface OutServer {
  readonly balancer: string
  readonly instance: string
  readonly backend: string
  readonly address: string
  readonly node: string
}

interface NextReading {
  /** The last reading of the same instance before this one. */
  readonly before: TimedReading | undefined
  readonly now: TimedReading
  readonly mustBeOut: readonly OutServer[]
}

/**
 * The reloads so far, after one more reading of an instance. A span begins where the process is another one than before, and
 * ends with the first reading in which no server serves that the reload put back into service. A silent instance has no
 * reading: a span lasts through its silence.
 */
export function foldReloads(
  spans: readonly ReloadSpan[],
  { before, now, mustBeOut }: NextReading,
): readonly ReloadSpan[] {
  const { balancer, reading } = now
  const isOpen = (span: ReloadSpan): boolean =>
    span.to === undefined && span.balancer === balancer && span.instance === reading.instance
  const duty = mustBeOut.filter((out) => out.balancer === balancer && out.instance === reading.instance)
  const after =
    before === undefined || before.reading.process === reading.process
      ? spans
      : withReload(spans, { isOpen, found: reloadOf(before, now, duty) })
  if (!after.some(isOpen)) return after
  const serving = new Set(duty.flatMap((out) => inService(reading, out)))
  const serves = (server: string): boolean => serving.has(server)
  return after.map((span) => {
    if (!isOpen(span) || span.servers.some(serves)) return span
    return { ...span, ...(isStillAway(span) ? { seenAt: now.answeredAt } : {}), to: now.answeredAt }
  })
}

/** A poll that found no process at an instance that had answered before. */
export interface FailedPoll {
  readonly balancer: string
  readonly instance: string
  readonly at: WallMs
  readonly why: string
}

/** Two polls in a row. A single one may meet a reload, in which the old process closes the connection. */
const AWAY_MS = 350

/** The spans with the time since the last answer as one in which the instance was away, until it answers again. */
export function foldAway(
  spans: readonly ReloadSpan[],
  { balancer, instance, at, why }: FailedPoll,
  before: TimedReading,
): readonly ReloadSpan[] {
  const isSame = (span: ReloadSpan): boolean => span.balancer === balancer && span.instance === instance
  if (at - before.answeredAt < AWAY_MS || spans.some((span) => isSame(span) && isStillAway(span))) return spans
  return [...spans, { balancer, instance, servers: [], nodes: [], from: before.askedAt, seenAt: at, away: why }]
}

function reloadOf(before: TimedReading, now: TimedReading, duty: readonly OutServer[]): ReloadSpan {
  const forgotten = duty.filter(
    (out) => inService(before.reading, out).length === 0 && inService(now.reading, out).length > 0,
  )
  return {
    balancer: now.balancer,
    instance: now.reading.instance,
    servers: [...new Set(forgotten.flatMap((out) => inService(now.reading, out)))],
    nodes: [...new Set(forgotten.map(({ node }) => node))],
    from: before.askedAt,
    seenAt: now.answeredAt,
  }
}

/** A second reload before every server was out again: both are one span, with the servers of either. */
function withReload(
  spans: readonly ReloadSpan[],
  { isOpen, found }: { readonly isOpen: (span: ReloadSpan) => boolean; readonly found: ReloadSpan },
): readonly ReloadSpan[] {
  if (!spans.some(isOpen)) return [...spans, found]
  const both = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])]
  return spans.map((span) =>
    isOpen(span)
      ? {
          ...span,
          ...(isStillAway(span) ? { seenAt: found.seenAt } : {}),
          servers: both(span.servers, found.servers),
          nodes: both(span.nodes, found.nodes),
        }
      : span,
  )
}

/** `backend/server` of those whose own state lets them serve there; a server that a reload forgot reads so. */
const inService = ({ servers }: InstanceReading, { backend, address }: OutServer): readonly string[] =>
  serversAtAddress(address, servers)
    .filter(({ ref, ownState }) => ref.backend === backend && ownState === 'ready')
    .map(({ ref }) => `${ref.backend}/${ref.server}`)
