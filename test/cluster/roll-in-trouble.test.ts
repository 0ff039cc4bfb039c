import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { HELD_ROWS } from '../scenarios/trouble/held-rows.ts'
import { meetsTrouble } from '../scenarios/trouble/meets-trouble.ts'
import { OTHERS_WORK_ROWS } from '../scenarios/trouble/others-work-rows.ts'
import { PASSING_ROWS } from '../scenarios/trouble/passing-rows.ts'
import { requires } from '../support/requires.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'
import { RealTrouble } from '../support/trouble/real-trouble.ts'

/**
 * In virtual time alone: an API server that is away in the other phases, and a second budget. Where a pod has its labels back though it is
 * replaced, its ReplicaSet removes one of the two at once, and an app that exits at once loses what is on its way to that one.
 */
const ROWS = [...HELD_ROWS, ...OTHERS_WORK_ROWS, ...PASSING_ROWS].filter(
  ({ title }) => !/ step | write (evict|withdrawPod) |second budget/.test(title),
)

describeAtNight('a roll that meets something bad, on real nodes', requires('testbed'), () => {
  let ground: RealTrouble | undefined
  before(async () => {
    ground = await RealTrouble.open()
  })
  after(() => ground?.close())

  for (const row of ROWS) {
    atNight(`${row.title} (exit ${row.exit})`, { timeout: 420_000 }, async () => {
      assert.ok(ground)
      await meetsTrouble(ground, row)
    })
  }
})
