import type { ServerReading } from '../model/balancer.ts'
import { ADDRESSES_OUT } from './budget/serves-nothing.ts'
import { PLACES } from './match-node-servers.ts'

/** To be called with each reading of an instance and the one before it. It changes no answer. */
export function keepIndexes(before: readonly ServerReading[], now: readonly ServerReading[]): void {
  PLACES.keep(before, now)
  ADDRESSES_OUT.keep(before, now)
}
