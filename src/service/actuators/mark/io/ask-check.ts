import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { filledUrlFault, fillHoldUrl } from '../../../../ground/model/hold-url.ts'
import type { Node } from '../../../../ground/model/node.ts'
import { OVER } from '../../../../ground/model/over.ts'
import { present } from '../../../../ground/model/present.ts'
import type { ProbeTarget } from '../../../../ground/model/probe.ts'
import { NodeHttpProbe } from '../../../../ground/net/node-http-probe.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'
import type { HttpVerdict } from '../../../../ground/ports/http-probe.ts'
import type { CheckReading, NodeCheck } from '../../../model/health-check.ts'

export type CheckAnswer = Pick<Extract<CheckReading, { asked: true }>, 'answer' | 'text'>

const SHOWN = 160

/** The health check of each node, asked over a connection of its own each time, as load balancers do. */
export class NodeChecks {
  readonly #check: NodeCheck
  readonly #clock: Clock
  readonly #probe = new NodeHttpProbe()
  readonly #targets = new Map<string, ProbeTarget>()

  constructor(check: NodeCheck, clock: Clock) {
    this.#check = check
    this.#clock = clock
  }

  /** Rejects only with the reason of the signal. Only an answer can be a refusal. */
  async ask({ name: node, internalAddresses: [address = ''] }: Node, signal: AbortSignal): Promise<CheckAnswer> {
    const url = fillHoldUrl(this.#check.url, { node, address })
    const fault = filledUrlFault(url)
    if (fault !== undefined) return { answer: 'unheard', text: `its URL cannot be used: ${fault}` }
    const { timeoutMs } = this.#check
    const over = new AbortController()
    const limited = AbortSignal.any([signal, over.signal])
    const late = this.#clock
      .sleep(timeoutMs, limited)
      .then((): HttpVerdict => ({ failure: 'noResponse', error: 'late' }))
    try {
      const verdict = await Promise.race([this.#probe.ask(this.#target(url), 'new', limited), late])
      signal.throwIfAborted()
      return answerOf(verdict, this.#check)
    } finally {
      over.abort(OVER)
      late.catch(() => undefined)
    }
  }

  #target(url: string): ProbeTarget {
    const known = this.#targets.get(url)
    if (known !== undefined) return known
    const { expectStatus, expectBody, insecure, timeoutMs } = this.#check
    const target: ProbeTarget = {
      name: url,
      url,
      control: false,
      ratePerSecond: 1,
      keptShare: 0,
      keptConnections: 0,
      timeoutMs,
      expectStatus,
      servedByHeader: '',
      ...present({ expectBody, insecure }),
    }
    this.#targets.set(url, target)
    return target
  }
}

function answerOf({ failure, error = '' }: HttpVerdict, { expectBody, timeoutMs }: NodeCheck): CheckAnswer {
  const text = escapeForeign(error, SHOWN)
  if (failure === undefined && error === '') return { answer: 'good', text: 'good' }
  // An answer that is no HTTP has no status. A body that does not end is no answer, unless a text is looked for in it.
  const isRefusal = failure === 'status' ? /^HTTP \d/.test(error) : failure === 'content' && expectBody !== undefined
  if (isRefusal) return { answer: 'refused', text }
  const isLate = failure === 'noResponse' && error === 'late'
  return { answer: 'unheard', text: isLate ? `it did not answer in ${timeoutMs} ms` : text }
}
