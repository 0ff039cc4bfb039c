import { MalformedReply, Untrusted } from '../../ground/model/untrusted.ts'
import type { Page } from '../../ground/ports/http-door.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { Neighbours } from '../decide/neighbours.ts'
import { parseIngressRequest, reviewIngress } from '../decide/review.ts'
import { reviewAnswer } from '../decide/review-answer.ts'

interface ReviewsParts {
  /** What is known now; rejects where nothing is known yet. */
  readonly around: () => Promise<Neighbours>
  readonly log: Log
}

/** How often the webhook was asked, by what became of it. */
export interface ReviewCounts {
  readonly allowed: number
  readonly refused: number
  /** No answer was given: the request made no sense, or nothing is known yet. */
  readonly failed: number
}

/** Answers what an API server asks before it stores an IngressDaemonSet. Every replica does, and not the leader alone. */
export class IngressReviews {
  readonly #parts: ReviewsParts
  #lastFailure: string | undefined
  #counts: ReviewCounts = { allowed: 0, refused: 0, failed: 0 }

  constructor(parts: ReviewsParts) {
    this.#parts = parts
  }

  counts(): ReviewCounts {
    return this.#counts
  }

  /** 400 for what is no review, and 500 where none can be made: the API server then goes by its failurePolicy. */
  async answer(body: string): Promise<Page> {
    try {
      const request = parseIngressRequest(new Untrusted(JSON.parse(body), 'review'))
      const answer = reviewAnswer(request.uid, reviewIngress(request, await this.#parts.around()))
      this.#count(answer.response.allowed ? 'allowed' : 'refused')
      return { status: 200, contentType: 'application/json', body: JSON.stringify(answer) }
    } catch (error) {
      this.#count('failed')
      if (error instanceof SyntaxError || error instanceof MalformedReply)
        return page(400, `no review of an IngressDaemonSet: ${error.message}\n`)
      // Whatever was sent, this process has a cluster to look after, and a log that is read.
      const reason = String(error)
      if (reason !== this.#lastFailure) this.#parts.log.warn('webhook: a review failed', { reason })
      this.#lastFailure = reason
      return page(500, 'the review failed\n')
    }
  }

  #count(what: keyof ReviewCounts): void {
    this.#counts = { ...this.#counts, [what]: this.#counts[what] + 1 }
  }
}

const page = (status: number, body: string): Page => ({ status, contentType: 'text/plain; charset=utf-8', body })
