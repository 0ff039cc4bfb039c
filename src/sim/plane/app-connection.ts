import type { Accepted, NetworkReply, NetworkRequest } from '../network/network.ts'

/** The app, as one of its connections needs it. */
export interface AppSide {
  answer(request: NetworkRequest, reply: (reply: NetworkReply) => void): void
  /** Its request is answered and it waits for the next one, or it is closed. */
  settled(connection: AppConnection): void
}

/** One connection to the app. `new`: no request has come yet. */
export class AppConnection implements Accepted {
  readonly #app: AppSide
  #state: 'new' | 'busy' | 'idle' | 'closed' = 'new'
  #close: (() => void) | undefined

  constructor(app: AppSide) {
    this.#app = app
  }

  get state(): 'new' | 'busy' | 'idle' | 'closed' {
    return this.#state
  }

  bind(close: () => void): void {
    this.#close = close
  }

  request(request: NetworkRequest, reply: (reply: NetworkReply) => void): void {
    this.#state = 'busy'
    this.#app.answer(request, (answer) => {
      if (this.#state !== 'busy') return
      reply(answer)
      this.#state = 'idle'
      if (answer.closes === true) this.close()
      else this.#app.settled(this)
    })
  }

  closed(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#app.settled(this)
  }

  close(): void {
    if (this.#state === 'closed') return
    this.#close?.()
    this.closed()
  }
}
