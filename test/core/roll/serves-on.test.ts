import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/core/roll/decide.ts'
import { keepDetached } from '../../../src/core/roll/keep-detached.ts'
import type { ServerReading } from '../../../src/model/balancer.ts'
import { monoMs } from '../../../src/model/time.ts'
import { anInstance, aRecord, aServer, aSnapshot, NEW_BOOT } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const OUT = { adminState: 'maint', ownState: 'maint' } as const

/** n1 is rebooted, requests fail since it was put back, and the roll stops. */
function failedInSoak(other: ServerReading, allowLastServer = false) {
  const s = aSnapshot({
    node: { bootId: NEW_BOOT },
    record: aRecord(),
    announced: true,
    evidence: { attachedAt: monoMs(999_000), attachingSince: monoMs(999_000) },
  })
  const verdict = { kind: 'stopped', keepOut: true, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
  const instances = [anInstance([aServer('n1'), other], { allowLastServer })]
  return { ...s, instances, run: { ...s.run, verdict } }
}

test('a node that failed in its soak is taken out again', () => {
  assert.equal(shortDecision(decide(failedInSoak(aServer('n2')))), 'act detach: setServer drain')
})

test('it serves on where nobody else could, and that is said', () => {
  const decision = decide(failedInSoak(aServer('n2', OUT)))
  assert.equal(shortDecision(decision), 'settled: RequestsFailed LastUsableServer')
  assert.equal(decision.reasons[1]?.text, 'web/n1 stays in service: no other server of web is usable on lb-1')
})

test('once another can serve, whoever guards it takes it out', () => {
  assert.deepEqual(keepDetached(failedInSoak(aServer('n2', OUT))), [])
  assert.deepEqual(
    keepDetached(failedInSoak(aServer('n2'))).map((action) => action.kind),
    ['setServer'],
  )
})

test('a pool of one is taken out for it as for a reboot', () => {
  assert.equal(shortDecision(decide(failedInSoak(aServer('n2', OUT), true))), 'act detach: setServer drain')
})
