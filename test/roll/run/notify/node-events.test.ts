import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import type { RollEvent } from '../../../../src/roll/model/roll-event.ts'
import type { Step } from '../../../../src/roll/model/step.ts'
import { NodeEvents } from '../../../../src/roll/run/notify/node-events.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'

const HOLDS = ['n1 EvenKeelHold', 'n1 EvenKeelHold']

/** An API server that answers every Event so, and what was written and warned of. */
function aWriter(answer: () => Promise<void> = async () => undefined) {
  const clock = new VirtualClock()
  const written: string[] = []
  const warned: string[] = []
  const events = new NodeEvents({
    run: { run: 'r-1' },
    notices: {
      tell: async ({ name, reason }) => {
        written.push(`${name} ${reason.code}`)
        await answer()
      },
    },
    clock,
    warn: (text) => warned.push(text),
  })
  let seq = 0
  const note = (event: RollEvent): void =>
    events.note({ ...event, v: '1.0', seq: seq++, at: '2026-01-01T00:00:00.000Z' })
  const step = (name: Step): void => note({ type: 'step.started', node: 'n1', step: name, reasons: [] })
  const hold = (type: 'hold.started' | 'hold.changed', code: 'SlotTaken' | 'BudgetUsedUp'): void =>
    note({ type, node: 'n1', step: 'drain', reasons: [{ code: code as never, text: 'wait' }] })
  const over = (): void => note({ type: 'hold.ended', node: 'n1', step: 'drain' })
  return { clock, events, step, hold, over, written, warned }
}

test('a hold that lasts is written once for each set of reasons of a step, and one that is soon over is not', async () => {
  const { clock, events, step, hold, over, written } = aWriter()
  step('drain')
  hold('hold.started', 'SlotTaken')
  await clock.advance(29_000)
  over()
  hold('hold.started', 'SlotTaken')
  await clock.advance(29_000)
  assert.deepEqual(written, ['n1 EvenKeelDrain'])
  await clock.advance(1_000)
  for (let i = 0; i < 5; i += 1) {
    hold('hold.changed', 'BudgetUsedUp')
    hold('hold.changed', 'SlotTaken')
  }
  over()
  step('reboot')
  hold('hold.started', 'SlotTaken')
  await clock.advance(30_000)
  hold('hold.started', 'BudgetUsedUp')
  await events.close()
  assert.deepEqual(written, ['n1 EvenKeelDrain', ...HOLDS, 'n1 EvenKeelReboot', 'n1 EvenKeelHold'])
})

test('without the right to write Events the roll warns once, with the fix, and tries no more', async () => {
  const forbidden = new WorldError('events is forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' })
  const { events, step, written, warned } = aWriter(() => Promise.reject(forbidden))
  step('cordon')
  step('detach')
  await events.close()
  step('drain')
  assert.deepEqual(written, ['n1 EvenKeelCordon'])
  assert.equal(warned.length, 1)
  assert.match(warned[0] ?? '', /^This run writes no Events on nodes: events is forbidden; .*deploy\/roll-rbac\.yaml/)
})

test('an API server that hangs costs the end of a roll a few seconds, and one warning in all', async () => {
  const { clock, events, step, written, warned } = aWriter(() => new Promise(() => undefined))
  step('cordon')
  step('detach')
  await clock.advance(10_000)
  assert.deepEqual(written, ['n1 EvenKeelCordon', 'n1 EvenKeelDetach'])
  const closed = events.close()
  await clock.advance(5_000)
  await closed
  assert.equal(warned.length, 1)
  assert.match(warned[0] ?? '', /^An Event on a node was not written: the API server did not answer within 10000 ms/)
})
