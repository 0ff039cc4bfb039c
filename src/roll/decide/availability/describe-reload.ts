import { formatDuration } from '../../../ground/model/duration.ts'
import { toIso, type WallMs } from '../../../ground/model/time.ts'
import { isStillAway, type ReloadSpan } from '../../model/reload-span.ts'

/** Times this close together are written as one. */
const ONE_MOMENT_MS = 1000

/**
 * `lb-1 was reloaded at 11:14:53Z and had n2 in service again for at most 380 ms`;
 * `lb-1 (/run/haproxy.sock): no process listens there, from 11:14:53Z to 11:15:13Z`.
 */
export function describeReload(span: ReloadSpan): string {
  const { instance, nodes, from, seenAt, to, away } = span
  if (away !== undefined && isStillAway(span)) return `${away}, since ${timeOf(from)}`
  const when = seenAt - from < ONE_MOMENT_MS ? `at ${timeOf(seenAt)}` : `between ${timeOf(from)} and ${timeOf(seenAt)}`
  const reloaded =
    away === undefined ? `${instance} was reloaded ${when}` : `${away}, from ${timeOf(from)} to ${timeOf(seenAt)}`
  if (nodes.length === 0) return reloaded
  const again = `${nodes.join(', ')} in service again`
  if (to === undefined) return `${reloaded} and has had ${again} since`
  const since = away === undefined ? from : seenAt
  return `${reloaded} and had ${again} for at most ${formatDuration(to - since)}`
}

/** What prevents it. HAProxy: `server-state-file`, `load-server-state-from-file` (configuration.txt). */
export function preventReloads(spans: readonly ReloadSpan[]): string {
  const instances = [...new Set(spans.map(({ instance }) => instance))].join(', ')
  if (spans.some(({ away }) => away !== undefined)) return `find out why ${instances} did not answer`
  const dont = `do not reload ${instances} while a roll is under way`
  if (spans.every(({ nodes }) => nodes.length === 0)) return dont
  return `${dont} unless HAProxy keeps the states: "load-server-state-from-file global" in haproxy.cfg, and "show servers state" written to its server-state-file before each reload`
}

const timeOf = (at: WallMs): string => `${toIso(at).slice(11, 19)}Z`
