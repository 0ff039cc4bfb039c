import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Clock } from '../ports/clock.ts'

const LIMIT_MS = 2_000

/** The addresses of a name, as this machine resolves it; empty where that takes longer than two seconds. */
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
    // The name is only known behind a jump host, or is no host: it matches nothing.
    return []
  }
}
