import { present } from '../model/present.ts'
import { Untrusted } from '../model/untrusted.ts'
import type { Clock } from '../ports/clock.ts'
import type { ApiClient } from './api-client.ts'
import { replyError } from './api-error.ts'
import { readJson } from './read-body.ts'

const CALL = { verb: 'get', resource: '/version', path: '/version' } as const

/** `Date` has whole seconds. */
const DATE_MS = 1_000

interface ServerAnswer {
  readonly version: string
  /** How far the answering clock is ahead of ours, at least; absent where the answer has no time. */
  readonly aheadMs?: number
}

/** The server's version, and the difference between its clock and ours. Every identity may ask for it. */
export async function serverAnswer(
  { client, clock }: { readonly client: Pick<ApiClient, 'stream'>; readonly clock: Clock },
  signal: AbortSignal,
): Promise<ServerAnswer> {
  const asked = clock.wallMs()
  const head = await client.stream(CALL, signal)
  const ahead = leastAhead(Date.parse(head.headers.date ?? ''), { asked, answered: clock.wallMs() })
  const body = await readJson(head)
  try {
    const version = new Untrusted(body, 'object').at('gitVersion').text()
    return { version, ...present({ aheadMs: ahead }) }
  } catch (error) {
    throw replyError(CALL, error)
  }
}

/** The date was written between the two times, and up to a second of it was cut off. */
function leastAhead(
  date: number,
  { asked, answered }: { readonly asked: number; readonly answered: number },
): number | undefined {
  if (Number.isNaN(date)) return undefined
  const [least, most] = [date - answered, date + DATE_MS - asked]
  if (least > 0) return least
  return most < 0 ? most : 0
}
