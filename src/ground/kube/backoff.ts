const FIRST_MS = 200
const MAX_MS = 10_000
const MIN_MS = 20

/**
 * How long to wait after this many failures in a row: a random time up to a limit that doubles (full jitter), so that clients
 * which failed together do not come back together. `dice` is uniform in [0, 1).
 */
export function backoffMs(failures: number, dice: number): number {
  const limit = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16))
  return MIN_MS + Math.floor(dice * (limit - MIN_MS))
}
