import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { budgetNeverOpens, budgetOpensLater, podUnderTwoBudgets } from '../scenarios/budgets.ts'
import { reloadedInSteps4And5 } from '../scenarios/reloads.ts'
import { requires } from '../support/requires.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'
import type { RollExit } from '../support/roll-ground/roll-ground.ts'

const real = { ...requires('testbed'), timeout: 300_000 }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}
const ground = new RealGround(bed)

before(async () => {
  if (real.skip === false) {
    opened = await RollBed.open({
      fast: true,
      judgeRate: RATE_BESIDE_OTHERS,
      database: false,
      lb: { reloadsKeepClients: true },
    })
  }
})
beforeEach(async () => {
  await opened?.settled()
})
after(async () => opened?.close())

/** On the screen, and in what is told of the roll later. */
async function isTold({ shown }: RollExit, words: readonly string[]): Promise<void> {
  const report = await bed().roll('report', '-o', 'text').ended()
  for (const text of [shown, report.stdout].map((lines) => lines.replaceAll(/\s+/g, ' '))) {
    for (const word of words) assert.ok(text.includes(word), `${word} in ${text}`)
  }
}

test('a budget at its limit that opens 20 s later is waited for, by its name and numbers', real, async () => {
  await budgetOpensLater(ground)
})

test('a budget that never opens is given up at the limit, and everything is put back', real, async () => {
  await isTold(await budgetNeverOpens(ground), ['budget default/whoami needs 5 healthy, has 5 of 5'])
})

test('a pod under two budgets is given up at the limit, and both are named', real, async () => {
  const both = ['budget default/whoami (needs 4 healthy, has 5)', 'budget default/whoami-too (needs 1 healthy, has 5)']
  await isTold(await podUnderTwoBudgets(ground), both)
})

test('HAProxy reloaded in steps 4 and 5 is told again, and no request fails', real, async (t) => {
  const judged = await unlessVoid(t, () => reloadedInSteps4And5(ground))
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
})
