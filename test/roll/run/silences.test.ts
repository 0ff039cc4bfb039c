import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SilenceSpec } from '../../../src/roll/model/silence-spec.ts'
import type { JournalEntry } from '../../../src/roll/ports/journal.ts'
import type { RunState } from '../../../src/roll/run/run-state.ts'
import { silencesBefore } from '../../../src/roll/run/silences/silence-keeper.ts'
import { aGate, MemoryGates } from '../../support/gate-and-hook-world.ts'
import { MemoryAlertmanager, SILENCE } from '../../support/memory-alertmanager.ts'
import { leave, memoryRoll } from '../../support/memory-roll.ts'
import { aSpec } from '../../support/roll-world.ts'

interface Asked {
  readonly silence?: Partial<SilenceSpec>
  readonly run?: Partial<RunState>
  readonly gateFails?: boolean
}

function begin(manager: MemoryAlertmanager, { silence, run, gateFails = false }: Asked = {}) {
  const gates = new MemoryGates()
  gates.answer = () => ({ kind: 'fails', text: 'no' })
  const spec = aSpec({
    soakMs: 1_000,
    silences: [{ ...SILENCE, ...silence }],
    ...(gateFails ? { gates: [aGate({ before: ['attach'] })] } : {}),
  })
  const journal: JournalEntry[] = []
  const append = async (entry: JournalEntry): Promise<void> => void journal.push(entry)
  const state = { spec, order: ['n1', 'n2'], ...run }
  const roll = memoryRoll({ run: state, silencer: manager, gates, append })
  return { roll, journal, running: roll.begin() }
}

async function ended(begun: ReturnType<typeof begin>) {
  const { roll, running } = begun
  for (let s = 0; s < 1_200 && roll.ended() === undefined; s += 10) await roll.clock.advance(10_000)
  await leave(roll, running)
  const held = roll.events.flatMap((event) =>
    event.type === 'hold.started' || event.type === 'hold.changed' ? event.reasons.map(({ text }) => text) : [],
  )
  const warnings = roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  return { ...begun, end: roll.ended(), held, warnings }
}

test('law: a silence has the matchers of the file, filled in for one node, and none besides; it is made before the cordon, and ends when the node is back', async () => {
  const manager = new MemoryAlertmanager()
  const cordonedAt: number[] = []
  const begun = begin(manager, { run: { origin: { reason: 'kernel' } } })
  const { cluster } = begun.roll
  const patch = cluster.patchNode.bind(cluster)
  cluster.patchNode = (name, ops) => {
    if (JSON.stringify(ops).includes('/spec/unschedulable')) cordonedAt.push(manager.standing.size)
    return patch(name, ops)
  }
  const { end } = await ended(begun)
  assert.equal(end?.outcome, 'completed')
  assert.equal(manager.standing.size, 0)
  assert.equal(cordonedAt[0], 1)
  const [first] = manager.puts
  assert.deepEqual(first?.matchers, [
    { name: 'instance', value: '10\\.0\\.0\\.1(:[0-9]+)?', isRegex: true },
    { name: 'node', value: 'n1', isRegex: false },
  ])
  assert.equal(first?.comment, 'n1: rolled by Even Keel, run run-1: kernel')
  assert.deepEqual(first?.headers, { authorization: 'secret' })
  assert.equal(Date.parse(first?.endsAt ?? '') - Date.parse(first?.startsAt ?? ''), 60_000)
  assert.deepEqual(
    manager.puts.filter(({ id }) => id === undefined).map(({ comment }) => comment.slice(0, 2)),
    ['n1', 'n2'],
  )
  // A reboot takes 25 s: it is renewed every third of its minute.
  assert.ok(manager.puts.some(({ id }) => id === 'id-1'))
})

test('an Alertmanager that is away is reported and holds nothing, unless the file says so', async () => {
  for (const fault of ['Alertmanager answered 503', 'hangs']) {
    const manager = new MemoryAlertmanager()
    manager.fault = fault
    const { end, warnings, roll } = await ended(begin(manager))
    assert.equal(end?.outcome, 'completed')
    assert.deepEqual(roll.reboots, ['n1', 'n2'])
    const why = fault === 'hangs' ? 'Alertmanager did not answer within 2000 ms' : fault
    assert.ok(warnings.includes(`alerts of n1 are not silenced in am: ${why}`), warnings.join('\n'))
    const unsure = `a silence that may have been made for n1 in am was not ended, and ends by itself: ${why}`
    assert.deepEqual(
      warnings.filter((text) => text.includes('n1')),
      [`alerts of n1 are not silenced in am: ${why}`, ...(fault === 'hangs' ? [unsure] : [])],
    )
  }
})

test('where the file says hold, the node is restored after drain.blockedLimit, and goes once Alertmanager is back', async () => {
  const away = new MemoryAlertmanager()
  away.fault = 'Alertmanager answered 503'
  const { end, held, roll } = await ended(begin(away, { silence: { onFailure: 'hold' } }))
  assert.deepEqual([end?.outcome, end?.reasons.map(({ code }) => code)], ['held', ['SilenceFailed']])
  assert.deepEqual(
    end?.standings.map(({ state }) => state),
    ['restored', 'notTouched'],
  )
  assert.equal(roll.cluster.node('n1').unschedulable, false)
  assert.deepEqual([...new Set(held)], ['alerts of n1 are not silenced in am: Alertmanager answered 503'])

  const back = new MemoryAlertmanager()
  back.fault = 'Alertmanager answered 503'
  const begun = begin(back, { silence: { onFailure: 'hold' } })
  await begun.roll.clock.advance(60_000)
  back.fault = undefined
  assert.equal((await ended(begun)).end?.outcome, 'completed')
})

test('a node that stays out is silent no longer, so that its alerts reach people', async () => {
  const manager = new MemoryAlertmanager()
  const { end } = await ended(begin(manager, { gateFails: true }))
  assert.deepEqual(end?.guarded, ['n1'])
  assert.equal(manager.standing.size, 0)
})

test('a process that takes the run up renews the silence that an earlier one made, or makes it anew if it is gone', async () => {
  const manager = new MemoryAlertmanager()
  const first = begin(manager)
  await first.roll.clock.advance(5_000)
  const kept = silencesBefore(first.journal)
  assert.deepEqual(kept, { 'n1 am': 'id-1' })
  await leave(first.roll, first.running)
  // It was interrupted: the silence stands until it is renewed, or ends by itself.
  assert.equal(manager.standing.size, 1)
  const before = manager.puts.length
  await ended(begin(manager, { run: { silencesBefore: kept, resumed: true } }))
  assert.equal(manager.puts[before]?.id, 'id-1')
  const made = manager.puts.length
  await ended(begin(manager, { run: { silencesBefore: { 'n1 am': 'of-long-ago' }, resumed: true } }))
  assert.equal(manager.puts[made]?.id, undefined)
  assert.equal(manager.standing.size, 0)
})

test('silences whose making had no answer are found by their text and ended with the others', async () => {
  const manager = new MemoryAlertmanager()
  manager.losesAnswers = true
  const begun = begin(manager, { run: { order: ['n1'] }, silence: { onFailure: 'hold' } })
  await begun.roll.clock.advance(5_000)
  assert.ok(manager.standing.size > 0)
  manager.losesAnswers = false
  const { end, warnings } = await ended(begun)
  assert.deepEqual([end?.outcome, manager.standing.size], ['completed', 0])
  assert.deepEqual(
    warnings.filter((text) => text.includes('was not ended')),
    [],
  )
})

test('a resumed run looks for silences that the process before it may have made', async () => {
  const manager = new MemoryAlertmanager()
  manager.losesAnswers = true
  const begun = begin(manager, { silence: { onFailure: 'hold' } })
  await begun.roll.clock.advance(5_000)
  await leave(begun.roll, begun.running)
  manager.losesAnswers = false
  assert.deepEqual([silencesBefore(begun.journal), manager.standing.size > 0], [{}, true])
  await ended(begin(manager, { run: { resumed: true } }))
  assert.equal(manager.standing.size, 0)
})

test('an expiry that fails is reported, and the silence is left to end by itself', async () => {
  const manager = new MemoryAlertmanager()
  const begun = begin(manager, { run: { order: ['n1'] } })
  await begun.roll.clock.advance(5_000)
  manager.fault = 'Alertmanager answered 500'
  const { end, warnings } = await ended(begun)
  assert.equal(end?.outcome, 'completed')
  assert.ok(warnings.some((text) => text.startsWith('the silence of n1 in am was not ended, and ends by itself:')))
})
