import type { WallMs } from '../../../ground/model/time.ts'
import type { InstanceReading } from '../../../service/model/balancer.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'

/** One answer of one balancer instance, and the moments between which it was true. */
export interface TimedReading {
  readonly balancer: string
  readonly reading: InstanceReading
  readonly askedAt: WallMs
  readonly answeredAt: WallMs
}

/** A server that must not be sent traffic now: `backend/server` of an instance. */
export interface OutServer {
  readonly balancer: string
  readonly instance: string
  readonly server: string
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
  const serving = inService(reading)
  const serves = (server: string): boolean => serving.has(server) && duty.some((out) => out.server === server)
  return after.map((span) => (isOpen(span) && !span.servers.some(serves) ? { ...span, to: now.answeredAt } : span))
}

function reloadOf(before: TimedReading, now: TimedReading, duty: readonly OutServer[]): ReloadSpan {
  const [was, is] = [inService(before.reading), inService(now.reading)]
  const forgotten = duty.filter(({ server }) => !was.has(server) && is.has(server))
  return {
    balancer: now.balancer,
    instance: now.reading.instance,
    servers: forgotten.map(({ server }) => server),
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
    isOpen(span) ? { ...span, servers: both(span.servers, found.servers), nodes: both(span.nodes, found.nodes) } : span,
  )
}

/** Servers whose own state lets them serve; a server that a reload forgot reads so. */
const inService = ({ servers }: InstanceReading): ReadonlySet<string> =>
  new Set(servers.filter(({ ownState }) => ownState === 'ready').map(({ ref }) => `${ref.backend}/${ref.server}`))
