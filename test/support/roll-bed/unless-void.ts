import type { TestContext } from 'node:test'
import { type Counted, isVoid } from './judge.ts'

/**
 * A run in which the judge was kept from measuring is told and made once more. Where the machine is too busy for the
 * second one too, that is told as well: what it did measure is judged all the same, and proves that much less.
 */
export async function unlessVoid<J extends Counted>(t: TestContext, run: () => Promise<J>): Promise<J> {
  const first = await run()
  if (!isVoid(first)) return first
  t.diagnostic(`void, made once more: the judge skipped ${first.skippedRequests} beside ${first.sentRequests}`)
  const second = await run()
  if (isVoid(second))
    t.diagnostic(`void again: the judge skipped ${second.skippedRequests} beside ${second.sentRequests}`)
  return second
}
