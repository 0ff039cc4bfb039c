import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Run, unlessVoid } from '../support/roll-bed/unless-void.ts'

const VALID: Run = { failedRequests: 0, sentRequests: 1_000, skippedRequests: 1 }
const FAILED: Run = { failedRequests: 3, sentRequests: 1_000, skippedRequests: 0 }
const VOID: Run = { failedRequests: 0, sentRequests: 90, skippedRequests: 10 }
const VOID_WITH_FAILURES: Run = { failedRequests: 2, sentRequests: 90, skippedRequests: 10 }

async function judged(runs: readonly Run[], isCi = true): Promise<{ readonly run: Run; readonly said: string[] }> {
  const said: string[] = []
  const left = runs[Symbol.iterator]()
  const next = async (): Promise<Run> => left.next().value ?? VALID
  return { run: await unlessVoid({ diagnostic: (text) => said.push(text) }, next, isCi), said }
}

test('a run that measured is the answer, whatever it measured', async () => {
  assert.deepEqual(await judged([VALID]), { run: VALID, said: [] })
  assert.deepEqual(await judged([FAILED]), { run: FAILED, said: [] })
})

test('a void run is named, and made once more', async () => {
  assert.deepEqual(await judged([VOID, FAILED]), {
    run: FAILED,
    said: ['void, made once more: the judge skipped 10 requests beside 90 that it sent'],
  })
})

test('a void run in which requests failed is a failure', async () => {
  await assert.rejects(judged([VOID_WITH_FAILURES, VALID]), /2 requests failed in a void run/)
  await assert.rejects(judged([VOID, VOID_WITH_FAILURES], false), /2 requests failed in a void run/)
})

test('two void runs in a row are a failure in CI, and are named elsewhere', async () => {
  await assert.rejects(judged([VOID, VOID]), /two void runs in a row measured nothing/)
  const { run, said } = await judged([VOID, VOID], false)
  assert.deepEqual(run, VOID)
  assert.equal(said[1], 'void again: the judge skipped 10 requests beside 90 that it sent')
})
