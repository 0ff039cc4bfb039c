import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import type { FailureClass, ProbeTarget } from '../model/probe.ts'
import type { HttpVerdict } from '../ports/http-probe.ts'
import { BODY_LIMIT_BYTES, BodyCheck } from './body-check.ts'
import { closedUnanswered } from './closed-unanswered.ts'
import { errorCode, errorText } from './error-text.ts'
import { failureClass, isOwnFault, type Phase } from './failure-class.ts'

/** A target with all that is the same for each of its requests. */
export interface PreparedTarget {
  readonly target: ProbeTarget
  readonly options: RequestOptions
  readonly secure: boolean
  /** A literal address needs no look-up. */
  readonly firstPhase: Phase
}

export function prepareTarget(target: ProbeTarget): PreparedTarget {
  const url = new URL(target.url)
  const options = urlToHttpOptions(url)
  const headers = { 'user-agent': 'evenkeel-probe', accept: '*/*' }
  return {
    target,
    options: { ...options, headers, method: 'GET', ...(target.insecure === true ? { rejectUnauthorized: false } : {}) },
    secure: url.protocol === 'https:',
    firstPhase: isIP(String(options.hostname)) === 0 ? 'dns' : 'connect',
  }
}

interface Asking {
  readonly prepared: PreparedTarget
  readonly agent: Agent
  /** The connection is free again, or closed. */
  readonly onReleased: () => void
}

/**
 * One GET whose answer is read to the end. Settles once, whatever the other side does; redirects are not followed. Where its kept
 * connection was closed before the first byte of an answer, it is repeated on a new connection, within the time that is left.
 */
export function askOnce(asking: Asking, signal: AbortSignal): Promise<HttpVerdict> {
  const { prepared, agent, onReleased } = asking
  return new Promise((resolve) => {
    const request = (prepared.secure ? https : http).request({ ...prepared.options, agent })
    const exchange = new Exchange(request, prepared, resolve)
    const onAbort = (): void => exchange.abort(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    request.once('close', () => {
      signal.removeEventListener('abort', onAbort)
      if (!exchange.isToRepeat) return onReleased()
      // The agent has let go of the connection, and has no other: this ends, since a request on a new one is never repeated.
      void askOnce(asking, signal).then((verdict) => resolve({ ...verdict, retried: true }))
    })
    if (signal.aborted) onAbort()
    request.end()
  })
}

class Exchange {
  readonly #request: ClientRequest
  readonly #prepared: PreparedTarget
  readonly #settle: (verdict: HttpVerdict) => void
  readonly #wasClosedUnanswered: (error: Error) => boolean
  #phase: Phase
  #aborted = false
  #isToRepeat = false
  #answer: IncomingMessage | undefined

  constructor(request: ClientRequest, prepared: PreparedTarget, settle: (verdict: HttpVerdict) => void) {
    this.#request = request
    this.#prepared = prepared
    this.#settle = settle
    this.#phase = prepared.firstPhase
    this.#wasClosedUnanswered = closedUnanswered(request)
    request.once('socket', () => this.#followSocket())
    request.once('response', (answer: IncomingMessage) => this.#read(answer))
    // The request asked for no other protocol; without a listener it would look like a reset connection.
    request.once('upgrade', (answer: IncomingMessage) => {
      this.#answer = answer
      this.#fail('status', statusText(answer))
      request.destroy()
    })
    // An error may come more than once, and after the verdict; there must always be a listener.
    request.on('error', (error) => this.#break(error))
  }

  /** It has no verdict, and its connection is closed next. */
  get isToRepeat(): boolean {
    return this.#isToRepeat
  }

  abort(reason: unknown): void {
    this.#aborted = true
    this.#request.destroy(reason instanceof Error ? reason : new Error(String(reason)))
  }

  #followSocket(): void {
    const { socket } = this.#request
    if (socket === null || !socket.connecting) {
      this.#phase = 'wait'
      return
    }
    socket.once('lookup', (error) => {
      if (error === null) this.#advance('connect')
    })
    socket.once('connect', () => this.#advance(this.#prepared.secure ? 'tls' : 'wait'))
    if (this.#prepared.secure) socket.once('secureConnect', () => this.#advance('wait'))
  }

  #advance(phase: Phase): void {
    if (this.#phase !== 'body') this.#phase = phase
  }

  #read(answer: IncomingMessage): void {
    this.#phase = 'body'
    this.#answer = answer
    const body = new BodyCheck(this.#prepared.target.expectBody)
    answer.on('data', (chunk: Buffer) => {
      if (body.take(chunk)) return
      this.#fail('content', `the body is larger than ${BODY_LIMIT_BYTES} bytes`)
      this.#request.destroy()
    })
    answer.on('error', (error) => this.#break(error))
    answer.once('end', () => this.#judge(answer, body))
  }

  #judge(answer: IncomingMessage, body: BodyCheck): void {
    const [low, high] = this.#prepared.target.expectStatus
    const status = answer.statusCode ?? 0
    if (!answer.complete) this.#fail('body', 'the body ended early')
    else if (status < low || status > high) this.#fail('status', statusText(answer))
    else if (!body.found) this.#fail('content', 'the body does not contain the expected text')
    else this.#settle(this.#servedBy())
  }

  #break(error: Error): void {
    if (this.#isToRepeat) return
    const code = errorCode(error)
    const { statusCode } = this.#answer ?? {}
    const [low, high] = this.#prepared.target.expectStatus
    // A bad status stays one, however its body ends.
    if (this.#answer !== undefined && statusCode !== undefined && (statusCode < low || statusCode > high)) {
      this.#fail('status', statusText(this.#answer))
    } else if (!this.#aborted && isOwnFault(code)) {
      this.#settle({ error: errorText(error), proberFault: true })
    } else if (!this.#aborted && this.#wasClosedUnanswered(error)) {
      this.#isToRepeat = true
    } else {
      const reused = this.#request.reusedSocket
      this.#fail(failureClass({ phase: this.#phase, aborted: this.#aborted, reused, code }), errorText(error))
    }
  }

  #fail(failure: FailureClass, error: string): void {
    this.#settle({ failure, error: error.slice(0, 300), ...this.#servedBy() })
  }

  #servedBy(): { readonly servedBy?: string } {
    const value = this.#answer?.headers[this.#prepared.target.servedByHeader.toLowerCase()]
    const name = Array.isArray(value) ? value[0] : value
    return name === undefined ? {} : { servedBy: name.slice(0, 100) }
  }
}

const statusText = (answer: IncomingMessage): string =>
  `HTTP ${answer.statusCode ?? 0} ${answer.statusMessage ?? ''}`.trimEnd()
