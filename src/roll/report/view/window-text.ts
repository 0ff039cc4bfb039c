import type { FailureClass, FailureWindow } from '../../../ground/model/probe.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import { boundsText, preciseTimeText } from '../../../ground/text/time-text.ts'
import { sureMs } from '../../decide/availability/downtime.ts'
import { countedFailed } from '../../decide/availability/not-counted.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'
import type { Blame } from '../../model/roll-event.ts'
import type { OutageView } from './outage-view.ts'
import type { WindowView } from './roll-view.ts'

const CLASS_WORDS: Readonly<Record<FailureClass, string>> = {
  dns: 'name not resolved',
  connect: 'connect failed',
  tls: 'TLS failed',
  noResponse: 'no response',
  reset: 'connection reset',
  stale: 'kept connection closed',
  body: 'body cut off',
  stalledBody: 'body stalled',
  status: 'wrong status',
  content: 'wrong content',
}

/** Edges are known only as bounds: high is absent where one side had no good request. */
export function windowBounds({ window }: { readonly window: Omit<FailureWindow, 'lane'> }): {
  readonly lowMs: number
  readonly highMs?: number
} {
  const lowMs = sureMs(window)
  if (window.lastOkAt === undefined || window.firstOkAt === undefined) return { lowMs }
  return { lowMs, highMs: window.firstOkAt - window.lastOkAt }
}

/**
 * `shop: 6 of 16 failed in 300 to 340 ms from 06:30:58.20Z`; `6 of 16 failed (2 not counted) in …` where a control excuses
 * some; `shop: 9 of 9 failed in 7 windows over 0.80 to 0.84 s from …`.
 */
export function outageSpanText(view: OutageView): string {
  const { window, outages } = view
  const { lowMs, highMs } = windowBounds(view)
  const times = outages === 1 ? 'in' : `in ${countOf(outages, 'window')} over`
  const notCounted = window.excused === undefined ? '' : ` (${countText(window.excused)} not counted)`
  return `${window.target}: ${countText(window.failed)} of ${countText(window.sent)} failed${notCounted} ${times} ${boundsText(lowMs, highMs)} from ${preciseTimeText(window.firstBadAt)}`
}

/** `lane new, connect failed (6)`, `lanes new and kept, …`. */
export const outageClassText = ({ window: { lanes, failures } }: OutageView): string =>
  classText(lanes.length === 1 ? `lane ${lanes[0]}` : `lanes ${lanes.join(' and ')}`, failures)

type Failures = Readonly<Record<string, number>>

const classText = (where: string, failures: Failures): string => [where, ...failureTexts(failures)].join(', ')

/** `connect failed (6)`, the most frequent class first. */
export const failureTexts = (failures: Failures): readonly string[] =>
  Object.entries(failures)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${CLASS_WORDS[name as FailureClass] ?? name} (${countText(count)})`)

interface Caused {
  readonly reloads: readonly Reloaded[]
  readonly blame: readonly Blame[]
}

type Reloaded = Pick<ReloadSpan, 'instance' | 'away'>

/** `reload of lb-1 and lb-2`, each once; `lb-1 (/run/haproxy.sock): no process listens there`. */
export function reloadsText(reloads: readonly Reloaded[]): string {
  const away = [...new Set(reloads.flatMap(({ away: why }) => why ?? []))]
  return away.length > 0 ? away.join(' and ') : `reload of ${reloadedText(reloads)}`
}

/** What made it fail: a reload if there was one, else the most likely of the steps that were under way when it began. */
export function causeText({ reloads, blame }: Caused): string {
  const reload = reloads.length === 0 ? [] : [reloadsText(reloads)]
  const [first, ...more] = [...reload, ...blame.map(({ node, step }) => `${node}, ${step}`)]
  if (first === undefined) return 'no step was under way'
  if (more.length === 0)
    return reload.length === 0 ? `${first}; no other step was under way` : `${first}; no step was under way`
  const others = more.slice(0, 3).join('; ')
  return `most likely ${first}; also possible: ${others}${more.length > 3 ? ` and ${more.length - 3} more` : ''}`
}

const reloadedText = (reloads: readonly Reloaded[]): string =>
  [...new Set(reloads.map(({ instance }) => instance))].join(' and ')

/** Requests of windows that fell into a reload. */
export const failedInReloads = (windows: readonly WindowView[]): number =>
  windows.reduce((sum, { window, reloads }) => sum + (reloads.length === 0 ? 0 : countedFailed(window)), 0)

/** `6 requests were lost to reloads of lb-1`; nothing where none was. */
export function reloadLossText(windows: readonly WindowView[]): string | undefined {
  const lost = failedInReloads(windows)
  if (lost === 0) return undefined
  const lines = reloadedText(windows.flatMap(({ reloads }) => reloads))
  const was = `${countOf(lost, 'request')} ${lost === 1 ? 'was' : 'were'} lost`
  const isAway = windows.some(({ reloads }) => reloads.some(({ away }) => away !== undefined))
  return isAway ? `${was} while ${lines} did not answer or was reloaded` : `${was} to reloads of ${lines}`
}
