import { slotRef } from '../../model/slot.ts'
import type { LeaseKeeper } from '../../runtime/lease-keeper.ts'
import type { BudgetWatch } from './budget-watch.ts'
import type { RunState } from './run-state.ts'

interface GivingBack {
  readonly run: RunState
  readonly keeper: LeaseKeeper
  readonly budget?: BudgetWatch
  readonly say: (text: string) => void
}

/** A process that died after its last node left only its slot, which no other run would get for a while. */
export async function giveBack({ run, keeper, budget, say }: GivingBack, signal: AbortSignal): Promise<void> {
  const name = run.restoresAs ?? run.id
  const { slots = [] } = (await budget?.read(signal)) ?? {}
  const own = slots.filter(({ owner }) => owner.run === name).map(({ index }) => index)
  for (const index of own.length === 0 ? [0] : own) {
    const lease = slotRef(run.spec.slots.namespace, index).name
    const kept = ({ message }: Error): void =>
      say(`Lease ${lease} cannot be released yet: ${message}; the roll ends when the API has answered`)
    await keeper.giveBack(signal, kept, index)
  }
}
