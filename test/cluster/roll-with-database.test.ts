import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { killedInEveryStep } from '../scenarios/killed.ts'
import { reloadedInSteps6And7, TOLD_BESIDE_OTHERS_MS } from '../scenarios/reloads.ts'
import { volumesFirst } from '../scenarios/stages.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { isVoid } from '../support/roll-bed/judge.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

const real = { ...requires('testbed'), timeout: 600_000 }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}
const ground = new RealGround(bed)

before(async () => {
  if (real.skip === false) opened = await RollBed.open({ fast: true, judgeRate: RATE_BESIDE_OTHERS })
})
after(async () => opened?.close())

test('a roll killed in every step and resumed loses no request and reboots each node once', real, async (t) => {
  const judged = await unlessVoid(t, () => killedInEveryStep(ground))
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
})

atNight(
  'the roll repeats its commands after HAProxy is reloaded in steps 6 and 7; lost requests are counted and attributed to the reload',
  real,
  async (t) => {
    await bed().settled()
    await bed().bed.setDarkMs('n3', 3000)
    const { byRoll, judged, reasons } = await reloadedInSteps6And7(
      new RealGround(bed, { rate: 100 }),
      TOLD_BESIDE_OTHERS_MS,
    )
    if (isVoid(judged)) t.diagnostic(`the judge skipped ${judged.skippedRequests} of ${judged.sentRequests}`)
    t.diagnostic(`lost to two reloads: ${byRoll} of the roll, ${judged.failedRequests} of the judge`)
    for (const reason of reasons) t.diagnostic(reason)
    await bed().bed.setDarkMs('n3', 500)
  },
)

// Last: the volumes that it leaves are attached by nothing any more.
test('pods with volumes are gone and their volumes detached before any other pod is evicted', real, async () => {
  await opened?.settled()
  await volumesFirst(ground)
})
