import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import { nodesBefore } from '../../../src/roll/run/nodes-before.ts'
import { INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aRecord, aServer, aSpec, NEW_BOOT } from '../../support/roll-world.ts'

function begun(t: TestContext, roll: MemoryRoll): MemoryRoll {
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return roll
}

const howItEnded = ({ ended }: MemoryRoll) => {
  const end = ended()
  return end && [end.outcome, end.exitCode, end.reasons.map(({ code, object }) => `${code} ${object}`)]
}
const standings = ({ ended }: MemoryRoll) => ended()?.standings.map(({ node, state }) => `${node} ${state}`)
const holder = ({ cluster }: MemoryRoll) =>
  cluster.leases.get({ namespace: 'evenkeel', name: 'evenkeel-slot-0' })?.holder

test('a node that is deleted before its turn is left out, the others are rolled, and nothing is called done', async (t) => {
  const roll = begun(t, memoryRoll())
  await roll.clock.advance(10_000)
  roll.cluster.remove('n2')
  await roll.clock.advance(400_000)
  assert.deepEqual(howItEnded(roll), ['stopped', 1, ['NodeGone n2']])
  assert.deepEqual(standings(roll), ['n1 inService', 'n2 gone', 'n3 inService'])
  assert.deepEqual(roll.reboots, ['n1', 'n3'])
  const warnings = roll.events.filter((event) => event.type === 'warning').map(({ text }) => text)
  assert.deepEqual(warnings, ['node n2 is gone from the cluster; it is left out'])
})

test('a node that was gone and registers again while others are rolled is rolled after them', async (t) => {
  const roll = begun(t, memoryRoll())
  await roll.clock.advance(10_000)
  roll.cluster.remove('n2')
  await roll.clock.advance(50_000)
  roll.cluster.change('n2', aNode('n2', { uid: 'uid-anew' }))
  await roll.clock.advance(400_000)
  assert.deepEqual(howItEnded(roll), ['completed', 0, []])
  assert.deepEqual(roll.reboots, ['n1', 'n3', 'n2'])
})

test('a node whose object is deleted while it reboots is waited for, then kept out and guarded', async (t) => {
  const roll = begun(t, memoryRoll())
  roll.machine.rebooted = (node) => roll.cluster.remove(node)
  await roll.clock.advance(800_000)
  assert.equal(howItEnded(roll), undefined)
  assert.equal(roll.balancer.state('n1'), 'drain')
  await roll.clock.advance(200_000)
  assert.deepEqual(howItEnded(roll), ['stopped', 1, ['NodeDidNotReturn n1', 'NodeGone n1']])
  assert.deepEqual([roll.ended()?.guarded, standings(roll)], [['n1'], ['n1 out', 'n2 notTouched', 'n3 notTouched']])
  assert.match(holder(roll) ?? '', /^run-1/)
  await roll.balancer.setState({ instance: 'lb-1', backend: 'web', server: 'n1' }, 'ready')
  await roll.clock.advance(1000)
  assert.equal(roll.balancer.state('n1'), 'drain', 'what a reload forgot is said again')
})

test('a node whose object is deleted after it was cordoned is not touched any more, and kept out after the same wait', async (t) => {
  const roll = begun(t, memoryRoll())
  roll.balancer.onState = () => roll.cluster.remove('n1')
  await roll.clock.advance(890_000)
  assert.equal(howItEnded(roll), undefined)
  await roll.clock.advance(20_000)
  assert.deepEqual(howItEnded(roll), ['stopped', 1, ['NodeGone n1']])
  assert.deepEqual([roll.ended()?.guarded, roll.reboots, roll.balancer.state('n1')], [['n1'], [], 'drain'])
})

test('a machine that registers anew after its reboot gets its record back, and is proven and put back', async (t) => {
  const roll = begun(t, memoryRoll({ run: { order: ['n1'] } }))
  roll.machine.rebooted = (node) => roll.cluster.remove(node)
  await roll.clock.advance(30_000)
  roll.cluster.change('n1', aNode('n1', { uid: 'uid-anew', bootId: NEW_BOOT, heartbeat: 'at boot' }))
  await roll.clock.advance(2000)
  assert.ok(RECORD_ANNOTATION in roll.cluster.node('n1').annotations)
  assert.equal(roll.balancer.state('n1'), 'drain', 'without a heartbeat nothing is proven')
  roll.cluster.change('n1', { heartbeat: 'after it' })
  await roll.clock.advance(60_000)
  assert.deepEqual(howItEnded(roll), ['completed', 0, []])
  assert.deepEqual([roll.balancer.state('n1'), holder(roll)], ['ready', ''])
})

test('a node that registers anew on the boot id from before its announced reboot is still out, and gets the command again after a while', async (t) => {
  const roll = begun(t, memoryRoll())
  roll.machine.rebooted = (node) => roll.cluster.remove(node)
  await roll.clock.advance(30_000)
  roll.machine.rebooted = () => undefined
  roll.cluster.change('n1', aNode('n1', { uid: 'uid-anew' }))
  await roll.clock.advance(10_000)
  const { annotations } = roll.cluster.node('n1')
  assert.deepEqual(
    [RECORD_ANNOTATION in annotations, INTENT_ANNOTATION in annotations, roll.reboots],
    [true, true, ['n1']],
  )
  await roll.clock.advance(50_000)
  assert.deepEqual([roll.reboots, roll.balancer.state('n1'), howItEnded(roll)], [['n1', 'n1'], 'drain', undefined])
})

test('a node that was rebooted and lost its record while no process lived is proven and put back, and not rebooted again', async (t) => {
  const nodes = [aNode('n1', { uid: 'uid-anew', bootId: NEW_BOOT, heartbeat: 'at boot' }), aNode('n2'), aNode('n3')]
  const servers = [aServer('n1', { adminState: 'drain' }), aServer('n2'), aServer('n3')]
  const run = { order: ['n1'], resumed: true, recordsBefore: { n1: { record: aRecord(), isSent: true } } }
  const roll = begun(t, memoryRoll({ run, nodes, servers }))
  await roll.clock.advance(5_000)
  assert.ok(RECORD_ANNOTATION in roll.cluster.node('n1').annotations)
  assert.equal(roll.balancer.state('n1'), 'drain', 'without a heartbeat nothing is proven')
  roll.cluster.change('n1', { heartbeat: 'after it' })
  await roll.clock.advance(60_000)
  assert.deepEqual([roll.reboots, roll.balancer.state('n1'), howItEnded(roll)], [[], 'ready', ['completed', 0, []]])
  assert.deepEqual([RECORD_ANNOTATION in roll.cluster.node('n1').annotations, holder(roll)], [false, ''])
})

const OUT_BEFORE = {
  nodes: [aNode('n1', { uid: 'uid-anew' }), aNode('n2'), aNode('n3')],
  servers: [aServer('n1', { adminState: 'drain', ownState: 'drain' }), aServer('n2'), aServer('n3')],
}
const begunBefore = { order: ['n1'], resumed: true, recordsBefore: { n1: { record: aRecord(), isSent: false } } }

test('a node that an earlier process took out and that lost its record since goes back to what was there before, after its reboot', async (t) => {
  const roll = begun(t, memoryRoll({ run: begunBefore, ...OUT_BEFORE }))
  await roll.clock.advance(400_000)
  assert.deepEqual([roll.reboots, roll.balancer.state('n1'), howItEnded(roll)], [['n1'], 'ready', ['completed', 0, []]])
})

test('an abort puts back a node that an earlier process took out and that lost its record since', async (t) => {
  const verdict = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'asked for' }] } as const
  const roll = begun(t, memoryRoll({ run: { ...begunBefore, verdict }, ...OUT_BEFORE }))
  await roll.clock.advance(60_000)
  assert.deepEqual([roll.reboots, roll.balancer.state('n1'), holder(roll)], [[], 'ready', ''])
})

const sentBefore = { order: ['n1'], resumed: true, recordsBefore: { n1: { record: aRecord(), isSent: true } } }
const warningsOf = ({ events }: MemoryRoll) => events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
const PUT_BACK =
  'n1 was put back since an earlier process of this run took it out: this run has nothing of it out any more'

test('a node that was put back by hand after its reboot was sent in vain is rolled again by the process that resumes', async (t) => {
  const entries: JournalEntry[] = []
  const append = async (entry: JournalEntry) => void entries.push(entry)
  const roll = begun(t, memoryRoll({ run: sentBefore, configMaps: { read: async () => undefined }, append }))
  await roll.clock.advance(400_000)
  assert.deepEqual([roll.reboots, roll.balancer.state('n1'), howItEnded(roll)], [['n1'], 'ready', ['completed', 0, []]])
  assert.deepEqual(warningsOf(roll), [PUT_BACK])
  assert.deepEqual([...nodesBefore(entries.slice(0, entries.findIndex(({ type }) => type === 'putBack') + 1))], [])
})

test('a node that was put back by hand after its reboot is not rebooted again by the process that resumes', async (t) => {
  const nodes = [aNode('n1', { uid: 'uid-anew', bootId: 'boot-after' }), aNode('n2'), aNode('n3')]
  const run = { ...sentBefore, order: ['n1', 'n2'], underWay: 'n1' }
  const roll = begun(t, memoryRoll({ run, nodes, configMaps: { read: async () => undefined } }))
  await roll.clock.advance(800_000)
  assert.deepEqual([roll.reboots, howItEnded(roll)], [['n2'], ['completed', 0, []]])
  assert.match(warningsOf(roll).join(), /^n1 was put back since .*: it was rebooted, and is not begun again/)
  assert.deepEqual(
    roll.ended()?.standings.map(({ state }) => state),
    ['inService', 'inService'],
  )
})

test('of a node that was put back after its reboot the hooks that are not undone are named', async (t) => {
  const hook = (name: string, undo?: readonly string[]) =>
    ({
      name,
      at: 'beforeNode',
      run: ['true'],
      timeoutMs: 1_000,
      onFailure: 'stop',
      limitMs: 1_000,
      ...(undo && { undo }),
    }) as const
  const spec = aSpec({ hooks: [hook('quiet', ['true']), hook('note'), hook('other', ['true'])] })
  const hooksBefore = { 'n1 run quiet': { kind: 'done' }, 'n1 run note': { kind: 'done' } } as const
  const nodes = [aNode('n1', { uid: 'uid-anew', bootId: 'boot-after' }), aNode('n2'), aNode('n3')]
  const run = { ...sentBefore, spec, hooksBefore }
  const roll = begun(t, memoryRoll({ run, nodes, configMaps: { read: async () => undefined } }))
  await roll.clock.advance(60_000)
  assert.match(
    warningsOf(roll).join(),
    /not begun again; hook "quiet" has run for it and is not undone: undo it by hand$/,
  )
})

test('a node that was put back and that people cordoned since stays cordoned when the run is aborted', async (t) => {
  const verdict = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'asked for' }] } as const
  const nodes = [aNode('n1', { unschedulable: true }), aNode('n2'), aNode('n3')]
  const roll = begun(t, memoryRoll({ run: { ...begunBefore, verdict }, nodes }))
  await roll.clock.advance(60_000)
  assert.deepEqual([roll.cluster.node('n1').unschedulable, warningsOf(roll)], [true, [PUT_BACK]])
})

test('a node whose record others take off while it is out is put back as it was before the roll', async (t) => {
  const servers = [aServer('n1', { currentSessions: 3 }), aServer('n2'), aServer('n3')]
  const roll = begun(t, memoryRoll({ run: { order: ['n1'] }, servers }))
  await roll.clock.advance(10_000)
  roll.cluster.change('n1', { annotations: {} })
  await roll.clock.advance(1_000)
  roll.balancer.change({ instance: 'lb-1', backend: 'web', server: 'n1' }, { currentSessions: 0 })
  await roll.clock.advance(400_000)
  assert.deepEqual([roll.reboots, roll.balancer.state('n1')], [['n1'], 'ready'])
  assert.deepEqual([roll.cluster.node('n1').unschedulable, holder(roll)], [false, ''])
})

test('a roll that is aborted without the Node of what an earlier process had begun says that it may be out, and what to do', async (t) => {
  const verdict = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'asked for' }] } as const
  const begunBefore = { resumed: true, underWay: 'n1', verdict }
  const servers = [aServer('n1', { adminState: 'drain' }), aServer('n2'), aServer('n3')]
  const roll = begun(t, memoryRoll({ run: begunBefore, nodes: [aNode('n2'), aNode('n3')], servers }))
  await roll.clock.advance(5_000)
  assert.deepEqual(howItEnded(roll), ['aborted', 1, ['Aborted undefined', 'NodeGone n1']])
  assert.deepEqual(roll.ended()?.next, [
    'let n1 register again, and put back by hand what is still out (docs/put-a-node-back.md)',
  ])
})

test('a roll that is aborted without the Node of what no process had begun says nothing of it', async (t) => {
  const verdict = { kind: 'aborted', keepOut: false, reasons: [] } as const
  const run = { resumed: true, underWay: 'n2', verdict }
  const roll = begun(t, memoryRoll({ run, nodes: [aNode('n2'), aNode('n3')] }))
  await roll.clock.advance(5_000)
  assert.deepEqual(howItEnded(roll), ['aborted', 0, []])
})
