import { formatDuration } from '../../ground/model/duration.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Noticing } from '../../service/decide/evidence.ts'
import type { RollEvent } from '../model/roll-event.ts'

interface Noticed {
  readonly node: string
  readonly server: string
  readonly seen: Noticing
  readonly now: MonoMs
}

/** How a wait for those who check a health endpoint ended. */
export function noticedEvent({ node, server, seen, now }: Noticed): Extract<RollEvent, { type: 'noticed' }> {
  const by = seen.noticed?.by ?? 'time'
  const afterMs = Math.round((seen.noticed?.at ?? now) - (seen.noticed?.from ?? seen.since))
  const what = seen.way === 'out' ? `${node} leaves` : `${node} is back`
  const how =
    by === 'checks'
      ? 'every declared source of checks was answered often enough'
      : 'the checks that the file declares take no longer'
  const after = formatDuration(Math.round(afterMs / 100) * 100)
  const words = seen.noticed?.words
  const text =
    words === undefined
      ? `load balancers noticed that ${what} after ${after}: ${how}`
      : `${what}: waited ${after} ${words}`
  return { type: 'noticed', node, step: seen.way === 'out' ? 'detach' : 'attach', server, by, afterMs, text }
}
