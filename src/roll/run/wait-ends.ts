import type { RollSnapshot } from '../decide/snapshot.ts'
import type { AnyDecision } from '../model/decision.ts'
import { STEPS } from '../model/step.ts'
import type { EventLog } from './event-log.ts'
import { idleEvent } from './idle-event.ts'
import { noticedEvent } from './noticed-event.ts'

/** Tells how the waits for load balancers that cannot be asked, and for what they left open, ended: each once. */
export class WaitEnds {
  readonly #events: Pick<EventLog, 'emit'>
  readonly #reported = new Set<string>()

  constructor(events: Pick<EventLog, 'emit'>) {
    this.#events = events
  }

  decided(node: string, { evidence, now, run }: RollSnapshot, decision: AnyDecision): void {
    for (const [server, seen] of Object.entries(evidence.noticing))
      if (seen.noticed !== undefined && this.#isNew(`${server} ${seen.way}`))
        this.#events.emit(noticedEvent({ node, server, seen, now }))
    // Not before the node goes on: a connection may still come where none was left.
    if (run.verdict !== undefined || !isPastDetach(decision)) return
    for (const [server, end] of Object.entries(evidence.connectionsEnded))
      if (this.#isNew(`${server} ${end.since}`)) this.#events.emit(idleEvent({ node, server, end }))
  }

  #isNew(what: string): boolean {
    const isNew = !this.#reported.has(what)
    this.#reported.add(what)
    return isNew
  }
}

const isPastDetach = (decision: AnyDecision): boolean =>
  decision.kind !== 'settled' && STEPS.indexOf(decision.step) > STEPS.indexOf('detach')
