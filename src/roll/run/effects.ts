import { type Action, isRestoring } from '../../service/model/action.ts'
import type { Outcome } from '../../service/model/outcome.ts'
import { describeAction } from './describe-action.ts'
import type { EventLog } from './event-log.ts'
import type { NodeOverlay } from './node-overlay.ts'
import type { Performer } from './perform.ts'
import { rebootWords } from './reboot-words.ts'

interface EffectsParts {
  readonly performer: Pick<Performer, 'perform'>
  readonly events: EventLog
  readonly overlay: NodeOverlay
}

/** The one way of every effect, within a pass and between two: named in the journal, done, reported. */
export class Effects {
  readonly #parts: EffectsParts

  constructor(parts: EffectsParts) {
    this.#parts = parts
  }

  /** What of these may be done: all of them once the journal has on disk what disrupts, else what restores. */
  async begun(actions: readonly Action[]): Promise<readonly Action[]> {
    const disruptive = actions.filter((action) => !isRestoring(action))
    const isOnDisk = disruptive.length === 0 || (await this.#parts.events.meant({ actions: disruptive }))
    return isOnDisk ? actions : actions.filter(isRestoring)
  }

  /** What was begun before is done again: the journal names it again, and the entry of the first time is what counts. */
  again(action: Action): void {
    this.#parts.events.note('meant', { actions: [action] })
  }

  /** `lastError`: what it was refused with the last time, which is reported once. */
  async do(action: Action, signal: AbortSignal, lastError?: string): Promise<Outcome> {
    const { performer, events, overlay } = this.#parts
    const outcome = await performer.perform(action, signal)
    if (outcome.ok && outcome.node !== undefined) overlay.wrote(outcome.node)
    if (!outcome.ok && outcome.error === lastError) return outcome
    const { ok, text: why } = outcome.ok
      ? (rebootWords(outcome.reboot) ?? { ok: true, text: undefined })
      : { ok: false, text: outcome.error }
    const text = why === undefined ? describeAction(action) : `${describeAction(action)}: ${why}`
    events.emit({ type: 'write', node: action.node, action: action.kind, text, ok })
    return outcome
  }

  /** It was meant, and at the last moment something stood against it. */
  leftUndone(actions: readonly Action[], why: string): void {
    for (const action of actions) {
      const text = `${describeAction(action)}: not done, since ${why}`
      this.#parts.events.emit({ type: 'write', node: action.node, action: action.kind, text, ok: false })
    }
  }
}
