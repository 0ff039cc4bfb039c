import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { isVoid, type Judgement } from './judge.ts'

/** A run in which the judge was kept from measuring proves nothing, for or against: it is told, and made once more. */
export async function unlessVoid(t: TestContext, run: () => Promise<Judgement>): Promise<Judgement> {
  const first = await run()
  if (!isVoid(first)) return first
  t.diagnostic(`void, made once more: the judge skipped ${first.skippedRequests} beside ${first.sentRequests}`)
  const second = await run()
  assert.equal(isVoid(second), false, 'the judge measured all the time')
  return second
}
