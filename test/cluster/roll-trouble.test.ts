import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { requires } from '../support/requires.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import { RollBed } from '../support/roll-bed/roll-bed.ts'
import { until } from '../support/roll-bed/until.ts'

const real = { ...requires('testbed'), timeout: 300_000 }

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}

before(async () => {
  if (real.skip === false) opened = await RollBed.open({ fast: true, database: false })
})
after(async () => opened?.close())

/** Whole seconds until a machine that is off counts as one that does not come back. */
const REBOOT = { ssh: { command: ['systemctl', 'reboot'] }, resendAfter: '10s', returnLimit: '20s' }

const stateOf = async (server: string): Promise<string | undefined> =>
  (await bed().servers()).find(({ name }) => name === server)?.state

test(
  'a node that never comes back stays out, the roll says so, the others serve on; resume brings it back',
  real,
  async () => {
    const judge = bed().judge()
    const file = bed().file({
      spec: {
        nodes: { names: ['n2', 'n3'] },
        reboot: { ...REBOOT, ssh: { ...REBOOT.ssh, configFile: bed().bed.sshConfig } },
      },
    })
    const roll = bed().roll('-f', file, '--yes')
    await roll.untilStep('reboot', 'n2')
    await roll.until(
      'the reboot to be sent',
      (event) => event.type === 'write' && event.action === 'sendReboot' && event.ok,
    )
    await bed().bed.powerOff('n2')
    const stopped = await roll.until('the stop', (event) => event.type === 'roll.ended')
    assert.ok(stopped.type === 'roll.ended')
    assert.deepEqual([stopped.outcome, stopped.reasons[0]?.code, stopped.exitCode], ['stopped', 'NodeDidNotReturn', 1])
    assert.equal(stopped.standings.find(({ node }) => node === 'n3')?.state, 'notTouched')
    assert.equal(await stateOf('web/n2'), 'drain')
    const stayedOut = await judge.verdict()
    assert.deepEqual([stayedOut.failedRequests, stayedOut.windows], [0, []])

    // Still guarded: what a reload forgets is said again. Until then HAProxy sends requests to a machine that is off.
    await bed().lb.reload()
    await until(
      { what: 'the node to be detached again', limitMs: 1000, everyMs: 20 },
      async () => (await stateOf('web/n2')) === 'drain' || undefined,
    )
    roll.kill('SIGINT')
    assert.equal((await roll.ended()).code, 1)

    const judgeOfReturn = bed().judge()
    await bed().bed.powerOn('n2')
    const resumed = await bed().roll('resume').ended()
    assert.equal(resumed.code, 0, `${resumed.stderr}\n${resumed.stdout.slice(-2000)}`)
    const cameBack = await judgeOfReturn.verdict()
    assert.deepEqual([cameBack.failedRequests, cameBack.windows], [0, []])
    assert.deepEqual(await bed().leftovers(), [])
  },
)

for (const next of ['resume', 'abort'] as const) {
  test(
    `killed between sending the reboot and hearing of it, then ${next}: one reboot, no attach before proof`,
    real,
    async () => {
      const boots = new BootCounter(bed().bed)
      const judge = bed().judge()
      await bed().bed.setDarkMs('n1', 4000)
      const roll = bed().roll('-f', bed().file({ spec: { nodes: { names: ['n1'] } } }), '--yes')
      await roll.untilStep('reboot', 'n1')
      // The intent is on the node; the command leaves within the next moment, and nobody hears of it.
      await roll.until('the intent', (event) => event.type === 'write' && event.action === 'writeIntent' && event.ok)
      const before = await bed().bed.bootId('n1')
      await until({ what: 'the reboot', limitMs: 10_000, everyMs: 20 }, () =>
        bed()
          .bed.exec('n1', ['true'])
          .then(
            () => undefined,
            () => true,
          ),
      )
      roll.kill('SIGKILL')
      await roll.ended()
      const after = bed().roll(next)
      const proof = after.until('the proof', (event) => event.type === 'step.ended' && event.step === 'proof')
      const attached = after.until(
        'the attach',
        (event) => event.type === 'write' && event.action === 'setServer' && event.text.endsWith('ready'),
      )
      assert.ok((await proof).seq < (await attached).seq, 'proof comes before the attach')
      const end = await after.ended()
      assert.equal(end.code, next === 'resume' ? 0 : 1, end.stderr)
      const judged = await judge.verdict()
      assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
      assert.notEqual(await bed().bed.bootId('n1'), before)
      assert.equal((await boots.stop()).n1, 1)
      assert.deepEqual(await bed().leftovers(), [])
      await bed().bed.setDarkMs('n1', 500)
    },
  )
}

test(
  'HAProxy reloaded in steps 6 and 7 is told again within a second, and what was lost is counted',
  real,
  async () => {
    const roll = bed().roll('-f', bed().file({ spec: { nodes: { names: ['n3'] } } }), '--yes')
    for (const step of ['reboot', 'proof'] as const) {
      await roll.untilStep(step, 'n3')
      await bed().lb.reload()
      await until(
        { what: `n3 to be detached again in ${step}`, limitMs: 1000, everyMs: 20 },
        async () => (await stateOf('web/n3')) === 'drain' || undefined,
      )
    }
    const end = await roll.ended()
    const told = roll.events.filter((event) => event.type === 'reasserted')
    assert.ok(told.length >= 2 && told.every((event) => event.afterMs <= 1000), JSON.stringify(told))
    const failed = roll.events.filter((event) => event.type === 'window.opened')
    assert.equal(end.code, failed.length === 0 ? 0 : 1, end.stderr)
    if (failed.length > 0) assert.equal((await bed().roll('resume').ended()).code, 0)
    assert.deepEqual(await bed().leftovers(), [])
  },
)

test('what was there before us is there after: a cordon, and a server in maint', real, async () => {
  await bed().bed.kubectl(['cordon', 'n1'])
  await bed().lbSet('edge/n1', 'maint')
  const roll = bed().roll('-f', bed().file({ spec: { nodes: { names: ['n1'] } } }), '--yes')
  await roll.untilStep('proof', 'n1')
  roll.kill('SIGKILL')
  await roll.ended()
  const end = await bed().roll('resume').ended()
  assert.equal(end.code, 0, end.stderr)
  assert.deepEqual((await bed().leftovers()).toSorted(), [
    'edge/n1 maint',
    'n1 cordoned',
    'n1 taint node.kubernetes.io/unschedulable',
  ])
  await bed().bed.kubectl(['uncordon', 'n1'])
  await bed().lbSet('edge/n1', 'ready')
  await bed().settled()
})
