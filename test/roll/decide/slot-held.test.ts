import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { SlotReading } from '../../../src/roll/decide/snapshot.ts'
import { aRecord, aSnapshot, drained, NEW_BOOT } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

/** n1 is out and its run ended; the try for the slot was answered a moment ago. */
function tried(slot: SlotReading) {
  const retry = { failures: 1, notBefore: monoMs(1_002_000), error: 'another owner holds the slot' }
  const verdict = { kind: 'aborted', keepOut: false, reasons: [] } as const
  const out = aSnapshot({
    node: { unschedulable: true },
    record: aRecord(),
    servers: drained(),
    evidence: { retries: { 'takeSlot n1': retry } },
  })
  const decision = decide({ ...out, slot, run: { ...out.run, verdict } })
  return { kind: decision.kind, texts: decision.reasons.map(({ text }) => text) }
}

test('while the process waits for the slot, it names only the owner of the slot', () => {
  assert.deepEqual(tried({ state: 'other', mayAct: false, holderRun: 'run-2', holderNode: 'n3' }), {
    kind: 'hold',
    texts: ['the node budget is used up: run run-2 has n3 out'],
  })
})

test('another process of the same run is reported as such: it may live, where this one has not the journal', () => {
  assert.deepEqual(tried({ state: 'other', mayAct: false, holderRun: 'run-1', holderNode: 'n1' }), {
    kind: 'hold',
    texts: [
      'another process holds the slot of run run-1 for n1; this process takes the slot over once it has not been renewed for its duration',
    ],
  })
})

test('where the API did not answer, that is what is said', () => {
  assert.deepEqual(tried({ state: 'free', mayAct: false }).texts, [
    'another owner holds the slot',
    'a slot of the node budget is free',
  ])
})

test('law: a stale slot of another run is not taken over while a node bears the record of a run without a living slot; a stale slot of the same run may be taken though a node bears a record, one of another run may not', () => {
  const due = (holderRun: string) => {
    const world = aSnapshot({ node: { unschedulable: true }, record: aRecord(), servers: drained() })
    const nodes = world.cluster.nodes.map((node) => ({ ...node, annotations: { 'evenkeel.dev/record': '{}' } }))
    const verdict = { kind: 'aborted', keepOut: false, reasons: [] } as const
    const decision = decide({
      ...world,
      cluster: { ...world.cluster, nodes },
      run: { ...world.run, verdict },
      slot: { state: 'stale', mayAct: false, holderRun, holderNode: 'n1' },
    })
    return decision.kind === 'act' && decision.actions.some((action) => action.kind === 'takeSlot' && action.takeStale)
  }
  assert.deepEqual([due('run-1'), due('run-2')], [true, false])
})

test('a record that was lost is written again only once the slot is held', () => {
  const lost = aSnapshot({ node: { bootId: NEW_BOOT }, record: aRecord() })
  const s = { ...lost, current: { ...lost.current, recordLost: true as const } }
  assert.equal(shortDecision(decide({ ...s, slot: { state: 'free', mayAct: false } })), 'act slot: takeSlot')
  assert.equal(shortDecision(decide(s)).split(': ')[1], 'writeRecord')
})
