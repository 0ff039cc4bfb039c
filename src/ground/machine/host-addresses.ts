import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Clock } from '../ports/clock.ts'

const LIMIT_MS = 2_000

/** What a name stands for, as this machine resolves it; nothing where it does not within two seconds. */
export async function hostAddresses(name: string, clock: Clock, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(name) !== 0) return [name]
  const settled = new AbortController()
  const late = clock.sleep(LIMIT_MS, AbortSignal.any([signal, settled.signal])).then(() => [])
  try {
    return await Promise.race([resolved(name), late])
  } finally {
    settled.abort()
  }
}

async function resolved(name: string): Promise<readonly string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address)
  } catch {
    // Known only behind a jump, or no host at all: it matches nothing.
    return []
  }
}
