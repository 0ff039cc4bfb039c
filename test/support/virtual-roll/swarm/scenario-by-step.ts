import type { Step } from '../../../../src/model/step.ts'
import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import { CELLS, type Cell, cellOf, type FaultName } from './cells.ts'
import type { Cue } from './cue.ts'
import type { Fault } from './fault.ts'
import { namedFault } from './named-fault.ts'

/** Seeds from here on are drawn by step, and those before it by time alone. */
export const FIRST_BY_STEP = 1_000_000

/** They are over before anything else can come, unless something holds them up. */
const SHORT: ReadonlySet<Step> = new Set(['slot', 'record', 'cordon', 'uncordon'])
/** Faults that are seen only where something is asked for again and again, or that are to fall into the middle. */
const SLOW_BESIDE = 0.6

/** What steps bring about: one fault in one step, the next of all that there are; and now and then another in any step. */
export function cuesOf(random: SeededRandom, number: number): readonly Cue[] {
  const main = cellOf(number - FIRST_BY_STEP)
  const more = random.next() < 0.5 ? 0 : 1 + random.below(2)
  const others = Array.from({ length: more }, () => CELLS[random.below(CELLS.length)] ?? main)
  const isLate = random.next() < 0.1
  return [
    cueOf(random, main, { nth: 1, isLate: false }),
    ...others.map((cell) => cueOf(random, cell, { nth: random.next() < 0.8 ? 1 : 2, isLate })),
  ]
}

/** `isLate`: not while the step goes, but right after it. */
function cueOf(
  random: SeededRandom,
  { step, fault }: Cell,
  { nth, isLate }: { readonly nth: 1 | 2; readonly isLate: boolean },
): Cue {
  const isShort = SHORT.has(step)
  const isHeldUp = isShort && random.next() < (LASTS_NOT.has(fault) ? 0.3 : SLOW_BESIDE)
  const isLasting = !LASTS_NOT.has(fault)
  const afterMs = delayOf(random, (isShort && !isHeldUp) || isLasting)
  const faults = namedFault(random, fault)
  if (isLate || !isHeldUp) return { step, when: isLate ? 'ends' : 'begins', nth, afterMs, faults }
  const slow: Fault = { kind: 'api', what: 'slow', share: 1, fromMs: -afterMs, toMs: random.between(3_000, 6_000) }
  return { step, when: 'begins', nth, afterMs, faults: [...faults, slow] }
}

/** Often at once, since what a step does first it does within milliseconds. */
function delayOf(random: SeededRandom, isShort: boolean): number {
  const die = random.next()
  if (die < 0.4) return 0
  return isShort || die < 0.6 ? random.between(0, 8) : random.between(0, 2_500)
}

/** They happen at one moment. */
const LASTS_NOT: ReadonlySet<FaultName> = new Set([
  'watchesStop',
  'logForgotten',
  'leaseDeleted',
  'reload.forgets',
  'reload.keeps',
  'byHand.drain',
  'byHand.maint',
  'byHand.ready',
  'nodeAnew',
  'cordoned',
  'uncordoned',
  'clock',
  'kill',
  'amended',
  'journalLost',
])

/**
 * What people change in the file that they resume by: the soak, the limits, or which nodes are still to come. Now and then
 * it is a file that the run stands against: another namespace of the slot, or another set of backends.
 */
export function amendsOf(random: SeededRandom, names: readonly string[]): Readonly<Record<string, unknown>> {
  const die = random.next()
  const longer = { soak: '3s', settle: { limit: '40s', timesInARow: 3 } }
  if (die < 0.1) return { ...longer, slots: { namespace: 'elsewhere', leaseDuration: '15s' } }
  if (die < 0.2) return { ...longer, balancers: [{ ...BALANCER, backends: ['web'] }] }
  if (die < 0.3) return { ...longer, balancers: [{ ...BALANCER, name: 'another' }] }
  return die < 0.6 ? longer : { ...longer, nodes: { names: names.slice(0, 1 + random.below(names.length)) } }
}

const BALANCER = {
  name: 'lb',
  instances: [{ name: 'lb-1', socket: '/run/haproxy.sock' }],
  backends: ['web', 'edge'],
}
