import type { Connection, Destination, Network, NetworkReply, NetworkRequest } from '../network/network.ts'

/** What a client heard of its request. `isReused`: the connection had carried requests before. */
export type Heard =
  | { readonly kind: 'reply'; readonly reply: NetworkReply }
  | { readonly kind: 'refused' }
  | { readonly kind: 'broken'; readonly isReused: boolean }

/** How far a request has come. */
export type LinePhase = 'connect' | 'wait'

interface LineParts {
  readonly network: Network
  readonly to: Destination
  /** The connection stays open for the next request, until the other end closes it. */
  readonly isKept: boolean
}

/** One connection at a time to one destination, and one request at a time on it. */
export class Line {
  readonly #parts: LineParts
  #connection: Connection | undefined
  #phase: LinePhase = 'connect'
  #isBusy = false
  /** The number of the current request: an answer to an earlier request is dropped. */
  #turn = 0

  constructor(parts: LineParts) {
    this.#parts = parts
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  /** `heard` is called at most once, and never where no answer comes. */
  ask(request: NetworkRequest, heard: (what: Heard) => void): void {
    this.#turn += 1
    this.#isBusy = true
    const turn = this.#turn
    const tell = (what: Heard): void => {
      this.#isBusy = false
      heard(what)
    }
    if (this.#connection?.isOpen) this.#send(this.#connection, { request, isReused: true, turn, tell })
    else this.#dial({ request, isReused: false, turn, tell })
  }

  /** Waits no longer, for whatever it waits: returns in which phase that was. */
  giveUp(): LinePhase {
    this.#turn += 1
    this.#isBusy = false
    this.#hangUp()
    return this.#phase
  }

  #dial(sending: Sending): void {
    this.#phase = 'connect'
    this.#parts.network.dial(this.#parts.to, (dialled) => {
      const isLate = sending.turn !== this.#turn
      if (dialled.kind === 'open' && isLate) dialled.connection.close()
      else if (dialled.kind === 'open') {
        this.#connection = dialled.connection
        this.#send(dialled.connection, sending)
      } else if (dialled.kind === 'refused' && !isLate) sending.tell({ kind: 'refused' })
    })
  }

  #send(connection: Connection, { request, isReused, turn, tell }: Sending): void {
    this.#phase = 'wait'
    connection.send(request, (reply) => {
      if (turn !== this.#turn) return
      if (reply === 'broken' || reply.closes === true || !this.#parts.isKept) this.#hangUp()
      tell(reply === 'broken' ? { kind: 'broken', isReused } : { kind: 'reply', reply })
    })
  }

  #hangUp(): void {
    this.#connection?.close()
    this.#connection = undefined
  }
}

interface Sending {
  readonly request: NetworkRequest
  readonly isReused: boolean
  readonly turn: number
  readonly tell: (what: Heard) => void
}
