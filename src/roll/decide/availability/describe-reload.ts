import { formatDuration } from '../../../ground/model/duration.ts'
import { toIso, type WallMs } from '../../../ground/model/time.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'

/** Times this close together are written as one. */
const ONE_MOMENT_MS = 1000

/** `lb-1 was reloaded at 11:14:53Z and had n2 in service again for at most 380 ms`. */
export function describeReload({ instance, nodes, from, seenAt, to }: ReloadSpan): string {
  const when = seenAt - from < ONE_MOMENT_MS ? `at ${timeOf(seenAt)}` : `between ${timeOf(from)} and ${timeOf(seenAt)}`
  const reloaded = `${instance} was reloaded ${when}`
  if (nodes.length === 0) return reloaded
  const again = `${nodes.join(', ')} in service again`
  return to === undefined
    ? `${reloaded} and has had ${again} since`
    : `${reloaded} and had ${again} for at most ${formatDuration(to - from)}`
}

/** What prevents it. HAProxy: `server-state-file`, `load-server-state-from-file` (configuration.txt). */
export function preventReloads(spans: readonly ReloadSpan[]): string {
  const instances = [...new Set(spans.map(({ instance }) => instance))].join(', ')
  const dont = `do not reload ${instances} while a roll is under way`
  if (spans.every(({ nodes }) => nodes.length === 0)) return dont
  return `${dont} unless HAProxy keeps the states: "load-server-state-from-file global" in haproxy.cfg, and "show servers state" written to its server-state-file before each reload`
}

const timeOf = (at: WallMs): string => `${toIso(at).slice(11, 19)}Z`
