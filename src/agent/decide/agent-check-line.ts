import type { MonoMs } from '../../ground/model/time.ts'
import type { Answer } from '../../service/model/answer.ts'

/**
 * In HAProxy's words (configuration.txt 5.2, `agent-check`). `drain` alone does not lift a server that an agent took down,
 * and `up` lifts no drain: an operator's own drain or maint is never undone, and ours only by `up ready`.
 */
const LINES: Readonly<Record<Answer, string>> = { up: 'up', drain: 'up drain', down: 'down' }

/** Addresses that got `drain` as an answer and have not all received the end of it. */
export type OwedReady = Readonly<Record<string, { readonly told: number; readonly since?: MonoMs }>>

export interface CheckerSpec {
  /** Checkers behind an address: backends × processes. Those of others are not known. */
  readonly checkers: Readonly<Record<string, number>>
  /** The longest `agent-inter` of any checker. */
  readonly intervalMs: number
}

interface Asked {
  readonly address: string
  readonly answer: Answer
  readonly now: MonoMs
}

/** If the number of checkers is not declared: within this many intervals, each checker of an address has asked. */
const INTERVALS_UNDECLARED = 3

/**
 * The line for one checker. Several checkers ask from one address, each for itself. All of them have received `up ready` once it
 * was sent as often as there are checkers and one further interval has passed, since one may ask twice before another.
 */
export function agentCheckLine(
  owed: OwedReady,
  { address, answer, now }: Asked,
  spec: CheckerSpec,
): { readonly line: string; readonly owed: OwedReady } {
  if (answer === 'drain')
    return { line: LINES.drain, owed: isFresh(owed[address]) ? owed : begun(owed, address, address in spec.checkers) }
  const debt = owed[address]
  if (debt === undefined) return { line: LINES[answer], owed }
  // The checker that asks now does not learn that the drain is over: the agent has to send it from the start again.
  if (answer === 'down') return { line: LINES.down, owed: isFresh(debt) ? owed : { ...owed, [address]: { told: 0 } } }
  if (isHeard(debt, spec.checkers[address], { now, intervalMs: spec.intervalMs })) {
    const { [address]: _paid, ...others } = owed
    return { line: LINES.up, owed: others }
  }
  return { line: 'up ready', owed: { ...owed, [address]: sentOnce(debt, spec.checkers[address] ?? 1, now) } }
}

/** An undeclared address that has not asked for this long since the drain was over may belong to another checker by now. */
const UNDECLARED_FOR_MS = 600_000

/** The addresses that are still owed after the answer has been `up` for so long. */
export function stillOwed(owed: OwedReady, upForMs: number, { checkers, intervalMs }: CheckerSpec): OwedReady {
  if (upForMs <= Math.max(UNDECLARED_FOR_MS, INTERVALS_UNDECLARED * intervalMs)) return owed
  const kept = Object.entries(owed).filter(([address]) => address in checkers)
  return kept.length === Object.keys(owed).length ? owed : Object.fromEntries(kept)
}

/** All addresses, as if each had just received `drain`. */
export const owedAnew = (addresses: readonly string[]): OwedReady =>
  Object.fromEntries(addresses.map((address) => [address, { told: 0 }]))

type Debt = OwedReady[string]

function isHeard(
  { since }: Debt,
  declared: number | undefined,
  { now, intervalMs }: { readonly now: MonoMs; readonly intervalMs: number },
): boolean {
  const intervals = declared === undefined ? INTERVALS_UNDECLARED : 1
  return since !== undefined && now - since > intervals * intervalMs
}

/** `since`: when it was sent often enough. */
function sentOnce(debt: Debt, checkers: number, now: MonoMs): Debt {
  const told = debt.told + 1
  if (debt.since !== undefined) return { told, since: debt.since }
  return told >= checkers ? { told, since: now } : { told }
}

const isFresh = (debt: OwedReady[string] | undefined): boolean => debt !== undefined && debt.told === 0

/** More addresses than any fleet of balancers has. Beyond that, further addresses are owed nothing. */
const OWED_MAX = 256

const begun = (owed: OwedReady, address: string, isDeclared: boolean): OwedReady =>
  isDeclared || Object.keys(owed).length < OWED_MAX ? { ...owed, [address]: { told: 0 } } : owed
