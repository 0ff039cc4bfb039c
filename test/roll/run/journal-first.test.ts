import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import type { Action } from '../../../src/service/model/action.ts'
import { formatRecord, INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aRecord, drained } from '../../support/roll-world.ts'

const FULL = new WorldError('no space left on device', { code: 'JOURNAL_WRITE', retry: 'backoff' })
/** In a minute: it is tried again every half a second. A roll that tried again at once would never let time pass. */
const REFUSED_MAX = 1000
const SLOT = { namespace: 'evenkeel', name: 'evenkeel-slot-0' }

/** What the world shows once each disruptive effect on n1 was carried out. */
const SHOWS: Readonly<Partial<Record<Action['kind'], (roll: MemoryRoll) => boolean>>> = {
  takeSlot: ({ cluster }) => (cluster.leases.get(SLOT)?.holder ?? '') !== '',
  writeRecord: ({ cluster }) => RECORD_ANNOTATION in cluster.node('n1').annotations,
  cordon: ({ cluster }) => cluster.node('n1').unschedulable,
  setServer: ({ balancer }) => balancer.state('n1') !== 'ready',
  writeIntent: ({ cluster }) => INTENT_ANNOTATION in cluster.node('n1').annotations,
  sendReboot: ({ reboots }) => reboots.includes('n1'),
}
const EFFECTS = Object.entries(SHOWS)

const means = (entry: JournalEntry, kind: string): boolean =>
  entry.type === 'meant' && (entry.actions as readonly Action[]).some((action) => action.kind === kind)

/** A roll of n1 whose journal does with each entry as `append` says, from its start. */
function begun(t: TestContext, append: (entry: JournalEntry, roll: MemoryRoll) => Promise<void>): MemoryRoll {
  const roll: MemoryRoll = memoryRoll({ run: { order: ['n1'] }, append: (entry) => append(entry, roll) })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return roll
}

for (const [kind, isShown] of EFFECTS) {
  test(`${kind} is not carried out where the journal refused its very entry`, async (t) => {
    let refused = 0
    const roll = begun(t, (entry) => {
      if (refused === 0 && !means(entry, kind)) return Promise.resolve()
      refused += 1
      return refused > REFUSED_MAX ? new Promise(() => undefined) : Promise.reject(FULL)
    })
    await roll.clock.advance(60_000)
    assert.equal(isShown(roll), false)
    assert.ok(refused > 0 && refused < REFUSED_MAX, `${refused} entries within a minute`)
  })

  test(`${kind} waits until its very entry is on the disk`, async (t) => {
    const { promise: synced, resolve: sync } = Promise.withResolvers<void>()
    let hasBegun = false
    const roll = begun(t, (entry) => {
      if (!means(entry, kind)) return Promise.resolve()
      hasBegun = true
      return synced
    })
    await roll.clock.advance(60_000)
    assert.deepEqual([hasBegun, isShown(roll)], [true, false])
    sync()
    await roll.clock.advance(10_000)
    assert.equal(isShown(roll), true)
  })
}

test('a node that is out is put back although the journal takes nothing', async (t) => {
  const annotations = { [RECORD_ANNOTATION]: formatRecord(aRecord()) }
  const roll = memoryRoll({
    run: { resumed: true, verdict: { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'x' }] } },
    nodes: [aNode('n1', { unschedulable: true, annotations }), aNode('n2'), aNode('n3')],
    servers: drained(),
    append: () => Promise.reject(FULL),
  })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(60_000)
  const { unschedulable, annotations: left } = roll.cluster.node('n1')
  assert.deepEqual([roll.ended()?.outcome, unschedulable, roll.balancer.state('n1')], ['aborted', false, 'ready'])
  assert.equal(RECORD_ANNOTATION in left, false)
})

test('a node is noted as through while it still bears its record, which waits until that is on the disk', async (t) => {
  const { promise: synced, resolve: sync } = Promise.withResolvers<void>()
  const bearsRecord = ({ cluster }: MemoryRoll): boolean => RECORD_ANNOTATION in cluster.node('n1').annotations
  let whenNoted: boolean | undefined
  const roll = begun(t, (entry, at) => {
    if (entry.type !== 'through') return Promise.resolve()
    whenNoted = bearsRecord(at)
    return synced
  })
  await roll.clock.advance(300_000)
  assert.deepEqual([whenNoted, bearsRecord(roll)], [true, true])
  sync()
  await roll.clock.advance(10_000)
  assert.deepEqual([bearsRecord(roll), roll.ended()?.outcome], [false, 'completed'])
})

test('a process that keeps the verdict of the one before it has it in the journal before it says that it has begun', async (t) => {
  const verdict = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: '3 failed' }] } as const
  const types: string[] = []
  const run = { resumed: true, keepsVerdict: true, verdict } as const
  const roll = memoryRoll({ run, append: async ({ type }) => void types.push(type) })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(5_000)
  assert.deepEqual([types.slice(0, 2), roll.reboots], [['verdict', 'roll.started'], []])
})
