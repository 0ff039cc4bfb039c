import { invariant } from '../../ground/model/invariant.ts'
import type { Accepted, Broken, Connection, NetworkReply, NetworkRequest } from './network.ts'
import type { Path } from './path.ts'
import { Pipe } from './pipe.ts'
import type { Wire } from './wire.ts'

interface ConnectionParts {
  readonly wire: Wire
  readonly path: Path
  readonly accepted: Accepted
}

/** Both ends of a connection and what is under way between them. Each end knows only what has reached it. */
export class VirtualConnection implements Connection {
  readonly #wire: Wire
  readonly #accepted: Accepted
  readonly #there: Pipe
  readonly #back: Pipe
  #isOpenHere = true
  #isOpenThere = true
  #waiting: ((reply: NetworkReply | Broken) => void) | undefined
  #closedListeners: (() => void)[] = []

  constructor({ wire, path, accepted }: ConnectionParts) {
    this.#wire = wire
    this.#accepted = accepted
    this.#there = new Pipe({ wire, path, way: 'there', onReset: () => this.#endHere() })
    this.#back = new Pipe({ wire, path, way: 'back', onReset: () => this.#endThere() })
    accepted.bind(() => this.#closeThere())
  }

  get isOpen(): boolean {
    return this.#isOpenHere
  }

  send(request: NetworkRequest, done: (reply: NetworkReply | Broken) => void): void {
    invariant(this.#waiting === undefined, 'a second request while the first is under way')
    if (!this.#isOpenHere) {
      this.#wire.atOnce(() => done('broken'))
      return
    }
    this.#waiting = done
    this.#there.put(() => this.#ask(request))
  }

  onClosed(run: () => void): void {
    this.#closedListeners.push(run)
  }

  close(): void {
    if (!this.#isOpenHere) return
    this.#isOpenHere = false
    this.#waiting = undefined
    this.#there.put(() => this.#endThere())
  }

  /** At the other end. Where that one has closed it, its word is on the way already. */
  #ask(request: NetworkRequest): void {
    if (!this.#isOpenThere) return
    let isAnswered = false
    this.#accepted.request(request, (reply) => {
      if (isAnswered || !this.#isOpenThere) return
      isAnswered = true
      this.#back.put(() => this.#hear(reply))
    })
  }

  #hear(reply: NetworkReply): void {
    const done = this.#waiting
    this.#waiting = undefined
    done?.(reply)
  }

  #closeThere(): void {
    if (!this.#isOpenThere) return
    this.#isOpenThere = false
    this.#back.put(() => this.#endHere())
  }

  #endHere(): void {
    if (!this.#isOpenHere) return
    this.#isOpenHere = false
    const done = this.#waiting
    this.#waiting = undefined
    done?.('broken')
    for (const run of this.#closedListeners) run()
  }

  #endThere(): void {
    if (!this.#isOpenThere) return
    this.#isOpenThere = false
    this.#accepted.closed()
  }
}
