import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CordonState, cordonState } from '../../../src/agent/decide/cordon-state.ts'
import type { AgentEvidence } from '../../../src/agent/decide/evidence.ts'
import { formatMemory } from '../../../src/agent/decide/memory.ts'
import { observe } from '../../../src/agent/decide/observe.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { anAgent, NOW, someFacts } from '../../support/agent-world.ts'

const agoMs = (ms: number) => monoMs(NOW - ms)
const CORDONED = someFacts({ unschedulable: true })
const SEEN = { node: CORDONED, cordonedSince: agoMs(9_000) }

const STANDINGS: readonly (readonly [what: string, evidence: Partial<AgentEvidence>, standing: CordonState])[] = [
  ['the node is not cordoned', {}, 'none'],
  ['it was taken back', { cordonedSince: agoMs(9_000) }, 'none'],
  ['its node is gone', { node: 'gone', cordonedSince: agoMs(9_000) }, 'none'],
  ['it is as old as a cordon is borne', SEEN, 'counts'],
  ['it is a moment younger than that', { ...SEEN, cordonedSince: agoMs(8_999) }, 'young'],
  ['it is seen for the first time', { node: CORDONED }, 'young'],
  ['it is granted', { ...SEEN, brake: 'granted' }, 'counts'],
  ['it is not granted', { ...SEEN, brake: 'withheld' }, 'withheld'],
  ['the ConfigMap of grants cannot be read', { ...SEEN, brake: 'unknown' }, 'unknown'],
  [
    'the ConfigMap cannot be read any more, and the node has left for it',
    { ...SEEN, brake: 'unknown', cordonCounts: true },
    'counts',
  ],
]

for (const [what, evidence, standing] of STANDINGS) {
  test(`the standing of a cordon is "${standing}" where ${what}`, () => {
    const seen = anAgent({ spec: { cordonGraceMs: 9_000 }, evidence })
    assert.equal(cordonState({ ...seen, evidence: observe(seen) }), standing)
  })
}

test('a grant is for one cordon: the next one has to hear of its own', () => {
  const over = { ...SEEN, brake: 'granted', node: someFacts() } as const
  const uncordoned = anAgent({ spec: { cordonGraceMs: 0 }, evidence: over })
  const after = observe(uncordoned)
  const anew = anAgent({ spec: { cordonGraceMs: 0 }, evidence: { ...after, node: CORDONED } })
  assert.equal(cordonState({ ...anew, evidence: observe(anew) }), 'unknown')
  const heard = anAgent({ spec: { cordonGraceMs: 0 }, evidence: { ...after, node: CORDONED, brake: 'granted' } })
  assert.equal(cordonState({ ...heard, evidence: observe(heard) }), 'counts')
})

test('a grant that is heard before its cordon is seen counts for it', () => {
  const early = anAgent({ spec: { cordonGraceMs: 0 }, evidence: { node: someFacts(), brake: 'granted' } })
  const cordoned = anAgent({ spec: { cordonGraceMs: 0 }, evidence: { ...observe(early), node: CORDONED } })
  assert.equal(cordonState({ ...cordoned, evidence: observe(cordoned) }), 'counts')
})

test('a heartbeat of the Node does not change the text of the memory', () => {
  const boot = '11111111-1111-4111-8111-111111111111'
  const remembered = (resourceVersion: string): string =>
    formatMemory(boot, anAgent({ facts: { resourceVersion } }).evidence)
  assert.equal(remembered('100'), remembered('101'))
  assert.equal(JSON.parse(remembered('100')).evidence.node.uid, 'uid-n1')
})
