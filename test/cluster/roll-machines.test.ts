import assert from 'node:assert/strict'
import { after, before, beforeEach, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import type { Step } from '../../src/roll/model/step.ts'
import type { Bed } from '../../testbed/bed.ts'
import { requires } from '../support/requires.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'
import { RealGround } from '../support/roll-bed/real-ground.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { RollHandle, Spec } from '../support/roll-ground/roll-ground.ts'

const NODE = 'n2'
const UNPLUGGED_MS = 90_000
/** Far more than the rest of a run takes. A roll that goes on for longer is interrupted, so that the next row finds none at work. */
const REST_LIMIT_MS = 150_000

let opened: RollBed | undefined
const bed = (): RollBed => {
  assert.ok(opened)
  return opened
}
const ground = new RealGround(bed)
/** A row before this one has not finished its run. */
let isRunLeft = false

const specOf = (returnLimit: string, names: readonly string[] = [NODE, 'n3']): Spec => ({
  nodes: { names },
  reboot: {
    ssh: { command: ['systemctl', 'reboot'], configFile: bed().bed.sshConfig },
    resendAfter: '10s',
    returnLimit,
  },
})

interface Mishap {
  readonly title: string
  /** The moment before the machine reboots, or right after it was asked to. */
  readonly at: 'before the reboot' | 'once the reboot is sent'
  readonly spoil: (machine: Bed) => Promise<unknown>
  readonly repair: (machine: Bed) => Promise<unknown>
  readonly code: string
}

async function onNode(machine: Bed, ...argv: readonly string[]): Promise<void> {
  const { code, stderr } = await machine.exec(NODE, argv)
  assert.equal(code, 0, stderr)
}

const restartKubelet = (machine: Bed): Promise<void> => onNode(machine, 'pkill', '-f', 'programs/kube kubelet')

const KUBELET = '/etc/kubernetes/kubelet.json'
const CNI = '/etc/cni/net.d/10-testbed.conflist'
/** With these the kubelet says DiskPressure as long as its disk has less than all of its space free. */
const FULL = ['sed', '-i', 's/"nodefs.available":"0%"/"nodefs.available":"99.9%"/', KUBELET]
const ROOMY = ['sed', '-i', 's/"nodefs.available":"99.9%"/"nodefs.available":"0%"/', KUBELET]

const MISHAPS: readonly Mishap[] = [
  {
    title: 'powered off for good',
    at: 'once the reboot is sent',
    spoil: (machine) => machine.powerOff(NODE),
    repair: (machine) => machine.powerOn(NODE),
    code: 'NodeDidNotReturn',
  },
  {
    title: 'back without its network',
    at: 'once the reboot is sent',
    spoil: (machine) => machine.unplug(NODE),
    repair: (machine) => machine.plug(NODE),
    code: 'NodeDidNotReturn',
  },
  {
    title: 'back with a kubelet that cannot start',
    at: 'before the reboot',
    spoil: (machine) => onNode(machine, 'mv', KUBELET, `${KUBELET}.away`),
    repair: (machine) => onNode(machine, 'mv', `${KUBELET}.away`, KUBELET),
    code: 'NodeDidNotReturn',
  },
  {
    title: 'back without a container network (CNI)',
    at: 'before the reboot',
    spoil: (machine) => onNode(machine, 'mv', CNI, `${CNI}.away`),
    repair: (machine) => onNode(machine, 'mv', `${CNI}.away`, CNI),
    code: 'NotProven',
  },
  {
    title: 'back with a full disk (DiskPressure)',
    at: 'before the reboot',
    spoil: (machine) => onNode(machine, ...FULL),
    repair: async (machine) => {
      await onNode(machine, ...ROOMY)
      await restartKubelet(machine)
    },
    code: 'NotProven',
  },
]

const isSent = (event: StampedEvent): boolean =>
  event.type === 'write' && event.action === 'sendReboot' && event.ok && event.node === NODE

/** The node is kept out, the roll says why and goes no further; after the repair `resume` does the rest. No request fails. */
async function meets(t: TestContext, mishap: Mishap) {
  const judge = await ground.judge()
  const roll = await ground.roll(specOf('30s'))
  try {
    await stopsFor(t, roll, mishap)
  } finally {
    roll.interrupt()
    await roll.ended()
    await mishap.repair(bed().bed)
    // The rows after this one need the node, whatever this row found.
    await finished(await ground.resume())
  }
  const judged = await judge.verdict()
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  assert.deepEqual(await leftoversOf(ground), [])
  return judged
}

/** As long as this fails, each row after it tries it again first. */
async function finished(resumed: RollHandle): Promise<void> {
  isRunLeft = true
  const tooLong = setTimeout(() => resumed.interrupt(), REST_LIMIT_MS)
  try {
    await done(resumed)
  } finally {
    clearTimeout(tooLong)
  }
  isRunLeft = false
}

async function stopsFor(t: TestContext, roll: RollHandle, { at, spoil, code }: Mishap): Promise<void> {
  if (at === 'before the reboot') await roll.untilStep('reboot', NODE)
  else await roll.until('the reboot to be sent', isSent)
  await spoil(bed().bed)
  const stopped = await roll.until('the stop', (event) => event.type === 'roll.ended')
  assert.ok(stopped.type === 'roll.ended')
  t.diagnostic(stopped.reasons.map((reason) => `${reason.code}: ${reason.text}`).join('; '))
  assert.deepEqual([stopped.outcome, stopped.exitCode, stopped.guarded], ['stopped', 1, [NODE]])
  assert.equal(stopped.reasons[0]?.code, code)
  assert.deepEqual(
    stopped.standings.map(({ node, state }) => [node, state]),
    [
      [NODE, 'out'],
      ['n3', 'notTouched'],
    ],
  )
}

async function done(roll: RollHandle): Promise<void> {
  const { code, story } = await roll.ended()
  assert.equal(code, 0, story)
}

/** Something passes by itself while the node is in that step: the roll waits, reboots each node once, and no request fails. */
async function outlives(step: Step, passing: (machine: Bed) => Promise<unknown>) {
  const boots = ground.countBoots()
  const judge = await ground.judge()
  const roll = await ground.roll(specOf('3min'))
  await roll.untilStep(step, NODE)
  await passing(bed().bed)
  await done(roll)
  const judged = await judge.verdict()
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  const { n1, n2, n3 } = await boots.stop()
  assert.deepEqual([n1 ?? 0, n2, n3], [0, 1, 1])
  assert.deepEqual(await leftoversOf(ground), [])
  return judged
}

/**
 * In the drain its pods serve until they have moved, so requests to them are lost with its network: the roll stops, says so and puts the
 * node back. Once the network is there again, `resume` does all of it, and no further request fails.
 */
async function losesPods(): Promise<void> {
  // The rolls before this one have moved every pod away from NODE.
  const node = await bed().nodeWith('whoami')
  const roll = await ground.roll(specOf('3min', [node]))
  await roll.untilStep('drain', node)
  const passing = forAWhile(bed().bed, node)
  const stopped = await roll.until('the stop', (event) => event.type === 'roll.ended')
  await passing
  assert.ok(stopped.type === 'roll.ended')
  assert.deepEqual([stopped.outcome, stopped.reasons[0]?.code, stopped.guarded], ['stopped', 'RequestsFailed', []])
  await roll.ended()
  await bed().settled()
  const [judge, boots] = [await ground.judge(), ground.countBoots()]
  const resumed = await ground.resume()
  const end = await resumed.until('its end', (event) => event.type === 'roll.ended')
  assert.ok(end.type === 'roll.ended')
  // What failed before still counts, so that the run does not end as done.
  assert.deepEqual(
    [end.outcome, end.standings.map(({ state }) => state), (await resumed.ended()).code],
    ['stopped', ['inService'], 1],
  )
  const { failedRequests, windows } = await judge.verdict()
  assert.deepEqual([failedRequests, windows, (await boots.stop())[node]], [0, [], 1])
  assert.deepEqual(await leftoversOf(ground), [])
}

const forAWhile = async (machine: Bed, node = NODE): Promise<void> => {
  await machine.unplug(node)
  await pause(UNPLUGGED_MS)
  await machine.plug(node)
}

/** In these steps no pod serves on the node any more, so a missing network costs no request. */
const OUT: readonly Step[] = ['reboot', 'proof', 'settle']

describeAtNight('a machine that fares badly in a roll', requires('testbed'), () => {
  before(async () => {
    opened = await RollBed.open({ fast: true, judgeRate: RATE_BESIDE_OTHERS, database: false })
  })
  beforeEach(async () => {
    if (isRunLeft) await finished(await ground.resume())
    await opened?.settled()
  })
  after(() => opened?.close())

  for (const mishap of MISHAPS)
    atNight(`${mishap.title}: it stays out, and resume goes on after the repair`, { timeout: 300_000 }, async (t) => {
      await unlessVoid(t, () => meets(t, mishap))
    })

  atNight(
    'unplugged for 90 s while its pods still serve: the roll stops and puts it back; resume goes on',
    {
      timeout: 420_000,
    },
    losesPods,
  )

  for (const step of OUT)
    atNight(`unplugged for 90 s in step ${step}: the roll waits and goes on`, { timeout: 420_000 }, async (t) => {
      await unlessVoid(t, () => outlives(step, forAWhile))
    })

  for (const step of ['drain', 'settle', 'soak'] as const)
    atNight(`a kubelet that restarts in step ${step} is no reboot`, { timeout: 300_000 }, async (t) => {
      await unlessVoid(t, () => outlives(step, restartKubelet))
    })
})
