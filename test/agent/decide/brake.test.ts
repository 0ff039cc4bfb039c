import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brakeBy } from '../../../src/agent/decide/brake.ts'
import type { AgentEvidence } from '../../../src/agent/decide/evidence.ts'
import { formatMemory, parseMemory } from '../../../src/agent/decide/memory.ts'
import { observe } from '../../../src/agent/decide/observe.ts'
import type { NodeReading } from '../../../src/ground/model/node-reading.ts'
import { anAgent, NOW } from '../../support/agent-world.ts'

const BOOT = '11111111-1111-4111-8111-111111111111'

test('a brake names the nodes whose cordon counts, whole names and no others', () => {
  const grants = { version: 1, granted: ['n1', 'n22'], max: 2, of: 5 } as const
  assert.equal(brakeBy(grants, 'n1'), 'granted')
  assert.equal(brakeBy(grants, 'n2'), 'withheld')
  assert.equal(brakeBy({ ...grants, granted: [] }, 'n1'), 'withheld')
  assert.equal(brakeBy(undefined, 'n1'), 'unknown')
})

const CORDONED = { unschedulable: true, resourceVersion: '' }
const counts = (evidence: Partial<AgentEvidence>, facts: Partial<NodeReading> = CORDONED): true | undefined =>
  observe(anAgent({ facts, evidence })).cordonCounts

test('that a cordon counts is remembered until it is taken back or not granted', () => {
  assert.equal(counts({ brake: 'granted' }), true)
  assert.equal(counts({ brake: 'none' }), true)
  assert.equal(counts({ brake: 'unknown' }), undefined)
  assert.equal(counts({ brake: 'unknown', cordonCounts: true }), true)
  assert.equal(counts({ brake: 'withheld', cordonCounts: true }), undefined)
  assert.equal(counts({ brake: 'granted', cordonCounts: true }, { unschedulable: false }), undefined)
})

test('what was known of the brake outlasts the process', () => {
  for (const brake of ['none', 'granted', 'withheld', 'unknown'] as const) {
    const { evidence } = anAgent({ facts: CORDONED, evidence: { brake, cordonCounts: true } })
    assert.deepEqual(parseMemory(formatMemory(BOOT, evidence), BOOT, NOW), evidence)
  }
  const { evidence } = anAgent({ facts: { resourceVersion: '' } })
  const forged = formatMemory(BOOT, evidence).replace('"brake":"none"', '"brake":"open","cordonCounts":"yes"')
  const { brake: _none, ...rest } = evidence
  assert.deepEqual(parseMemory(forged, BOOT, NOW), rest)
})
