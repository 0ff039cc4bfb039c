import type { Clock } from '../../ground/ports/clock.ts'
import type { Answer } from '../../service/model/answer.ts'
import type { AgentDecision } from '../decide/decide.ts'
import type { AgentBeside } from '../ports/agent-beside.ts'
import type { AgentStatus } from './agent-status.ts'

interface TakeOverParts {
  /** Another agent that answers at the same address and port, if there is one. */
  readonly beside: () => Promise<AgentBeside | undefined>
  readonly status: () => Pick<AgentStatus, 'heard' | 'isKeptKnown' | 'isDataPortAsked' | 'decision' | 'ingress'>
  /** Shorter than a new pod must be ready before the old one ends. */
  readonly limitMs: number
  readonly clock: Clock
}

const POLL_EVERY_MS = 50
/** Temporary reasons for which an agent that has just begun does not say `up` of a healthy node. */
const FOR_NOW: ReadonlySet<string> = new Set(['ColdStart', 'Returning', 'BrakeUnknown'])

/**
 * An agent that begins beside another one opens no port before it can answer as well as that one. A client reaches either of
 * the two: a health check could get `down` for a healthy node, and the kubelet's readiness check of the OLD agent could be
 * answered by the new one, and the old one be removed. Resolves with `alone` where there is no other agent (any more), with
 * `late` where it did not know its answer at the limit: then it should end. Rejects with the signal's reason.
 */
export async function takeOver(parts: TakeOverParts, signal: AbortSignal): Promise<'alone' | 'ready' | 'late'> {
  const { beside, status, limitMs, clock } = parts
  const until = clock.monoMs() + limitMs
  for (;;) {
    const other = await beside()
    if (other === undefined) return 'alone'
    // The check takes time: an agent that is ready after the limit may find no other one any more, and should not begin.
    if (clock.monoMs() >= until) return 'late'
    const { heard, isKeptKnown, isDataPortAsked, decision, ingress } = status()
    // A `drain` because of a request that cannot be read does not come from the other agent.
    const isHeard = heard && (ingress?.heard ?? true)
    const isKnowing = isHeard && isKeptKnown && isDataPortAsked && other.silentPort === undefined
    if (isKnowing && isSettled(decision, other.answer)) return 'ready'
    await clock.sleep(POLL_EVERY_MS, signal)
  }
}

/**
 * A data port where nothing answers is more likely a wrong one, unless the other agent is known not to say `up` either:
 * otherwise one node after the other would leave, and no brake stops that.
 */
const isSettled = ({ answer, reasons }: AgentDecision, other: Answer = 'up'): boolean =>
  answer === 'up' || !reasons.some(({ code }) => FOR_NOW.has(code) || (code === 'DataPortClosed' && other === 'up'))
