import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { budget } from '../../src/sim/cluster/article-workloads.ts'
import { requires } from '../support/requires.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import type { RollProcess } from '../support/roll-bed/roll-process.ts'

const real = { ...requires('testbed'), timeout: 200_000 }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false) opened = await RollBed.open({ fast: true, judgeRate: RATE_BESIDE_OTHERS, database: false })
})
beforeEach(async () => {
  await opened?.settled()
})
after(async () => opened?.close())

const rollOne = async (blockedLimit: string): Promise<RollProcess> => {
  const nodes = { names: [await bed().nodeWith('whoami')] }
  const file = bed().file({ spec: { nodes, drain: { daemonSets: ['app=edge'], blockedLimit } } })
  return bed().roll('-f', file, '--yes')
}

const heldBy = (roll: RollProcess, words: string) =>
  roll.until(
    `a hold with "${words}"`,
    (event) => event.type === 'hold.started' && event.reasons.some(({ text }) => text.includes(words)),
  )

test('a budget at its limit that opens 20 s later is waited for, by its name and numbers', real, async () => {
  await bed().bed.apply([budget('whoami', 'whoami', 5)])
  const judge = bed().judge()
  const roll = await rollOne('2min')
  const held = await heldBy(roll, 'budget default/whoami needs 5 healthy, has 5 of 5')
  const open = Date.parse(held.at) + 20_000
  await roll.until('20 s to pass', ({ at }) => Date.parse(at) >= open)
  await bed().bed.apply([budget('whoami', 'whoami', 4)])
  const end = await roll.ended()
  assert.equal(end.code, 0, `${end.stderr}\n${end.stdout.slice(-2000)}`)
  const judged = await judge.verdict()
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  assert.deepEqual(await bed().leftovers(), [])
})

/** Given up at the limit: exit 3, named with its numbers on the screen and in the report, and everything as it was. */
async function givenUp(roll: RollProcess, words: readonly string[]): Promise<void> {
  const boots = new BootCounter(bed().bed)
  const end = await roll.ended()
  assert.equal(end.code, 3, `${end.stderr}\n${end.stdout.slice(-2000)}`)
  const report = await bed().roll('report', '-o', 'text').ended()
  const shown = end.stderr.replaceAll(/\s+/g, ' ')
  for (const word of words) {
    assert.ok(shown.includes(word), `${word} in ${end.stderr}`)
    assert.ok(report.stdout.replaceAll(/\s+/g, ' ').includes(word), `${word} in ${report.stdout}`)
  }
  assert.deepEqual(await boots.stop(), { n1: 0, n2: 0, n3: 0 })
  assert.deepEqual(await bed().leftovers(), [])
}

test('a budget that never opens is given up at the limit, and everything is put back', real, async () => {
  await bed().bed.apply([budget('whoami', 'whoami', 5)])
  const judge = bed().judge()
  await givenUp(await rollOne('8s'), ['budget default/whoami needs 5 healthy, has 5 of 5'])
  const judged = await judge.verdict()
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  await bed().bed.apply([budget('whoami', 'whoami', 4)])
})

test('a pod under two budgets is given up at the limit, and both are named', real, async () => {
  await bed().bed.apply([budget('whoami-too', 'whoami', 1)])
  await givenUp(await rollOne('8s'), [
    'budget default/whoami (needs 4 healthy, has 5)',
    'budget default/whoami-too (needs 1 healthy, has 5)',
  ])
  await bed().bed.kubectl(['delete', 'poddisruptionbudget', 'whoami-too'])
})
