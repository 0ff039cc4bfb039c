import { Backoff } from '../../ground/loop/backoff.ts'
import { slotRef } from '../../ground/model/slot.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { BudgetReading } from '../../service/decide/budget/budget-reading.ts'
import type { BudgetWatch } from '../../service/run/budget-watch.ts'
import type { LeaseKeeper } from '../../service/run/lease-keeper.ts'
import type { RunState } from './run-state.ts'

const READ_AGAIN = { baseMs: 1_000, capMs: 30_000 }

interface GivingBack {
  readonly run: RunState
  readonly keeper: LeaseKeeper
  readonly budget?: BudgetWatch
  readonly clock: Clock
  readonly random: Random
  readonly say: (text: string) => void
}

/** A process that died after its last node left only its slot, which no other run would get for a while. */
export async function giveBack({ run, keeper, budget, ...parts }: GivingBack, signal: AbortSignal): Promise<void> {
  const { say } = parts
  const name = run.restoresAs ?? run.id
  const slots = budget === undefined ? [] : await slotsRead({ budget, ...parts }, signal)
  const own = slots.filter(({ owner }) => owner.run === name).map(({ index }) => index)
  for (const index of own.length === 0 ? [0] : own) {
    const lease = slotRef(run.spec.slots.namespace, index).name
    const kept = ({ message }: Error): void =>
      say(`Lease ${lease} cannot be released yet: ${message}; the roll ends when the API has answered`)
    await keeper.giveBack(signal, kept, index)
  }
}

/** Any slot may be the one that was left: which one is not known before all of them were read once. */
async function slotsRead(
  { budget, clock, random, say }: Pick<GivingBack, 'clock' | 'random' | 'say'> & { readonly budget: BudgetWatch },
  signal: AbortSignal,
): Promise<BudgetReading['slots']> {
  const backoff = new Backoff(READ_AGAIN, random)
  let isSaid = false
  for (;;) {
    const { slots, isUnread, fault } = await budget.read(signal)
    if (isUnread !== true) return slots
    if (!isSaid) say(`${fault?.text ?? 'the node budget could not be read'}; the roll ends when the API has answered`)
    isSaid = true
    await clock.sleep(backoff.nextMs(), signal)
  }
}
