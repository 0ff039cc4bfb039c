/** A linear axis. Places are percentages of the drawing's width, so that it can have any width without being drawn again. */
export interface TimeScale {
  readonly fromMs: number
  readonly toMs: number
  /** When the roll began: elapsed times count from here. */
  readonly startMs: number
  /** The zero of the ticks. */
  readonly zeroMs: number
  /** The highest number of ticks; on a phone they are close together. */
  readonly ticksMax: number
}

/** The default width of a drawing in pixels; what fits is decided by it. */
export const REFERENCE_PX = 880

export function timeScale(fromMs: number, toMs: number): TimeScale {
  return { fromMs, toMs: Math.max(toMs, fromMs + 1), startMs: fromMs, zeroMs: fromMs, ticksMax: 9 }
}

const share = ({ fromMs, toMs }: Pick<TimeScale, 'fromMs' | 'toMs'>, at: number): number =>
  Math.min(1, Math.max(0, (at - fromMs) / (toMs - fromMs)))

/** `12.5%`. */
export const placeOf = (scale: TimeScale, at: number): string => percent(share(scale, at))

/** Width of a span, cut at the ends of the axis. */
export const widthOf = (scale: TimeScale, from: number, to: number): string =>
  percent(Math.max(0, share(scale, to) - share(scale, from)))

/** The same in pixels, at the reference width. */
export const pixelsOf = (scale: TimeScale, from: number, to: number): number =>
  Math.max(0, share(scale, to) - share(scale, from)) * REFERENCE_PX

export const pixelAt = (scale: TimeScale, at: number): number => share(scale, at) * REFERENCE_PX

const percent = (of: number): string => `${Number((of * 100).toFixed(4))}%`

const STEPS_MS = [
  10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000,
  1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
]

/** Round times on either side of zero. */
export function ticksOf({ fromMs, toMs, zeroMs, ticksMax }: TimeScale): readonly number[] {
  const stepMs = STEPS_MS.find((ms) => (toMs - fromMs) / ms <= ticksMax) ?? (toMs - fromMs) / ticksMax
  const first = Math.ceil((fromMs - zeroMs) / stepMs)
  const last = Math.floor((toMs - zeroMs) / stepMs)
  return Array.from({ length: last - first + 1 }, (_, index) => zeroMs + (first + index) * stepMs)
}
