import type { Reason } from '../../../src/ground/model/reason.ts'
import { evenkeel, kubectl } from '../../../src/ground/model/sentence.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { RunTeller } from './run-teller.ts'

const BUDGET: Reason = {
  code: 'BudgetExhausted',
  object: 'shop/cart-0',
  text: 'shop/cart-0 could not be evicted for 10 min: budget shop/cart needs 2 healthy pods and has 2 of 3',
  next: kubectl`-n shop describe pod cart-2`,
}

/** The second of four nodes could not be drained within the limit. */
export function heldRun(): readonly StampedEvent[] {
  const names = ['w-1', 'w-2', 'w-3', 'w-4']
  const teller = new RunTeller('prod-eu1', names)
  const facts = (name: string) => ({ pods: 8, servers: [`web/${name} on lb-1`, `web/${name} on lb-2`] })
  teller.node('w-1', facts('w-1')).ended('w-1')
  teller.begin('w-2')
  for (const step of ['slot', 'record', 'cordon', 'detach'] as const) teller.step('w-2', step, facts('w-2'))
  teller.emit({ type: 'step.started', node: 'w-2', step: 'drain', reasons: [] }).wait(12)
  teller.emit({ type: 'hold.started', node: 'w-2', step: 'drain', reasons: [BUDGET], limitMs: 600_000 }).wait(600)
  const out = teller.standing('w-2', {
    state: 'out',
    step: 'drain',
    cordoned: true,
    detached: true,
    podsMoved: 0,
    text: 'cordoned and detached; 0 of 8 pods moved',
  })
  const untouched = { state: 'notTouched', podsMoved: 0, text: 'not touched' } as const
  teller.emit({
    type: 'roll.ended',
    outcome: 'held',
    exitCode: 3,
    reasons: [BUDGET],
    standings: [teller.standing('w-1'), out, teller.standing('w-3', untouched), teller.standing('w-4', untouched)],
    next: [evenkeel`roll resume`, evenkeel`roll abort`],
    load: teller.load(),
  })
  return teller.events
}
