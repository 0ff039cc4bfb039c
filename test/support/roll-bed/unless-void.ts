import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { isVoid, type Judgement } from './judge.ts'

export type Run = Pick<Judgement, 'failedRequests' | 'sentRequests' | 'skippedRequests'>

/**
 * A run is void where the judge was kept from measuring: it proves nothing, and is made once more. A void run that counted
 * failures is a failure all the same, since what was measured did fail. Two void runs in a row prove nothing either: where
 * `isCi` they are a failure, elsewhere the second is judged by what it did measure. The closing lines of `test/run.ts` name
 * each void run.
 */
export async function unlessVoid<J extends Run>(
  t: Pick<TestContext, 'diagnostic'>,
  run: () => Promise<J>,
  isCi = process.env.CI === 'true',
): Promise<J> {
  const first = await run()
  if (!isVoid(first)) return first
  t.diagnostic(`void, made once more: ${skipped(first)}`)
  const second = await run()
  if (!isVoid(second)) return second
  t.diagnostic(`void again: ${skipped(second)}`)
  assert.equal(isCi, false, `two void runs in a row measured nothing: ${skipped(second)}`)
  return second
}

function skipped({ failedRequests, sentRequests, skippedRequests }: Run): string {
  const text = `the judge skipped ${skippedRequests} requests beside ${sentRequests} that it sent`
  assert.equal(failedRequests, 0, `${failedRequests} requests failed in a void run: ${text}`)
  return text
}
