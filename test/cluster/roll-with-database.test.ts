import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { killedInEveryStep } from '../scenarios/killed.ts'
import { reloadedInSteps6And7, TOLD_BESIDE_OTHERS_MS } from '../scenarios/reloads.ts'
import { volumesFirst } from '../scenarios/stages.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
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

test(
  'a file whose reboot cannot work holds the node; resume with the corrected file goes on from there',
  real,
  async () => {
    await bed().settled()
    const boots = new BootCounter(bed().bed)
    const judge = bed().judge()
    const nodes = { names: ['n1'] }
    const ssh = { command: ['false'], configFile: bed().bed.sshConfig }
    const roll = bed().roll(
      '-f',
      bed().file({ spec: { nodes, reboot: { ssh, resendAfter: '10s', returnLimit: '20s' } } }),
      '--yes',
    )
    await roll.untilHeld('RebootUnknown', 'exit code 1')
    roll.kill('SIGKILL')
    await roll.ended()
    const resumed = bed().roll('resume', '-f', bed().file({ spec: { nodes } }))
    const end = await resumed.ended()
    const judged = await judge.verdict()
    assert.equal(end.code, 0, `${end.stderr}\n${end.stdout.slice(-2000)}`)
    assert.deepEqual(resumed.written('evict'), [], 'what was drained stays drained')
    assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
    assert.equal((await boots.stop()).n1, 1)
    assert.deepEqual(await bed().leftovers(), [])
  },
)

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
atNight('pods with volumes are gone and their volumes detached before any other pod is evicted', real, async () => {
  await opened?.settled()
  await volumesFirst(ground)
})
