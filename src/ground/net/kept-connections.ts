import type { Agent } from 'node:http'

interface Member {
  readonly agent: Agent
  busy: boolean
}

interface Loan {
  readonly agent: Agent
  readonly giveBack: () => void
}

/**
 * The connections of a kept lane, each with an agent of its own: a shared pool would queue requests behind a slow one, and so
 * measure only as often as the server allows.
 */
export class KeptConnections {
  readonly #members: readonly Member[]
  readonly #extra: Agent
  #next = 0

  /** `extra` opens a connection for one request only. */
  constructor(agents: readonly Agent[], extra: Agent) {
    this.#members = agents.map((agent) => ({ agent, busy: false }))
    this.#extra = extra
  }

  /** The next free connection in turn; where all are busy, one for this request only. Never waits. */
  lend(): Loan {
    const count = this.#members.length
    for (let tried = 0; tried < count; tried += 1) {
      const at = (this.#next + tried) % count
      const member = this.#members[at]
      if (member === undefined || member.busy) continue
      this.#next = at + 1
      member.busy = true
      const giveBack = (): void => {
        member.busy = false
      }
      return { agent: member.agent, giveBack }
    }
    return { agent: this.#extra, giveBack: () => undefined }
  }

  close(): void {
    for (const member of this.#members) member.agent.destroy()
  }
}
