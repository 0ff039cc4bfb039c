import { Backoff } from '../../ground/loop/backoff.ts'
import { retryAfterMs } from '../../ground/loop/lease-holder.ts'
import { slotRef } from '../../ground/model/slot.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { BudgetReading } from '../../service/decide/budget/budget-reading.ts'
import type { BudgetWatch } from '../../service/run/budget-watch.ts'
import type { LeaseKeeper } from '../../service/run/lease-keeper.ts'
import type { RunState } from './run-state.ts'

const AGAIN = { baseMs: 1_000, capMs: 30_000 }

interface GivingBack {
  readonly run: RunState
  readonly keeper: LeaseKeeper
  readonly budget?: BudgetWatch
  readonly clock: Clock
  readonly random: Random
  readonly say: (text: string) => void
}

/**
 * A process that died after its last node left only its slot, which no other run would get for a while. Nobody renews it: once the API has
 * not answered for its duration, it is stale, and the roll waits no longer.
 */
export async function giveBack({ keeper, budget, ...parts }: GivingBack, signal: AbortSignal): Promise<void> {
  const { run, clock } = parts
  const name = run.restoresAs ?? run.id
  const until = clock.monoMs() + run.spec.slots.leaseDurationMs
  const slots = budget === undefined ? [] : await slotsRead({ ...parts, budget, until }, signal)
  const own = slots.filter(({ owner }) => owner.run === name).map(({ index }) => index)
  for (const index of own.length === 0 ? [0] : own) await released({ ...parts, keeper, index, until }, signal)
}

type Limited = Omit<GivingBack, 'keeper' | 'budget'> & { readonly until: number }

async function released(
  { run, keeper, index, until, clock, random, say }: Limited & Pick<GivingBack, 'keeper'> & { readonly index: number },
  signal: AbortSignal,
): Promise<void> {
  const lease = slotRef(run.spec.slots.namespace, index).name
  const backoff = new Backoff(AGAIN, random)
  for (let tries = 0; ; tries += 1) {
    const answer = await keeper.giveBack(signal, index)
    if (answer.kind === 'free' || answer.kind === 'lost') return
    const { message } = answer.error
    if (answer.kind === 'stale' || clock.monoMs() >= until) {
      say(`Lease ${lease} is not released: ${message}; nobody renews it, so that other runs take it`)
      return
    }
    if (tries === 0) say(`Lease ${lease} cannot be released yet: ${message}; ${ENDS}`)
    await clock.sleep(backoff.nextMs(retryAfterMs(answer.error)), signal)
  }
}

/** Any slot may be the one that was left: which one is not known before all of them were read once. */
async function slotsRead(
  { budget, until, clock, random, say }: Limited & { readonly budget: BudgetWatch },
  signal: AbortSignal,
): Promise<BudgetReading['slots']> {
  const backoff = new Backoff(AGAIN, random)
  let isSaid = false
  for (;;) {
    const { slots, isUnread, fault } = await budget.read(signal)
    if (isUnread !== true || clock.monoMs() >= until) return slots
    if (!isSaid) say(`${fault?.text ?? 'the node budget could not be read'}; ${ENDS}`)
    isSaid = true
    await clock.sleep(backoff.nextMs(), signal)
  }
}

const ENDS = 'the roll ends when the API has answered, or once the Lease is stale'
