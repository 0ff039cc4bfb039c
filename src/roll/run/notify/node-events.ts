import { withDeadline } from '../../../ground/loop/deadline.ts'
import type { ObjectNotice } from '../../../ground/model/object-notice.ts'
import { OVER } from '../../../ground/model/over.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { ObjectNotices } from '../../../ground/ports/object-notices.ts'
import { type NodeNoticeRun, nodeNotice } from '../../decide/notify/node-notice.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import { Outbox } from './outbox.ts'

interface NodeEventsParts {
  readonly run: NodeNoticeRun
  readonly notices: ObjectNotices
  readonly clock: Clock
  readonly warn: (text: string) => void
}

type HoldEvent = Extract<StampedEvent, { readonly type: 'hold.started' | 'hold.changed' }>

/** Most holds are over within seconds, and are worth no Event. */
const HOLD_FOR_MS = 30_000
const CALL_LIMIT_MS = 10_000
/** At the end of a roll, a person waits for the prompt. */
const CLOSE_LIMIT_MS = 5_000

/**
 * Writes what a roll does to a node as Events of that Node, beside the roll: nothing waits for an Event but the end, and no failure stops a
 * roll. A hold that lasts is written once for each set of reasons of a step, however often it changes.
 */
export class NodeEvents {
  readonly #parts: NodeEventsParts
  readonly #outbox: Outbox<ObjectNotice>
  /** What was written of holds in the step in work, so that each is written once. */
  #holds = new Set<string>()
  /** The latest event of the hold under way. */
  #hold: HoldEvent | undefined
  #holdTimer: AbortController | undefined
  #hasWarned = false
  #isForbidden = false

  constructor(parts: NodeEventsParts) {
    this.#parts = parts
    this.#outbox = new Outbox({ clock: parts.clock, send: (notice, signal) => this.#write(notice, signal) })
  }

  note(event: StampedEvent): void {
    switch (event.type) {
      case 'hold.started':
        this.#hold = event
        this.#waitForHold()
        return
      case 'hold.changed':
        this.#hold = event
        if (this.#holdTimer === undefined) this.#tellHold()
        return
      case 'hold.ended':
      case 'roll.ended':
        this.#endHold()
        return
      case 'step.started':
        this.#endHold()
        this.#holds = new Set()
    }
    this.#tell(event)
  }

  /** Waits until all is written, for no longer than a few seconds. */
  async close(): Promise<void> {
    this.#endHold()
    await this.#outbox.close(CLOSE_LIMIT_MS)
  }

  #waitForHold(): void {
    this.#holdTimer?.abort(OVER)
    const timer = new AbortController()
    this.#holdTimer = timer
    this.#parts.clock.sleep(HOLD_FOR_MS, timer.signal).then(
      () => {
        this.#holdTimer = undefined
        this.#tellHold()
      },
      () => undefined,
    )
  }

  #tellHold(): void {
    if (this.#hold === undefined) return
    const { node, reasons } = this.#hold
    const key = JSON.stringify([node, ...reasons.map(({ code }) => code)])
    if (this.#holds.has(key)) return
    this.#holds.add(key)
    this.#tell(this.#hold)
  }

  #endHold(): void {
    this.#holdTimer?.abort(OVER)
    this.#holdTimer = undefined
    this.#hold = undefined
  }

  #tell(event: StampedEvent): void {
    const notice = nodeNotice(event, this.#parts.run)
    if (notice !== undefined) this.#outbox.put(notice)
  }

  async #write(notice: ObjectNotice, signal: AbortSignal): Promise<void> {
    if (this.#isForbidden || signal.aborted) return
    const { notices, clock } = this.#parts
    const limits = { clock, limitMs: CALL_LIMIT_MS, signal, what: 'the API server' }
    try {
      await withDeadline(limits, (ofCall) => notices.tell(notice, ofCall))
    } catch (error) {
      this.#isForbidden = error instanceof WorldError && error.code === 'KUBE_FORBIDDEN'
      if (error !== OVER) this.#warnOnce(error instanceof Error ? error.message : String(error))
    }
  }

  #warnOnce(fault: string): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const [what, fix] = this.#isForbidden
      ? [
          'This run writes no Events on nodes',
          '; to have them, kubectl apply -f deploy/roll-rbac.yaml, and bind it to this identity',
        ]
      : ['An Event on a node was not written', '']
    this.#parts.warn(`${what}: ${fault}${fix}`)
  }
}
