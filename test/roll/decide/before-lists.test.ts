import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { announced, back, out, proven, settled } from '../../support/roll-stages.ts'
import { aSnapshot } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const unlisted = (s: RollSnapshot): RollSnapshot => ({ ...s, cluster: { ...s.cluster, unlisted: { kinds: ['pods'] } } })
const verdict: Verdict = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'x' }] }

test('law: a process that resumes a node has its slot back before anything else; a process that resumes a run has its slot back before anything else was listed', () => {
  const free = aSnapshot({ ...back, change: { slot: { state: 'free', mayAct: false } } })
  assert.equal(shortDecision(decide(unlisted(free))), 'act slot: takeSlot')
})

test('what was not listed is named, and why', () => {
  const s = aSnapshot(out)
  const text = (more: { readonly error?: string }) => {
    const cluster = { ...s.cluster, unlisted: { kinds: ['pods', 'nodes'], ...more } }
    return decide({ ...s, cluster }).reasons.map((reason) => reason.text)
  }
  const then = 'until then n1 is kept out and nothing else is done'
  assert.deepEqual(text({}), [`the API server has not listed pods, nodes yet; ${then}`])
  assert.deepEqual(text({ error: 'HTTP 500' }), [`the API server has not listed pods, nodes yet (HTTP 500); ${then}`])
})

for (const [step, stage] of Object.entries({ drain: out, reboot: announced, proof: proven, attach: settled })) {
  test(`law: a process that resumes a run does nothing but keep its node out until everything was listed once; nothing of the ${step} is done while the pods were never listed, stop or not`, () => {
    const s = unlisted(aSnapshot(stage))
    assert.equal(shortDecision(decide(s)), 'hold slot: NotListedYet')
    assert.equal(shortDecision(decide({ ...s, run: { ...s.run, verdict } })), 'hold slot: NotListedYet')
  })
}
