import type { Timers } from '../../ground/ports/timers.ts'
import type { Connection, Network } from '../network/network.ts'
import type { CheckLimits, Limit } from './check-limits.ts'
import type { Server } from './server.ts'
import type { CheckResult, CheckStatus, ServerCheck } from './server-check.ts'

interface CheckLoopParts {
  readonly network: Network
  readonly timers: Timers
  readonly nowMs: () => number
  readonly limits: CheckLimits
  readonly connectTimeoutMs: number
}

/** Asks one server again and again; the next time `inter` after the last answer, or after the limit for one. */
export class CheckLoop {
  readonly #parts: CheckLoopParts
  readonly #server: Server
  readonly #check: ServerCheck
  /** Of what is planned. */
  #callOff: () => void = () => undefined
  #limit: Limit | undefined
  #connection: Connection | undefined
  /** Counts checks, so that a late answer is not taken for that of a later one. */
  #round = 0

  constructor(parts: CheckLoopParts, server: Server, check: ServerCheck) {
    this.#parts = parts
    this.#server = server
    this.#check = check
  }

  start(inMs: number): void {
    this.#callOff = this.#parts.timers.later(inMs, () => this.#due())
  }

  stop(): void {
    this.#round += 1
    this.#callOff()
    this.#noLimit()
    this.#connection?.close()
  }

  #due(): void {
    if (this.#check.isPaused) this.start(this.#check.config.interMs)
    else this.#begin()
  }

  #begin(): void {
    const { network, nowMs, connectTimeoutMs } = this.#parts
    const { interMs, timeoutMs } = this.#check.config
    const round = ++this.#round
    const startedAtMs = nowMs()
    const end = (status: CheckStatus, code = 0): void => {
      if (round === this.#round) this.#end({ status, code, durationMs: nowMs() - startedAtMs })
    }
    this.#check.isRunning = true
    // Without `timeout check` one limit holds for the whole of it.
    const connectLimitMs = timeoutMs === undefined ? interMs : Math.min(connectTimeoutMs, interMs)
    this.#limitTo(connectLimitMs, () => end('L4TOUT'))
    const { address: host, port: dataPort } = this.#server.config
    const { port = dataPort } = this.#check.config
    network.dial({ host, port }, (dialled) => {
      if (round !== this.#round) {
        if (dialled.kind === 'open') dialled.connection.close()
        return
      }
      if (dialled.kind === 'silent') return
      if (dialled.kind === 'refused') {
        end('L4CON')
        return
      }
      const leftMs = timeoutMs ?? interMs - (nowMs() - startedAtMs)
      this.#limitTo(leftMs, () => end('L7TOUT'))
      this.#ask(dialled.connection, end)
    })
  }

  #ask(connection: Connection, end: (status: CheckStatus, code?: number) => void): void {
    this.#connection = connection
    connection.send({ path: this.#check.config.path }, (answer) => {
      if (answer === 'broken') end('L7RSP')
      else end(answer.status >= 200 && answer.status < 400 ? 'L7OK' : 'L7STS', answer.status)
    })
  }

  #limitTo(ms: number, expired: () => void): void {
    this.#noLimit()
    const { limits, nowMs } = this.#parts
    this.#limit = { atMs: nowMs() + ms, isOver: false, expired }
    limits.set(this.#limit)
  }

  #noLimit(): void {
    if (this.#limit !== undefined) this.#limit.isOver = true
    this.#limit = undefined
  }

  #end(result: CheckResult): void {
    this.#round += 1
    this.#noLimit()
    this.#connection?.close()
    this.#connection = undefined
    this.#check.isRunning = false
    this.#server.checked(result)
    this.start(this.#check.config.interMs)
  }
}
