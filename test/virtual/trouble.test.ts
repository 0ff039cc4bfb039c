import { HELD_ROWS } from '../scenarios/trouble/held-rows.ts'
import { meetsTrouble } from '../scenarios/trouble/meets-trouble.ts'
import { OTHERS_WORK_ROWS } from '../scenarios/trouble/others-work-rows.ts'
import { PASSING_ROWS } from '../scenarios/trouble/passing-rows.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { VirtualTrouble } from '../support/trouble/virtual-trouble.ts'

const test = simulationTest(import.meta.url)

for (const row of [...HELD_ROWS, ...OTHERS_WORK_ROWS, ...PASSING_ROWS]) {
  test(`in a roll: ${row.title} (exit ${row.exit})`, async (t) => {
    const ground = await VirtualTrouble.open('trouble')
    t.after(() => ground.end())
    await ground.done(meetsTrouble(ground, row))
  })
}
