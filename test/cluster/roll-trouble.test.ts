import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { requires } from '../support/requires.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import { isVoid } from '../support/roll-bed/judge.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import { until } from '../support/roll-bed/until.ts'
import { untilOff } from '../support/roll-bed/until-off.ts'

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

const stateOf = async (server: string): Promise<string | undefined> =>
  (await bed().servers()).find(({ name }) => name === server)?.state

interface LostWindow {
  readonly lane: string
  readonly failed: number
  readonly firstBadAt: string
  readonly lastBadAt: string
  /** Of the roll's windows alone. */
  readonly reloads?: readonly { readonly instance: string; readonly nodes: readonly string[] }[]
}

/** A moment before and after: a connection that waited to be taken, and the coarseness of two clocks. */
const MOMENT_MS = 250

/** HAProxy is reloaded by somebody else; over once the roll has said again that the node is out. */
async function reloadUntilOut(server: string, step: string): Promise<{ readonly from: number; readonly to: number }> {
  const from = Date.now()
  await bed().lb.reload()
  await until(
    { what: `${server} to be out again in ${step}`, limitMs: 1000, everyMs: 20 },
    async () => (await stateOf(server)) === 'drain' || undefined,
  )
  return { from, to: Date.now() }
}

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

test(
  'HAProxy reloaded in steps 6 and 7 is told again within a second; what was lost is counted and told as the reload’s',
  real,
  async (t) => {
    await bed().bed.setDarkMs('n3', 3000)
    const judge = bed().judge()
    const roll = bed().roll('-f', bed().file({ spec: { nodes: { names: ['n3'] } }, rate: 100 }), '--yes')
    await roll.untilStep('reboot', 'n3')
    await untilOff(bed().bed, 'n3')
    const reloads = [await reloadUntilOut('web/n3', 'reboot')]
    await roll.untilStep('proof', 'n3')
    reloads.push(await reloadUntilOut('web/n3', 'proof'))
    const end = await roll.ended()
    const judged = await judge.verdict()
    if (isVoid(judged)) t.diagnostic(`the judge skipped ${judged.skippedRequests} of ${judged.sentRequests}`)
    const told = roll.events.filter((event) => event.type === 'reasserted')
    assert.ok(told.length >= 2 && told.every((event) => event.afterMs <= 1000), JSON.stringify(told))

    // The roll's own traffic and the judge's are two streams: neither need lose what the other did, but both only then.
    const ofType = (type: string): readonly LostWindow[] =>
      roll.events.filter((event) => event.type === type).map((event) => event as unknown as LostWindow)
    const [opened, closed] = [ofType('window.opened'), ofType('window.closed')]
    const seen = judged.windows as readonly LostWindow[]
    const isLostThen = ({ firstBadAt, lastBadAt }: LostWindow): boolean =>
      reloads.some(
        ({ from, to }) => Date.parse(firstBadAt) >= from - MOMENT_MS && Date.parse(lastBadAt) <= to + MOMENT_MS,
      )
    assert.deepEqual(
      [...opened, ...closed, ...seen].filter((window) => !isLostThen(window)),
      [],
      JSON.stringify(reloads),
    )
    for (const window of [...opened, ...closed]) {
      const causes = (window.reloads ?? []).map(({ instance, nodes }) => `${instance} ${nodes.join()}`)
      assert.deepEqual(causes, ['lb-1 n3'], JSON.stringify(window))
    }

    const ended = roll.events.find((event) => event.type === 'roll.ended')
    assert.ok(ended?.type === 'roll.ended')
    const lost = closed.reduce((sum, { failed }) => sum + failed, 0)
    t.diagnostic(`lost to two reloads: ${lost} of the roll, ${judged.failedRequests} of the judge`)
    assert.deepEqual([end.code, ended.load?.failed], [lost === 0 ? 0 : 1, lost], end.stderr)
    for (const { code, text } of ended.reasons) {
      t.diagnostic(text)
      assert.equal(code, 'RequestsFailed')
      assert.match(text, /; lb-1 was reloaded by somebody else .* and had n3 in service again for at most \d+ ms$/)
    }
    if (lost > 0) assert.equal((await bed().roll('resume').ended()).code, 0)
    assert.deepEqual(await bed().leftovers(), [])
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
