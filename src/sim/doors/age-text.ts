const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long something has been, as kubectl writes it: two units where the first says too little (duration.HumanDuration). */
export function ageText(ms: number): string {
  const whole = Math.max(0, ms)
  if (whole < 2 * MINUTE_MS) return `${Math.floor(whole / SECOND_MS)}s`
  if (whole < 10 * MINUTE_MS) return two(whole, [MINUTE_MS, 'm'], [SECOND_MS, 's'])
  if (whole < 3 * HOUR_MS) return `${Math.floor(whole / MINUTE_MS)}m`
  if (whole < 8 * HOUR_MS) return two(whole, [HOUR_MS, 'h'], [MINUTE_MS, 'm'])
  if (whole < 2 * DAY_MS) return `${Math.floor(whole / HOUR_MS)}h`
  if (whole < 8 * DAY_MS) return two(whole, [DAY_MS, 'd'], [HOUR_MS, 'h'])
  return `${Math.floor(whole / DAY_MS)}d`
}

type Unit = readonly [ms: number, letter: string]

function two(ms: number, [bigMs, big]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.floor((ms % bigMs) / smallMs)
  return `${Math.floor(ms / bigMs)}${big}${rest === 0 ? '' : `${rest}${small}`}`
}
