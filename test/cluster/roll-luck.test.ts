import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { budget } from '../../src/sim/cluster/article-workloads.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import type { RollEnded, RollProcess } from '../support/roll-bed/roll-process.ts'
import { untilOff } from '../support/roll-bed/until-off.ts'
import { HiddenSocket } from '../support/roll-luck/hidden-socket.ts'
import { LapsingToken } from '../support/roll-luck/lapsing-token.ts'
import { luckGround, type Spec } from '../support/roll-luck/luck-ground.ts'
import { SshLine } from '../support/roll-luck/ssh-line.ts'
import { TinyDisk } from '../support/roll-luck/tiny-disk.ts'

const HOLDER = ['get', 'lease', 'evenkeel-slot-0', '--namespace', 'evenkeel', '-o', 'jsonpath={.spec.holderIdentity}']

/** Nothing of ours is anywhere: on no node, in no balancer, and no process holds the slot. */
async function nothingLeft(bed: RollBed): Promise<void> {
  assert.deepEqual([await bed.leftovers(), await bed.bed.kubectl(HOLDER)], [[], ''])
}

/** Of whoami, on the bed of these tests. */
const REPLICAS = 3

interface Place {
  readonly bed: () => RollBed
  /** Skips what needs a real cluster where there is none. */
  readonly real: { readonly skip: string | false; readonly timeout: number }
}

/** What may go wrong around a roll of one node, each on a bed that is whole before and after it. */
function luckTests({ bed, real }: Place): void {
  describe('bad luck of a roll is noticed by no client', { ...real, timeout: 30 * 60_000 }, () => {
    beforeEach(() => bed().settled())
    registered({ bed, real })
  })
}

/** A drain that stands still before it has moved any of these, for as long as a row needs. */
const shutBudget = ({ bed }: RollBed): Promise<void> => bed.apply([budget('whoami', 'whoami', REPLICAS)])
const openBudget = ({ bed }: RollBed): Promise<void> => bed.apply([budget('whoami', 'whoami', REPLICAS - 1)])

function registered({ bed, real }: Place): void {
  const { fileFor, begun, unnoticed, ends } = luckGround(bed)

  const codesOf = ({ reasons }: RollEnded): readonly string[] => reasons.map(({ code }) => code)
  const statesOf = ({ standings }: RollEnded): readonly string[] => standings.map(({ state }) => state)
  const textsOf = ({ standings }: RollEnded): readonly string[] => standings.map(({ text }) => text)

  const evictedOf = (roll: RollProcess, app: string): readonly StampedEvent[] =>
    roll.written('evict').filter((event) => event.type === 'write' && event.text.startsWith(`evict default/${app}-`))

  async function heldByRefusedToken(token: LapsingToken, drain: Spec): Promise<RollProcess> {
    await shutBudget(bed())
    const file = fileFor(await bed().nodeWith('whoami'), { drain })
    const roll = bed().roll('-f', file, '--yes', '--even-if-blocked', '--kubeconfig', token.kubeconfig)
    await roll.untilHeld('BudgetExhausted')
    await token.revoke()
    await roll.untilHeld('EvictionFailed', 'Unauthorized')
    await openBudget(bed())
    return roll
  }

  atNight(
    'a token that ends in mid-drain is held for, and a fresh one in its file goes on to the end',
    real,
    async (t) => {
      const token = await LapsingToken.of(bed().bed)
      await unnoticed(t, async () => {
        const roll = await heldByRefusedToken(token, { daemonSets: ['app=edge'] })
        await token.renew()
        await ends(roll, 0)
      })
      await nothingLeft(bed())
    },
  )

  atNight(
    'where no fresh token comes the roll holds until it is interrupted; resume goes on with one',
    real,
    async (t) => {
      const token = await LapsingToken.of(bed().bed)
      await unnoticed(t, async () => {
        const roll = await heldByRefusedToken(token, {})
        await roll.seconds(3)
        roll.kill('SIGINT')
        const ended = await ends(roll, 130)
        assert.deepEqual([ended.outcome, textsOf(ended)], ['interrupted', ['not rebooted, cordoned, detached']])
        assert.deepEqual(evictedOf(roll, 'whoami'), [])
        await token.renew()
        await ends(bed().roll('resume', '--kubeconfig', token.kubeconfig), 0)
      })
      await nothingLeft(bed())
    },
  )

  /** Full from the record on; the journal's last block is full by the first evictions, or soon after. */
  async function heldByFullDisk(disk: TinyDisk, drain: Spec): Promise<RollProcess> {
    await shutBudget(bed())
    const file = fileFor(await bed().nodeWith('whoami'), { drain })
    const roll = bed().rollWithin(disk.enter, '-f', file, '--yes', '--even-if-blocked', '--state-dir', disk.folder)
    await roll.untilStep('cordon')
    disk.fill()
    await roll.untilHeld('JournalNotWritable')
    await openBudget(bed())
    return roll
  }

  test('a disk that is full under the journal: nothing more is begun until there is room again', real, async (t) => {
    const disk = await TinyDisk.mount(bed().bed.dir)
    t.after(() => disk.unmount())
    await unnoticed(t, async () => {
      const roll = await heldByFullDisk(disk, {})
      await roll.seconds(3)
      assert.deepEqual([evictedOf(roll, 'whoami'), roll.written('writeIntent')], [[], []])
      disk.free()
      await ends(roll, 0)
      assert.notDeepEqual(evictedOf(roll, 'whoami'), [])
    })
    await nothingLeft(bed())
  })

  atNight('a disk that stays full: everything is put back, and the roll ends as held', real, async (t) => {
    const disk = await TinyDisk.mount(bed().bed.dir)
    t.after(() => disk.unmount())
    await unnoticed(t, async () => {
      const roll = await heldByFullDisk(disk, { blockedLimit: '10s' })
      const ended = await ends(roll, 3)
      assert.deepEqual([ended.outcome, codesOf(ended), statesOf(ended)], ['held', ['JournalNotWritable'], ['restored']])
      assert.deepEqual([evictedOf(roll, 'whoami'), roll.written('writeIntent')], [[], []])
    })
    await nothingLeft(bed())
  })

  test('a HAProxy that cannot be asked in mid-drain is held for, and the roll goes on once it can', real, async (t) => {
    const socket = new HiddenSocket(bed().lb.socket)
    t.after(() => socket.show())
    await unnoticed(t, async () => {
      const roll = bed().roll('-f', fileFor(await bed().nodeWith('whoami')), '--yes')
      await roll.untilStep('drain')
      socket.hide()
      await roll.untilHeld('InstanceSilent')
      await roll.seconds(3)
      assert.deepEqual(roll.written('writeIntent'), [])
      socket.show()
      await ends(roll, 0)
    })
    await nothingLeft(bed())
  })

  atNight('a HAProxy that cannot be asked before the first step: nothing is touched', real, async (t) => {
    const socket = new HiddenSocket(bed().lb.socket)
    t.after(() => socket.show())
    await unnoticed(t, async () => {
      const roll = await begun(fileFor('n1', { drain: { blockedLimit: '3s' } }))
      socket.hide()
      await roll.untilEnd()
      socket.show()
      const ended = await ends(roll, 3)
      assert.deepEqual([ended.outcome, codesOf(ended), statesOf(ended)], ['held', ['InstanceSilent'], ['notTouched']])
      for (const action of ['writeRecord', 'cordon', 'setServer']) assert.deepEqual(roll.written(action), [])
    })
    await nothingLeft(bed())
  })

  atNight('a HAProxy that cannot be asked beyond the limit: put back once it can, and held', real, async (t) => {
    const socket = new HiddenSocket(bed().lb.socket)
    t.after(() => socket.show())
    await unnoticed(t, async () => {
      const drain = { blockedLimit: '3s' }
      const roll = bed().roll('-f', fileFor(await bed().nodeWith('whoami'), { drain }), '--yes')
      await roll.untilStep('drain')
      socket.hide()
      await roll.untilStep('attach')
      await roll.seconds(2)
      socket.show()
      const ended = await ends(roll, 3)
      assert.deepEqual([ended.outcome, codesOf(ended), statesOf(ended)], ['held', ['InstanceSilent'], ['restored']])
    })
    await nothingLeft(bed())
  })

  atNight('a HAProxy that is never to be asked again: the node stays out of it, and that is said', real, async (t) => {
    const socket = new HiddenSocket(bed().lb.socket)
    t.after(() => socket.show())
    await unnoticed(t, async () => {
      const node = await bed().nodeWith('whoami')
      const spec = { drain: { blockedLimit: '3s' }, attach: { limit: '3s' } }
      const roll = bed().roll('-f', fileFor(node, spec), '--yes')
      await roll.untilStep('drain')
      socket.hide()
      await roll.untilEnd()
      roll.kill('SIGINT')
      await roll.ended()
      socket.show()
      const ended = await ends(roll, 1)
      assert.deepEqual(
        [ended.outcome, textsOf(ended), ended.guarded],
        ['stopped', ['not rebooted, uncordoned, detached'], [node]],
      )
      assert.deepEqual(codesOf(ended), ['InstanceSilent', 'NotUp', 'InstanceSilent'])
      await ends(bed().roll('abort'), 0)
    })
    await nothingLeft(bed())
  })

  /** A roll of one node, whose ssh goes by that line. */
  async function rolledBy(line: SshLine, limits: Spec): Promise<RollProcess> {
    const { configFile } = line
    return begun(fileFor(line.node, { reboot: { ssh: { configFile, command: ['systemctl', 'reboot'] }, ...limits } }))
  }

  const ONCE = { resendAfter: '60s', returnLimit: '90s' }
  const bootsOf = (node: string): Readonly<Record<string, number>> => ({ n1: 0, n2: 0, n3: 0, [node]: 1 })

  atNight('an ssh that hangs for ever with the reboot sent is given up, and the roll goes on', real, async (t) => {
    const line = new SshLine(bed().bed, await bed().nodeWithFewest('whoami'))
    t.after(() => line.mend())
    const boots = new BootCounter(bed().bed)
    await unnoticed(t, async () => {
      const roll = await rolledBy(line, ONCE)
      line.delay()
      await line.heard()
      line.freeze()
      await ends(roll, 0)
      const [intent, sent, ...again] = [...roll.written('writeIntent'), ...roll.written('sendReboot')]
      assert.deepEqual(again, [])
      const hungMs = Date.parse(sent?.at ?? '') - Date.parse(intent?.at ?? '')
      assert.ok(hungMs > 10_000 && hungMs < 45_000, `ssh hung for ${hungMs} ms`)
    })
    assert.deepEqual(await boots.stop(), bootsOf(line.node))
    await nothingLeft(bed())
  })

  test(
    'an ssh that breaks with the reboot sent: whether it arrived is unknown, nothing is sent again, one reboot',
    real,
    async (t) => {
      const line = new SshLine(bed().bed, await bed().nodeWithFewest('whoami'))
      t.after(() => line.mend())
      await bed().bed.setDarkMs(line.node, 4000)
      t.after(() => bed().bed.setDarkMs(line.node, 500))
      const boots = new BootCounter(bed().bed)
      await unnoticed(t, async () => {
        const roll = await rolledBy(line, ONCE)
        line.delay()
        await line.heard()
        line.freeze()
        await untilOff(bed().bed, line.node)
        line.cut()
        await roll.untilHeld('RebootUnknown')
        await ends(roll, 0)
        assert.equal(roll.written('sendReboot').length, 1)
      })
      assert.deepEqual(await boots.stop(), bootsOf(line.node))
      await nothingLeft(bed())
    },
  )

  atNight(
    'an ssh that always hangs: sent again, then stopped with the node out; resume brings it back',
    real,
    async (t) => {
      const line = new SshLine(bed().bed, await bed().nodeWithFewest('whoami'))
      t.after(() => line.mend())
      const boots = new BootCounter(bed().bed)
      await unnoticed(t, async () => {
        const roll = await rolledBy(line, { resendAfter: '10s', returnLimit: '25s' })
        line.mute()
        await roll.untilHeld('RebootUnknown', `ssh ${line.node}`)
        await roll.untilEnd()
        roll.kill('SIGINT')
        const ended = await ends(roll, 1)
        assert.deepEqual(
          [ended.outcome, textsOf(ended), ended.guarded],
          ['stopped', ['may be rebooting, cordoned, detached; it stays so until proven'], [line.node]],
        )
        assert.deepEqual(codesOf(ended), ['NodeDidNotReturn', 'RebootUnknown'])
        assert.equal(roll.written('sendReboot').length, 2)
        line.mend()
        await bed().bed.reboot(line.node)
        await ends(bed().roll('resume'), 0)
      })
      assert.deepEqual(await boots.stop(), bootsOf(line.node))
      await nothingLeft(bed())
    },
  )
}

const real = { ...requires('testbed'), timeout: 150_000 }

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
    replicas: REPLICAS,
    lb: { reloadsKeepClients: true },
  })
})
after(async () => opened?.close())

luckTests({ bed, real })
