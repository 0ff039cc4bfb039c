import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/roll/decide/decide.ts'
import { aGate } from '../../support/gate-and-hook-world.ts'
import { SILENCE } from '../../support/memory-alertmanager.ts'
import { aRecord, aSnapshot, aSpec } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

test('a silence that fails holds a node before its cordon by its own name, and not by gates whose answers became old', () => {
  const spec = aSpec({ gates: [aGate()], silences: [{ ...SILENCE, onFailure: 'hold' }] })
  const s = aSnapshot({
    record: aRecord(),
    change: { spec, silences: { node: 'n1', states: { am: { kind: 'failed', text: 'it answered 503' } } } },
  })
  assert.equal(shortDecision(decide(s)), 'hold cordon: SilenceFailed')
})
