import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import type { Decision } from '../../../src/roll/model/decision.ts'
import type { RollEvent } from '../../../src/roll/model/roll-event.ts'
import type { Step } from '../../../src/roll/model/step.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { WaitEnds } from '../../../src/roll/run/wait-ends.ts'
import type { ConnectionsEnd } from '../../../src/service/decide/evidence.ts'
import { KEY, noticedSince } from '../../support/endpoint-world.ts'
import { aSnapshot } from '../../support/roll-world.ts'

const END: ConnectionsEnd = { by: 'limit', left: 2, since: monoMs(940_000), at: monoMs(945_000) }
const FAILED: Verdict = { kind: 'stopped', keepOut: false, reasons: [] }
const holds = (step: Step): Decision => ({ kind: 'hold', step, reasons: [], recheckAfterMs: 500 })

/** What was told after these steps, with how it ended known from the start. */
function eventsAfter(steps: readonly Step[], verdict?: Verdict) {
  const events: RollEvent[] = []
  const waits = new WaitEnds({ emit: (event) => events.push(event) })
  const evidence = { ...noticedSince('out', 940_000), connectionsEnded: { [KEY]: END } }
  const s = aSnapshot({ evidence })
  const seen = verdict === undefined ? s : { ...s, run: { ...s.run, verdict } }
  for (const step of steps) waits.decided('n1', seen, holds(step))
  return events.map((event) => (event.type === 'idle' ? `idle ${event.by} ${event.left} ${event.afterMs}` : event.type))
}

test('how connections ended is reported once the node goes on, wherever it waited meanwhile', () => {
  assert.deepEqual(eventsAfter(['detach']), ['noticed'])
  assert.deepEqual(eventsAfter(['detach', 'drain']), ['noticed', 'idle limit 2 5000'])
  assert.deepEqual(eventsAfter(['detach', 'slot', 'drain']), ['noticed', 'idle limit 2 5000'])
})

test('it is reported once, also where the node has to be detached again', () => {
  assert.deepEqual(eventsAfter(['detach', 'drain', 'detach', 'drain', 'reboot']), ['noticed', 'idle limit 2 5000'])
})

test('a node that steps back, or is given up, shows nothing of it', () => {
  assert.deepEqual(eventsAfter(['detach', 'cordon', 'slot']), ['noticed'])
  assert.deepEqual(eventsAfter(['detach', 'attach'], FAILED), ['noticed'])
})
