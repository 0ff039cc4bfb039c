type ParsedDuration = { readonly ms: number } | { readonly error: string }

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }
const LONGEST_MS = 366 * 24 * 3_600_000
const PART = /(\d+(?:\.\d+)?)\s*(ms|min|[smh])/y

/**
 * `30s`, `1.5 s`, `10 min`, `1h30m`: a number always has a unit (ms, s, min or h; m is min). The error is a sentence without
 * the name of the field; at most a year, never negative.
 */
export function parseDuration(text: string): ParsedDuration {
  const trimmed = text.trim()
  if (/^\d+(\.\d+)?$/.test(trimmed)) {
    return trimmed === '0' ? { ms: 0 } : { error: `"${trimmed}" has no unit: write ms, s, min or h` }
  }
  let ms = 0
  let at = 0
  let smallest = Number.POSITIVE_INFINITY
  while (at < trimmed.length) {
    PART.lastIndex = at
    const part = PART.exec(trimmed)
    const unitMs = UNIT_MS[part?.[2] ?? '']
    if (part === null || unitMs === undefined || unitMs >= smallest) return notADuration(trimmed)
    smallest = unitMs
    ms += Number(part[1]) * unitMs
    at = PART.lastIndex
    while (trimmed[at] === ' ') at += 1
  }
  if (smallest === Number.POSITIVE_INFINITY) return notADuration(trimmed)
  return ms > LONGEST_MS ? { error: `"${trimmed}" is longer than a year` } : { ms }
}

const notADuration = (text: string): ParsedDuration => ({
  error: `"${text}" is not a duration: write a number with ms, s, min or h, as in 30s or 10min`,
})

const dropZero = (big: string, small: number, unit: string): string => (small === 0 ? big : `${big} ${small} ${unit}`)

/** For people, in sentences: `340 ms`, `4.2 s`, `46 s`, `12 min 10 s`, `1 h 3 min`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`
  if (ms < 999.5) return `${ms > 0 && ms < 0.95 ? Math.max(0.1, Number(ms.toFixed(1))) : Math.round(ms)} ms`
  if (ms < 9_950) return `${Number((ms / 1_000).toFixed(1))} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return dropZero(`${Math.floor(seconds / 60)} min`, seconds % 60, 's')
  const minutes = Math.round(seconds / 60)
  return dropZero(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min')
}

/** For columns: `0:41`, `12:10`, `1:03:20`. */
export function formatMinSec(ms: number): string {
  const seconds = Math.round(Math.max(0, ms) / 1_000)
  const two = (n: number): string => String(n).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  const tail = two(seconds % 60)
  return minutes < 60 ? `${minutes}:${tail}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${tail}`
}
