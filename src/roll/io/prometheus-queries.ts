import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { HttpReplies, type ReplyParts, shownUrl } from '../../ground/net/http-replies.ts'
import type { MetricAnswer, MetricQueries, MetricQuestion } from '../ports/metric-queries.ts'
import { instantAnswer } from './prometheus-answer.ts'

const SHOWN_ERROR_CHARACTERS = 200

/**
 * Instant queries of Prometheus, and of servers with the same API: https://prometheus.io/docs/prometheus/latest/querying/api/.
 */
export class PrometheusQueries implements MetricQueries {
  readonly #replies: HttpReplies

  constructor(parts: ReplyParts) {
    this.#replies = new HttpReplies(parts)
  }

  async instant({ url: base, query, headers, timeoutMs }: MetricQuestion, signal: AbortSignal): Promise<MetricAnswer> {
    const url = queryUrl(base, query)
    const asked = `GET ${shownUrl(url)}`
    const reply = await this.#replies.get({ url, headers, timeoutMs, wantsBody: () => true }, signal)
    if (reply === undefined) return { kind: 'unknown', why: `${asked} has no whole answer within ${timeoutMs} ms` }
    if ('error' in reply)
      return { kind: 'unknown', why: `${asked} failed: ${escapeForeign(reply.error, SHOWN_ERROR_CHARACTERS)}` }
    const { head, body = Buffer.alloc(0) } = reply
    if (head.location !== undefined && head.status >= 300 && head.status <= 399)
      return { kind: 'unknown', why: `${asked} answered ${head.status}, a redirect; it is not followed` }
    const answer = instantAnswer(head.status, body.toString('utf8'))
    return answer.kind === 'value' ? answer : { kind: 'unknown', why: `${asked} ${answer.why}` }
  }
}

/** The base may have a path, as behind a reverse proxy, and a query, such as `dedup=true` of Thanos. */
function queryUrl(base: string, query: string): URL {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/query`
  url.searchParams.set('query', query)
  return url
}
