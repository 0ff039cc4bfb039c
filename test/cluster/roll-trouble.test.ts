import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { nodeNeverBack } from '../scenarios/never-back.ts'
import { reloadedInSteps6And7 } from '../scenarios/reloads.ts'
import { requires } from '../support/requires.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import { isVoid } from '../support/roll-bed/judge.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'

const real = { ...requires('testbed'), timeout: 300_000 }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false) opened = await RollBed.open({ fast: true, judgeRate: RATE_BESIDE_OTHERS, database: false })
})
after(async () => opened?.close())

/** Whole seconds until a machine that is off counts as one that does not come back. */
const REBOOT = { ssh: { command: ['systemctl', 'reboot'] }, resendAfter: '10s', returnLimit: '20s' }

test(
  'a node that never comes back stays out, the roll says so, the others serve on; resume brings it back',
  real,
  async () => {
    const ssh = { ...REBOOT.ssh, configFile: bed().bed.sshConfig }
    await nodeNeverBack(new RealGround(bed), { reboot: { ...REBOOT, ssh } })
  },
)

test(
  'HAProxy reloaded in steps 6 and 7 is told again within a second; what was lost is counted and told as the reload’s',
  real,
  async (t) => {
    await bed().bed.setDarkMs('n3', 3000)
    const { byRoll, judged, reasons } = await reloadedInSteps6And7(new RealGround(bed, { rate: 100 }))
    if (isVoid(judged)) t.diagnostic(`the judge skipped ${judged.skippedRequests} of ${judged.sentRequests}`)
    t.diagnostic(`lost to two reloads: ${byRoll} of the roll, ${judged.failedRequests} of the judge`)
    for (const reason of reasons) t.diagnostic(reason)
    await bed().bed.setDarkMs('n3', 500)
  },
)

test('a file whose reboot cannot work holds the node; resume by the mended file goes on from there', real, async () => {
  const boots = new BootCounter(bed().bed)
  const judge = bed().judge()
  const nodes = { names: ['n1'] }
  const ssh = { command: ['false'], configFile: bed().bed.sshConfig }
  const roll = bed().roll('-f', bed().file({ spec: { nodes, reboot: { ...REBOOT, ssh } } }), '--yes')
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
})

test('a roll whose journal is lost is put back by abort with its file', real, async () => {
  const boots = new BootCounter(bed().bed)
  const judge = bed().judge()
  const file = bed().file({ spec: { nodes: { names: ['n2'] }, slots: { leaseDuration: '15s' } } })
  const roll = bed().roll('-f', file, '--yes')
  await roll.untilStep('proof', 'n2')
  roll.kill('SIGKILL')
  await roll.ended()
  rmSync(join(bed().stateDir, 'evenkeel'), { recursive: true })
  const end = await bed().roll('abort', '-f', file).ended()
  const judged = await judge.verdict()
  assert.equal(end.code, 1, `${end.stderr}\n${end.stdout.slice(-2000)}`)
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  assert.equal((await boots.stop()).n2, 1)
  assert.deepEqual(await bed().leftovers(), [])
})
