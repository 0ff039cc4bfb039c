import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diagnose } from '../../../src/dns/decide/diagnosis/diagnose.ts'
import type { DnsFinding } from '../../../src/dns/decide/diagnosis/finding.ts'
import { HEALTH_CONDITION, healthOf } from '../../../src/dns/decide/health-condition.ts'
import { nextCondition } from '../../../src/ground/model/condition.ts'
import { aPodOfDns, aReading, aScene, DEAD, SILENT, V1, V2 } from './a-scene.ts'

const AT = '2026-01-01T00:00:00Z'

test('what is well, ill and not known is True, False and Unknown, by the code of what was found', () => {
  const blind = { vantages: [V1, V2].map((one) => ({ ...one, control: 'fails' as const })) }
  const said = [aScene(), aScene({ pods: { a: SILENT } }), aScene({ service: DEAD }), aScene({ change: blind })].map(
    (scene) => healthOf(diagnose(scene)),
  )
  assert.deepEqual(
    said.map(({ status, reason }) => `${status} ${reason}`),
    ['True Healthy', 'False UdpDead', 'False ServiceWrong', 'Unknown VantageCutOff'],
  )
})

test('the worst of what was found is the reason, and the rest stands beside it', () => {
  const scene = aScene({
    pods: { b: SILENT },
    change: { pods: [aPodOfDns('a', { ready: false, endpoint: 'notServing' }), aPodOfDns('b'), aPodOfDns('c')] },
  })
  assert.deepEqual(healthOf(diagnose(scene)), {
    status: 'False',
    reason: 'UdpDead',
    message: 'Pod b: the pod answers over TCP but not over UDP. Beside it: NotReady.',
  })
})

test('the same is said of the same, however many queries were lost', () => {
  const [one, other] = [3, 7].map((lost) =>
    healthOf(diagnose(aScene({ pods: { a: aReading({ ...SILENT, asked: 7, lost }) } }))),
  )
  assert.deepEqual(one, other)
})

test('of many subjects three are named, and none of them steers a terminal', () => {
  const subjects = ['a\u001b[2J', 'b', 'c', 'd', 'e'].map((name) => ({ kind: 'pod', name }) as const)
  const finding: DnsFinding = { code: 'AllPodsSilent', subjects, evidence: [] }
  assert.equal(healthOf([finding]).message, 'Pod a\\x1b[2J, pod b, pod c and 2 more: no pod answers, over UDP or TCP.')
})

test('a condition is written where it says something else, and its time is that of its status', () => {
  const ill = { type: HEALTH_CONDITION, ...healthOf(diagnose(aScene({ pods: { a: SILENT } }))) }
  const first = nextCondition(undefined, ill, { at: AT, generation: 3 })
  assert.deepEqual(first, {
    ...ill,
    type: 'evenkeel.dev/DNSHealthy',
    lastTransitionTime: AT,
    observedGeneration: 3,
  })
  const later = '2026-01-01T01:00:00Z'
  assert.equal(nextCondition(first, ill, { at: later, generation: 3 }), undefined)
  const ofNewer = nextCondition(first, ill, { at: later, generation: 4 })
  assert.deepEqual([ofNewer?.observedGeneration, ofNewer?.lastTransitionTime], [4, AT])
  const other = { ...ill, message: 'Something else.' }
  assert.equal(nextCondition(first, other, { at: later })?.lastTransitionTime, AT)
  assert.equal(nextCondition(first, { ...ill, status: 'True' }, { at: later })?.lastTransitionTime, later)
  const spoilt = { ...other, lastTransitionTime: 'yesterday' }
  assert.equal(nextCondition(spoilt, ill, { at: later })?.lastTransitionTime, later)
})
