import { type Loop, Reconciler } from '../../src/ground/loop/reconciler.ts'
import type { LoopDecision } from '../../src/ground/model/loop-decision.ts'
import type { Reason } from '../../src/ground/model/reason.ts'
import { SeededRandom } from './seeded-random.ts'
import { VirtualClock } from './virtual-clock.ts'

export const WHY: readonly Reason[] = [{ code: 'GrantsChange', text: 'it is so' }]
export const SETTLED: LoopDecision<string> = { kind: 'settled', reasons: WHY }

/** A loop over a number that is to become zero, one effect a pass. */
export function aLoop(change: Partial<Loop<number, string>> = {}) {
  const clock = new VirtualClock()
  const warned: (readonly [string, unknown])[] = []
  const world = { left: 3, mayActForMs: 10_000, done: [] as string[], looks: 0 }
  const loop: Loop<number, string> = {
    name: 'countdown',
    gather: async () => {
      world.looks += 1
      return world.left
    },
    decide: (left) => (left === 0 ? SETTLED : { kind: 'act', actions: [`take ${left}`], reasons: WHY }),
    perform: async (action) => {
      world.left -= 1
      world.done.push(action)
    },
    decided: () => undefined,
    ...change,
  }
  const reconciler = new Reconciler({
    loop,
    leader: { mayActForMs: () => world.mayActForMs },
    clock,
    random: new SeededRandom(1),
    log: { debug: () => undefined, warn: (text, facts) => warned.push([text, facts]) },
    sweepMs: 60_000,
  })
  return { clock, world, reconciler, warned }
}
