import type { Timers } from '../../ground/ports/timers.ts'
import type { Connection, Network, NetworkReply } from '../network/network.ts'
import type { CheckLimits, Limit } from './check-limits.ts'
import type { CheckResult, CheckStatus } from './server-check.ts'

/** What is asked: a server, or its agent. */
export interface Asked {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly interMs: number
  readonly timeoutMs?: number
  readonly check: { readonly rests: boolean; isRunning: boolean }
  /** `said`: the body of an answer. */
  ended(result: CheckResult, said: string): void
}

interface CheckLoopParts {
  readonly network: Network
  readonly timers: Timers
  readonly nowMs: () => number
  readonly limits: CheckLimits
  readonly connectTimeoutMs: number
}

type End = (status: CheckStatus, more?: { readonly code?: number; readonly said?: string }) => void

/** Asks again and again; the next time `inter` after the last answer, or after the limit for one. */
export class CheckLoop {
  readonly #parts: CheckLoopParts
  readonly #asked: Asked
  /** Of what is planned. */
  #callOff: () => void = () => undefined
  #limit: Limit | undefined
  #connection: Connection | undefined
  /** Counts checks, so that a late answer is not taken for that of a later one. */
  #round = 0

  constructor(parts: CheckLoopParts, asked: Asked) {
    this.#parts = parts
    this.#asked = asked
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
    if (this.#asked.check.rests) this.start(this.#asked.interMs)
    else this.#begin()
  }

  #begin(): void {
    const { network, nowMs, connectTimeoutMs } = this.#parts
    const { host, port, path, interMs, timeoutMs, check } = this.#asked
    const sure = network.sureAnswer?.({ host, port }, { path })
    if (sure !== undefined) {
      this.#end({ ...outcomeOf(sure), durationMs: 0 }, sure.body)
      return
    }
    const round = ++this.#round
    const startedAtMs = nowMs()
    const end: End = (status, { code = 0, said = '' } = {}) => {
      if (round === this.#round) this.#end({ status, code, durationMs: nowMs() - startedAtMs }, said)
    }
    check.isRunning = true
    // Without `timeout check` one limit holds for the whole of it.
    const connectLimitMs = timeoutMs === undefined ? interMs : Math.min(connectTimeoutMs, interMs)
    this.#limitTo(connectLimitMs, () => end('L4TOUT'))
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

  #ask(connection: Connection, end: End): void {
    this.#connection = connection
    connection.send({ path: this.#asked.path }, (answer) => {
      if (answer === 'broken') end('L7RSP')
      else {
        const { status, code } = outcomeOf(answer)
        end(status, { code, said: answer.body })
      }
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

  #end(result: CheckResult, said: string): void {
    this.#round += 1
    this.#noLimit()
    this.#connection?.close()
    this.#connection = undefined
    this.#asked.check.isRunning = false
    this.#asked.ended(result, said)
    this.start(this.#asked.interMs)
  }
}

const outcomeOf = ({ status: code }: NetworkReply): Pick<CheckResult, 'status' | 'code'> => ({
  status: code >= 200 && code < 400 ? 'L7OK' : 'L7STS',
  code,
})
