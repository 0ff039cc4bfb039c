import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach } from 'node:test'
import { budgetNeverOpens, budgetOpensLater, podUnderTwoBudgets } from '../scenarios/budgets.ts'
import { FAILED_BESIDE_OTHERS, outageBesideDeadControl } from '../scenarios/dead-control.ts'
import { nodeNeverBack } from '../scenarios/never-back.ts'
import { reloadedInSteps4And5, TOLD_BESIDE_OTHERS_MS } from '../scenarios/reloads.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
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

before(async () => {
  if (real.skip !== false) return
  opened = await RollBed.open({
    fast: true,
    judgeRate: RATE_BESIDE_OTHERS,
    database: false,
    lb: { reloadsKeepClients: true },
  })
})
beforeEach(async () => {
  await opened?.settled()
})
after(async () => opened?.close())

const ground = new RealGround(bed)

/** On the screen, and in what is told of the roll later. */
async function isTold({ shown }: RollExit, words: readonly string[]): Promise<void> {
  const report = await bed().roll('report', '-o', 'text').ended()
  for (const text of [shown, report.stdout].map((lines) => lines.replaceAll(/\s+/g, ' '))) {
    for (const word of words) assert.ok(text.includes(word), `${word} in ${text}`)
  }
}

atNight('a budget at its limit that opens 20 s later is waited for, by its name and numbers', real, async () => {
  await budgetOpensLater(ground)
})

atNight('a budget that never opens is given up at the limit, and everything is put back', real, async () => {
  await isTold(await budgetNeverOpens(ground), ['budget default/whoami needs 5 healthy, has 5 of 5'])
})

atNight('a pod under two budgets is given up at the limit, and both are named', real, async () => {
  const both = ['budget default/whoami (needs 4 healthy, has 5)', 'budget default/whoami-too (needs 1 healthy, has 5)']
  await isTold(await podUnderTwoBudgets(ground), both)
})

// By day `virtual/roll-scenarios` plays the same scenario.
atNight(
  'the roll repeats its commands after HAProxy is reloaded in steps 4 and 5, and no request fails',
  real,
  async (t) => {
    const judged = await unlessVoid(t, () =>
      reloadedInSteps4And5(ground, { toldWithinMs: TOLD_BESIDE_OTHERS_MS, reported: [] }),
    )
    assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  },
)

/** Whole seconds until a machine that is off counts as one that does not come back. */
const REBOOT = { ssh: { command: ['systemctl', 'reboot'] }, resendAfter: '10s', returnLimit: '20s' }

atNight(
  'a node that never comes back stays out, the roll says so, the others serve on; resume brings it back',
  real,
  async () => {
    const ssh = { ...REBOOT.ssh, configFile: bed().bed.sshConfig }
    await nodeNeverBack(ground, { reboot: { ...REBOOT, ssh } })
  },
)

// By day `virtual/roll-scenarios` plays the same scenario.
atNight(
  'HTTP 503 for 4 s stops a roll whose control has never answered, and no further node is taken',
  real,
  async () => {
    await outageBesideDeadControl(ground, FAILED_BESIDE_OTHERS)
    assert.deepEqual(await bed().leftovers(), [])
  },
)

atNight('a roll whose journal is lost is put back by abort with its file', real, async () => {
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
  assert.equal(end.code, 0, `${end.stderr}\n${end.stdout.slice(-2000)}`)
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  assert.equal((await boots.stop()).n2, 1)
  assert.deepEqual(await bed().leftovers(), [])
})
