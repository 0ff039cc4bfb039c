import { formatDuration } from '../model/duration.ts'

/** `06:18:45Z`, of milliseconds since the epoch. */
export const timeText = (at: number): string => `${isoTime(at).slice(0, 8)}Z`

/** `06:18:45.20Z`. */
export const preciseTimeText = (at: number): string => `${isoTime(at).slice(0, 11)}Z`

const isoTime = (at: number): string => new Date(at).toISOString().slice(11)

/** A value between two bounds: `0.30 to 0.34 s`; without the upper one `0.30 s or more`. */
export function boundsText(lowMs: number, highMs: number | undefined): string {
  if (highMs === undefined) return `${oneText(lowMs)} or more`
  if (highMs < 1000) return `${Math.round(lowMs)} to ${Math.round(highMs)} ms`
  if (highMs < 60_000) return `${seconds(lowMs)} to ${seconds(highMs)} s`
  return `${oneText(lowMs)} to ${oneText(highMs)}`
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2)
const oneText = (ms: number): string => (ms >= 1000 && ms < 60_000 ? `${seconds(ms)} s` : formatDuration(ms))
