import { present } from '../../../ground/model/present.ts'
import type { FailureWindow } from '../../../ground/model/probe.ts'
import type { Blame } from '../../model/roll-event.ts'
import { attribute } from '../availability/attribution.ts'
import { lanePeriodMs } from '../availability/lane-period.ts'
import { countedFailed } from '../availability/not-counted.ts'
import { judgedFailed } from '../awaits-control.ts'
import { countedWindows } from '../counted-windows.ts'
import type { RollSnapshot } from '../snapshot.ts'

/** All that the stop rules need to know. */
export type StopSnapshot = Pick<RollSnapshot, 'run' | 'spec' | 'wall' | 'reloads' | 'probe' | 'steps'>

/** A window that counts, and how many of its requests failed for sure. */
export interface JudgedFailure {
  readonly window: FailureWindow
  readonly failed: number
  /** The step that caused it most likely. Absent: no step was under way. */
  readonly blame?: Blame
  /** An earlier process of this run saw it. */
  readonly isEarlier?: true
}

/**
 * The failures by which the roll is judged: those since its baseline, and those that earlier processes of the run saw since it
 * was stopped last. `isLast`: no more samples of controls will come.
 */
export function judgedFailures(s: StopSnapshot, isLast = false): readonly JudgedFailure[] {
  const earlier = (s.run.windowsBefore ?? []).map(
    ({ window, blame }): JudgedFailure => ({
      window,
      failed: countedFailed(window),
      isEarlier: true,
      ...present({ blame }),
    }),
  )
  const own = countedWindows(s).map((window): JudgedFailure => {
    const blame = blameOf(s, window)
    const failed = isLast ? countedFailed(window) : judgedFailed(s, window)
    return { window, failed, ...present({ blame }) }
  })
  return [...earlier, ...own].filter(({ failed }) => failed > 0)
}

/** The step that is blamed first for a window. */
export function blameOf(
  { spec, steps = [], reloads }: Pick<RollSnapshot, 'spec' | 'steps' | 'reloads'>,
  window: FailureWindow,
): Blame | undefined {
  const periodMs = lanePeriodMs(spec.probe?.targets ?? [], window)
  const found = attribute({ window, periodMs, steps, reloads })
  return found.kind === 'found' ? found.blame[0] : undefined
}

const NAMED_MAX = 5

/** `3 at n1, drain; 1 while no step was under way`. `shown`: the amount of one step, in words. */
export function blameText(
  amounts: readonly { readonly amount: number; readonly blame?: Blame }[],
  shown: (amount: number) => string = String,
): string {
  const found = new Map<string, number>()
  for (const { amount, blame } of amounts) {
    const where = blame === undefined ? 'while no step was under way' : `at ${blame.node}, ${blame.step}`
    found.set(where, (found.get(where) ?? 0) + amount)
  }
  const named = [...found].toSorted((a, b) => b[1] - a[1])
  const more = named.length > NAMED_MAX ? [`and ${named.length - NAMED_MAX} more steps`] : []
  return [...named.slice(0, NAMED_MAX).map(([where, amount]) => `${shown(amount)} ${where}`), ...more].join('; ')
}
