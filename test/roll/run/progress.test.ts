import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReasonCode } from '../../../src/ground/model/reason.ts'
import type { Decision } from '../../../src/roll/model/decision.ts'
import type { RollEvent } from '../../../src/roll/model/roll-event.ts'
import type { Step } from '../../../src/roll/model/step.ts'
import { Progress } from '../../../src/roll/run/progress.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const holding = (code: ReasonCode, object: string, text: string, step: Step = 'slot'): Decision => ({
  kind: 'hold',
  step,
  reasons: [{ code, object, text }],
  recheckAfterMs: 500,
})

function aProgress() {
  const clock = new VirtualClock()
  const events: RollEvent[] = []
  const progress = new Progress('n1', { events: { emit: (event) => events.push(event) }, clock })
  const decided = (decision: Decision, limitMs?: number): void =>
    progress.decided(decision, { onTheWay: true, ...(limitMs === undefined ? {} : { limitMs }) })
  const holds = () =>
    events.flatMap((event) =>
      event.type === 'hold.started' || event.type === 'hold.changed' ? `${event.type} ${event.reasons[0]?.text}` : [],
    )
  const waits = () =>
    events.flatMap((event) => (event.type === 'step.waits' ? `${event.step}: ${event.reasons[0]?.text}` : []))
  const steps = () =>
    events.flatMap((event) =>
      event.type === 'step.started' || event.type === 'step.ended' ? `${event.type} ${event.step}` : [],
    )
  return { clock, decided, events, holds, steps, waits }
}

test('a hold whose counter runs is reported anew every ten seconds, and not with each request', async () => {
  const { clock, decided, holds } = aProgress()
  for (let failed = 0; failed <= 400; failed += 1) {
    decided(holding('BaselineNotGreen', 'shop', `${failed} requests failed`))
    await clock.advance(50)
  }
  assert.deepEqual(holds(), [
    'hold.started 0 requests failed',
    'hold.changed 200 requests failed',
    'hold.changed 400 requests failed',
  ])
})

test('another reason for a hold, or another object of it, is reported at once', () => {
  const { decided, holds } = aProgress()
  decided(holding('OtherNodeBad', 'n2', 'n2 is not Ready'))
  decided(holding('OtherNodeBad', 'n3', 'n3 is not Ready'))
  decided(holding('SlotTaken', 'n3', 'the node budget is used up'))
  assert.deepEqual(holds(), [
    'hold.started n2 is not Ready',
    'hold.changed n3 is not Ready',
    'hold.changed the node budget is used up',
  ])
})

test('steps with nothing to do are reported as started and ended, in order', () => {
  const { decided, steps } = aProgress()
  decided(holding('SlotTaken', 'n3', 'the node budget is used up'))
  decided(holding('OtherNodeBad', 'n3', 'n3 is not Ready', 'cordon'))
  assert.deepEqual(steps(), [
    'step.started slot',
    'step.ended slot',
    'step.started record',
    'step.ended record',
    'step.started cordon',
  ])
})

test('a hold that is given up at a limit tells what is left of it, in whole milliseconds; any other tells none', () => {
  const left = (limitMs?: number): unknown => {
    const { decided, events } = aProgress()
    decided(holding('SlotTaken', 'n3', 'the node budget is used up'), limitMs)
    return events.flatMap((event) => (event.type === 'hold.started' ? [event.limitMs] : []))
  }
  assert.deepEqual([left(), left(1500.4)], [[undefined], [1500]])
})

test('what a step waits for is reported at once where it is another thing, and else every ten seconds', async () => {
  const { clock, decided, waits, holds } = aProgress()
  for (let left = 30; left >= 0; left -= 1) {
    decided(holding('PodLeaving', `shop/cart-${left}`, `shop/cart-${left} is leaving`, 'drain'))
    await clock.advance(500)
  }
  decided(holding('ReplacementNotReady', 'shop/cart', 'shop/cart has 2 of 3 pods ready', 'drain'))
  decided(holding('DaemonNotBack', 'log/agent', 'log/agent is not back', 'proof'))
  decided(holding('DaemonNotBack', 'log/agent', 'log/agent is not back', 'proof'))
  assert.deepEqual(waits(), [
    'drain: shop/cart-30 is leaving',
    'drain: shop/cart-10 is leaving',
    'drain: shop/cart has 2 of 3 pods ready',
    'proof: log/agent is not back',
  ])
  assert.deepEqual(holds(), [])
})

test('after a hold it is said again what the step waits for', () => {
  const { decided, waits, events } = aProgress()
  decided(holding('PodLeaving', 'shop/cart-1', 'shop/cart-1 is leaving', 'drain'))
  decided(holding('BudgetExhausted', 'shop/cart-2', 'a budget allows nothing', 'drain'))
  decided(holding('PodLeaving', 'shop/cart-1', 'shop/cart-1 is leaving', 'drain'))
  assert.equal(waits().length, 2)
  assert.deepEqual(
    events.map(({ type }) => type),
    ['step.started', 'step.waits', 'hold.started', 'hold.ended', 'step.waits'],
  )
})
