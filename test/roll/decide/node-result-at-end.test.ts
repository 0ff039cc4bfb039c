import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { nodeResult } from '../../../src/roll/decide/node-result.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { servesNothing } from '../../../src/service/decide/budget/serves-nothing.ts'
import { cordoned } from '../../support/roll-stages.ts'
import { anInstance, aServer, aSnapshot } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const N1 = { addresses: ['10.0.0.1'] }

const verdict: Verdict = { kind: 'held', keepOut: false, reasons: [{ code: 'InstanceSilent', text: 'lb-1 is silent' }] }

const givenUp = (s: NodeSnapshot): NodeSnapshot => ({ ...s, run: { ...s.run, verdict } })

/** After the last decision over it: the slot goes back. */
function lastOf(s: NodeSnapshot) {
  const decision = decide(s)
  const evidence = rememberDecision(s, decision)
  return [shortDecision(decision), nodeResult({ ...s, evidence }, undefined, 0).state]
}

test('a node that is given up before its record was not touched', () => {
  assert.deepEqual(lastOf(givenUp(aSnapshot())), ['act slot: releaseSlot', 'notTouched'])
})

test('a node that is given up with its record is restored', () => {
  const restored = givenUp(aSnapshot({ evidence: { attachedAt: monoMs(990_000) } }))
  assert.deepEqual(lastOf(restored), ['act soak: releaseSlot', 'restored'])
})

test('a node is detached when every server that leads to it is out, and there is one', () => {
  const instances = (states: readonly ('ready' | 'drain')[]) => [
    anInstance(states.map((adminState) => aServer('n1', { adminState }))),
  ]
  const textOf = (states: readonly ('ready' | 'drain')[]): string =>
    nodeResult(aSnapshot({ ...cordoned, change: { instances: instances(states) } }), undefined, 0).text
  assert.equal(textOf(['drain', 'drain']), 'not rebooted, cordoned, detached')
  assert.equal(textOf(['drain', 'ready']), 'not rebooted, cordoned, attached')
  assert.equal(textOf([]), 'not rebooted, cordoned, attached')
})

test('a node counts as detached by the backends of the file alone', () => {
  const ref = { instance: 'lb-1', backend: 'another', server: 'n1' }
  const servers = [aServer('n1', { adminState: 'drain' }), aServer('n1', { ref })]
  assert.equal(servesNothing(N1, [anInstance(servers)]), 'detached')
})
