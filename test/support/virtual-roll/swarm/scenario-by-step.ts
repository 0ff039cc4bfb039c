import type { Step } from '../../../../src/roll/model/step.ts'
import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import { CELLS, type Cell, cellOf, type FaultName, FIRST_CELLS } from './cells.ts'
import type { Cue } from './cue.ts'
import type { Fault } from './fault.ts'
import { namedFault } from './named-fault.ts'

/** Seeds from here on are drawn by step, and those before it by time alone. */
export const FIRST_BY_STEP = 1_000_000
/** Seeds from here on know faults that those before it do not. */
export const FIRST_WITH_MORE = 1_000_000_000

const cellsOf = (number: number): readonly Cell[] => (number < FIRST_WITH_MORE ? FIRST_CELLS : CELLS)
const mainCell = (number: number): Cell => cellOf(number - FIRST_BY_STEP, cellsOf(number))

/** They are over before anything else can come, unless a slow API or a slow balancer holds them up. */
const HELD_UP_BY: ReadonlyMap<Step, 'api' | 'balancer'> = new Map([
  ['slot', 'api'],
  ['record', 'api'],
  ['cordon', 'api'],
  ['detach', 'balancer'],
  ['uncordon', 'api'],
  ['attach', 'balancer'],
])
/** Faults that are seen only where something is asked for again and again, or that are to fall into the middle. */
const SLOW_BESIDE = 0.6

/** What steps bring about: one fault in one step, the next of all that there are; and now and then another in any step. */
export function cuesOf(random: SeededRandom, number: number): readonly Cue[] {
  const main = mainCell(number)
  const cells = cellsOf(number)
  const more = random.next() < 0.5 ? 0 : 1 + random.below(2)
  const others = Array.from({ length: more }, () => cells[random.below(cells.length)] ?? main)
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
  const holder = HELD_UP_BY.get(step)
  const isLasting = !LASTS_NOT.has(fault)
  // While a balancer is asked, hardly anything is asked of the API but that the slot is renewed.
  const isQuiet = holder === 'balancer' && fault.startsWith('api.')
  const isHeldUp = holder !== undefined && random.next() < (isQuiet ? 0.95 : isLasting ? SLOW_BESIDE : 0.3)
  const afterMs = delayOf(random, { isShort: (holder !== undefined && !isHeldUp) || isLasting, step })
  const faults = namedFault(random, { step, fault })
  // A boot goes wrong only where it was to before it came.
  if (fault.startsWith('machine.')) return { step: 'reboot', when: 'begins', nth, afterMs: 0, faults }
  if (isLate || !isHeldUp) return { step, when: isLate ? 'ends' : 'begins', nth, afterMs, faults }
  const span = { fromMs: -afterMs, toMs: isQuiet ? random.between(6_000, 9_000) : random.between(3_000, 6_000) }
  const slow: Fault =
    holder === 'api'
      ? { kind: 'api', what: 'slow', share: 1, ...span }
      : { kind: 'balancerSlow', byMs: random.between(isQuiet ? 1_200 : 500, 1_500), ...span }
  const longer = faults.map((one) => (isQuiet && 'toMs' in one ? { ...one, toMs: span.toMs } : one))
  return { step, when: 'begins', nth, afterMs, faults: [...longer, slow] }
}

/** Often at once, since what a step does first it does within milliseconds. */
function delayOf(random: SeededRandom, { isShort, step }: { readonly isShort: boolean; readonly step: Step }): number {
  const die = random.next()
  if (die < 0.4) return 0
  if (isShort || die < 0.6) return random.between(0, step === 'attach' || step === 'detach' ? 1 : 5)
  return random.between(0, LONG.has(step) ? 2_500 : 800)
}

/** They last for seconds. */
const LONG: ReadonlySet<Step> = new Set(['drain', 'reboot', 'proof', 'soak'])

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
  'oneWatchStops.nodes',
  'oneWatchStops.pods',
])

/** Nodes that are cordoned before any roll, where there would be nothing else to uncordon. */
export function cordonedBefore(number: number, drawn: readonly string[]): readonly string[] {
  const { step, fault } = mainCell(number)
  return fault === 'uncordoned' && UNCORDONED_ONLY_BEFORE.has(step) ? ['n1'] : drawn
}

const UNCORDONED_ONLY_BEFORE: ReadonlySet<Step> = new Set(['slot', 'record', 'settle', 'attach', 'soak'])

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
