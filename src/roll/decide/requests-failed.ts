import type { FailureWindow } from '../../ground/model/probe.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { ReloadSpan } from '../model/reload-span.ts'
import { describeReload, preventReloads } from './availability/describe-reload.ts'
import { lanePeriodMs } from './availability/lane-period.ts'
import { countedFailed } from './availability/not-counted.ts'
import { reloadsOfWindow } from './availability/reloads-of-window.ts'
import { countedWindows } from './counted-windows.ts'
import type { RollSnapshot } from './snapshot.ts'

/** The first windows are enough for a target that flaps for hours; the events have all of them. */
const NAMED_MAX = 10

/** One reason for each counted window, with the reload that it fell into, by what is known now. */
export function requestsFailed(s: Pick<RollSnapshot, 'run' | 'probe' | 'spec' | 'reloads'>): readonly Reason[] {
  const targets = s.spec.probe?.targets ?? []
  return countedWindows(s)
    .slice(0, NAMED_MAX)
    .map((window) =>
      reasonOf(window, reloadsOfWindow({ window, periodMs: lanePeriodMs(targets, window), reloads: s.reloads })),
    )
}

function reasonOf(window: FailureWindow, reloads: readonly ReloadSpan[]): Reason {
  const { target, lane, firstError, excused = 0 } = window
  const what = `${failedText(window)} to ${target} failed (${lane}): ${firstError}`
  const beside = excused === 0 ? [] : [`${excused} more failed while a control did not answer, and are not counted`]
  return {
    code: 'RequestsFailed',
    object: target,
    text: [what, ...beside, ...reloads.map(describeReload)].join('; '),
    ...(reloads.length === 0 ? {} : { next: preventReloads(reloads) }),
  }
}

function failedText(window: FailureWindow): string {
  const [failed, { sent }] = [countedFailed(window), window]
  if (failed < sent) return `${failed} of ${sent} requests`
  return sent === 1 ? '1 request' : `all ${sent} requests`
}
