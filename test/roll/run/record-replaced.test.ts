import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { NODE_ANNOTATION } from '../../../src/ground/model/slot.ts'
import { formatRecord, INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aRecord, aServer, aSpec } from '../../support/roll-world.ts'

const NAMES = ['n1', 'n2', 'n3', 'n4']
const BUDGET = {
  namespace: 'evenkeel',
  name: 'evenkeel-budget',
  resourceVersion: '1',
  annotations: {},
  data: { maxOut: '2' },
}

interface Course {
  readonly parallel?: 1 | 2
  /** Sessions that keep n1 in its detach; without them it is rebooting when its record is replaced. */
  readonly sessions?: number
}

function begun(t: TestContext, roll: MemoryRoll): MemoryRoll {
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return roll
}

/** Ten seconds of a roll, of which n1 is out and may be rebooting. */
async function inWork(t: TestContext, { parallel = 1, sessions = 3 }: Course): Promise<MemoryRoll> {
  const spec = aSpec(parallel === 1 ? {} : { parallel: { nodes: 2, oneZone: false } })
  const roll = begun(
    t,
    memoryRoll({
      run: { order: ['n1', 'n2', 'n3'], spec },
      nodes: NAMES.map((name) => aNode(name)),
      servers: NAMES.map((name) => aServer(name, name === 'n1' ? { currentSessions: sessions } : {})),
      ...(parallel === 1 ? {} : { configMaps: { read: async () => BUDGET } }),
    }),
  )
  if (sessions === 0) roll.machine.rebooted = () => undefined
  await roll.clock.advance(10_000)
  return roll
}

const replace = ({ cluster }: MemoryRoll, text: string): void =>
  void cluster.change('n1', { annotations: { ...cluster.node('n1').annotations, [RECORD_ANNOTATION]: text } })

const holderOf = ({ cluster }: MemoryRoll, index = 0) =>
  cluster.leases.get({ namespace: 'evenkeel', name: `evenkeel-slot-${index}` })?.holder
const resultOf = ({ ended }: MemoryRoll, name = 'n1') => {
  const found = ended()?.standings.find(({ node }) => node === name)
  return found && [found.state, found.text]
}
const endOf = ({ ended }: MemoryRoll) => {
  const end = ended()
  return end && [end.outcome, end.exitCode, end.guarded, end.reasons.map(({ text }) => text)]
}
/** All that n1 shows. */
const stateOf = ({ cluster, balancer }: MemoryRoll) => [cluster.node('n1').unschedulable, balancer.state('n1')]

const REPLACED: readonly (readonly [what: string, record: string, said: string])[] = [
  [
    'is no JSON any more',
    '{',
    'the record on n1 cannot be read: it is not JSON; this run has n1 out, and did not write it',
  ],
  [
    'was replaced by one of a newer version',
    '{"version":2}',
    'the record on n1 cannot be read: its version is 2, not 1; this run has n1 out, and did not write it',
  ],
  [
    'was replaced by that of another run',
    formatRecord(aRecord({ run: 'run-9' })),
    'n1 carries the record of run run-9 in the place of the record of this run, which has n1 out',
  ],
]

for (const [what, record, said] of REPLACED) {
  for (const parallel of [1, 2] as const) {
    test(`law: a node whose record was replaced while it was in work stays out and keeps its slot; it ${what}, ${parallel} at a time`, async (t) => {
      const roll = await inWork(t, { parallel })
      replace(roll, record)
      await roll.clock.advance(300_000)
      assert.deepEqual(endOf(roll), ['stopped', 1, ['n1'], [said]])
      assert.deepEqual(resultOf(roll), ['out', 'not rebooted, cordoned, detached'])
      assert.match(holderOf(roll) ?? '', /^run-1/)
      assert.deepEqual(stateOf(roll), [true, 'drain'])
      assert.equal(roll.cluster.node('n1').annotations[RECORD_ANNOTATION], record, 'what others wrote stays theirs')
      assert.deepEqual(roll.reboots, parallel === 1 ? [] : ['n2'])
      await roll.balancer.setState({ instance: 'lb-1', backend: 'web', server: 'n1' }, 'ready')
      await roll.clock.advance(1000)
      assert.equal(roll.balancer.state('n1'), 'drain', 'what a reload forgot is said again')
    })
  }

  test(`a node whose record ${what} while its reboot may come is told as one that may be rebooting`, async (t) => {
    const roll = await inWork(t, { sessions: 0 })
    assert.ok(INTENT_ANNOTATION in roll.cluster.node('n1').annotations)
    replace(roll, record)
    await roll.clock.advance(5_000)
    assert.deepEqual(endOf(roll), ['stopped', 1, ['n1'], [said]])
    assert.deepEqual(resultOf(roll), ['out', 'may be rebooting, cordoned, detached; it stays so until proven'])
    assert.match(holderOf(roll) ?? '', /^run-1/)
  })
}

/** n1 as a process of run-1 left it, with another text in the place of its record. */
function resumed(record: string, change: Parameters<typeof memoryRoll>[0] = {}): MemoryRoll {
  const nodes = [aNode('n1', { unschedulable: true, annotations: { [RECORD_ANNOTATION]: record } }), aNode('n2')]
  const servers = [aServer('n1', { adminState: 'drain', ownState: 'drain' }), aServer('n2')]
  const recordsBefore = { n1: { record: aRecord(), isSent: false } }
  const run = { order: ['n1', 'n2'], resumed: true, underWay: 'n1', inWorkBefore: ['n1'], recordsBefore }
  return memoryRoll({ nodes, servers, run, ...change })
}

for (const [what, record, said] of REPLACED.slice(0, 2))
  test(`a process that resumes finds that the record ${what}: it takes the slot, says so and stops`, async (t) => {
    const roll = begun(t, resumed(record))
    await roll.clock.advance(60_000)
    assert.deepEqual(endOf(roll), ['stopped', 1, ['n1'], [said]])
    assert.deepEqual(resultOf(roll), ['out', 'not rebooted, cordoned, detached'])
    assert.match(holderOf(roll) ?? '', /^run-1/)
    assert.deepEqual([stateOf(roll), roll.reboots], [[true, 'drain'], []])
    assert.match(
      roll.ended()?.next.map(plainText)[0] ?? '',
      /^take off what cannot be read: kubectl annotate node n1 evenkeel.dev\/record-; .* evenkeel roll resume run-1 /,
    )
  })

test('a process that resumes finds the record of another run, and the Lease that still has the node for its own: it takes the slot, says so and stops', async (t) => {
  const configMaps = { read: async () => BUDGET }
  const roll = resumed(formatRecord(aRecord({ run: 'run-9' })), { configMaps })
  roll.cluster.leases.put({
    ...{ namespace: 'evenkeel', name: 'evenkeel-slot-0', holder: 'run-1/old', durationSeconds: 120 },
    ...{ renewTime: '', transitions: 0, resourceVersion: '', annotations: { [NODE_ANNOTATION]: 'n1' } },
  })
  begun(t, roll)
  await roll.clock.advance(60_000)
  const said = 'n1 carries the record of run run-9 in the place of the record of this run, which has n1 out'
  assert.deepEqual(endOf(roll), ['stopped', 1, ['n1'], [said]])
  assert.deepEqual(resultOf(roll), ['out', 'not rebooted, cordoned, detached'])
  assert.match(holderOf(roll) ?? '', /^run-1/)
  assert.deepEqual([stateOf(roll), roll.reboots], [[true, 'drain'], []])
})

test('once what cannot be read was taken off, the run that is resumed rolls the node to its end', async (t) => {
  const roll = resumed('{')
  roll.cluster.change('n1', { annotations: {} })
  begun(t, roll)
  await roll.clock.advance(400_000)
  assert.deepEqual(
    [endOf(roll), roll.reboots],
    [
      ['completed', 0, [], []],
      ['n1', 'n2'],
    ],
  )
  assert.deepEqual(stateOf(roll), [false, 'ready'])
})

test('a node that an earlier process had in work is out, also where this one is interrupted before it decides anything', async (t) => {
  const roll = resumed('{')
  roll.over.abort()
  begun(t, roll)
  await roll.clock.advance(1_000)
  assert.deepEqual(resultOf(roll), ['out', 'as an earlier process of this run left it'])
  assert.deepEqual(resultOf(roll, 'n2'), ['notTouched', 'not touched'])
})

test('a record that was never this run’s is held against the node, which is not touched', async (t) => {
  const annotations = { [RECORD_ANNOTATION]: '{' }
  const roll = begun(t, memoryRoll({ nodes: [aNode('n1', { annotations }), aNode('n2'), aNode('n3')] }))
  await roll.clock.advance(2_000_000)
  assert.equal(roll.ended()?.outcome, 'held')
  assert.deepEqual([resultOf(roll), holderOf(roll)], [['notTouched', 'not touched'], undefined])
})
