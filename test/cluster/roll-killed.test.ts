import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { STEPS, type Step } from '../../src/model/step.ts'
import { requires } from '../support/requires.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import type { Judgement } from '../support/roll-bed/judge.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

const real = requires('testbed')

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false) opened = await RollBed.open({ fast: true })
})
after(async () => opened?.close())

/** Every step once, spread over the nodes. */
const nodeOf = (step: Step): string => `n${(STEPS.indexOf(step) % 3) + 1}`

test('a roll killed in every step and resumed loses no request and reboots each node once', {
  ...real,
  timeout: 600_000,
}, async (t) => {
  const judged = await unlessVoid(t, killedInEveryStep)
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
})

async function killedInEveryStep(): Promise<Judgement> {
  const boots = new BootCounter(bed().bed)
  const judge = bed().judge()
  let roll = bed().roll('-f', bed().file(), '--yes')
  const due = ['n1', 'n2', 'n3'].flatMap((node) =>
    STEPS.filter((step) => nodeOf(step) === node).map((step) => ({ step, node })),
  )
  for (const { step, node } of due) {
    await roll.untilStep(step, node)
    roll.kill('SIGKILL')
    assert.equal((await roll.ended()).signal, 'SIGKILL')
    roll = bed().roll('resume')
  }
  const end = await roll.ended()
  const judged = await judge.verdict()
  assert.equal(end.code, 0, `${end.stderr}\n${end.stdout.slice(-2000)}`)
  assert.deepEqual(await boots.stop(), { n1: 1, n2: 1, n3: 1 })
  assert.deepEqual(await bed().leftovers(), [])
  return judged
}
