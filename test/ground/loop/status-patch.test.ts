import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statusPatch } from '../../../src/ground/loop/status-patch.ts'
import type { ObjectStatus, WantedStatus } from '../../../src/ground/model/object-status.ts'
import { wallMs } from '../../../src/ground/model/time.ts'

const AT = '2026-01-01T00:00:00Z'
const LATER = wallMs(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
const ready = { type: 'Ready', status: 'True', reason: 'AllReady', message: 'All nodes are ready.' }
const kept = { ...ready, lastTransitionTime: AT, observedGeneration: 3 }

function patched(status: Partial<ObjectStatus>, wanted: Partial<WantedStatus>, generation: number | undefined = 3) {
  const read = { observedGeneration: 3, conditions: [kept], fields: {}, ...status }
  const object = { name: 'a', resourceVersion: '7', generation, status: read }
  return statusPatch(object, { conditions: [ready], fields: {}, ...wanted }, LATER)
}

test('law: a status that says so already is not written; in whatever order its fields come', () => {
  assert.equal(patched({}, {}), undefined)
  const fields = { nodes: { n1: { state: 'Out', of: 2 } }, list: [{ a: 1, b: 2 }] }
  const same = { list: [{ b: 2, a: 1 }], nodes: { n1: { of: 2, state: 'Out' } } }
  assert.equal(patched({ fields }, { fields: same }), undefined)
  assert.equal(patched({}, { fields: { nodes: undefined } }), undefined)
  const bare = { list: [{ a: 1 }] }
  assert.equal(patched({ fields: bare }, { fields: { list: [{ a: 1, b: undefined }] } }), undefined)
})

test('a condition whose words alone change keeps the time of its status', () => {
  const words = { ...ready, message: 'All 3 nodes are ready.' }
  assert.deepEqual(patched({}, { conditions: [words] }), {
    metadata: { resourceVersion: '7' },
    status: { conditions: [{ ...kept, message: 'All 3 nodes are ready.' }] },
  })
})

test('a condition whose status changes gets the time of now, in whole seconds, and conditions of others stay', () => {
  const other = { type: 'Other', status: 'True', reason: 'R', message: '', lastTransitionTime: AT }
  const not = { ...ready, status: 'False', reason: 'NodeOut', message: 'n1 is out.' }
  assert.deepEqual(patched({ conditions: [other, kept] }, { conditions: [not] })?.status, {
    conditions: [other, { ...not, lastTransitionTime: '2026-01-02T03:04:05Z', observedGeneration: 3 }],
  })
})

test('another generation is written, though nothing else is said', () => {
  assert.deepEqual(patched({}, {}, 4)?.status, {
    observedGeneration: 4,
    conditions: [{ ...kept, observedGeneration: 4 }],
  })
  assert.equal(patched({}, { conditions: [] }), undefined)
})

test('of the fields only what differs is written, and what is there no more goes', () => {
  const fields = { nodes: { n1: 'Out', n2: 'In' }, old: { a: 1 }, list: ['a'] }
  const wanted = { nodes: { n1: 'Out', n3: 'In' }, list: ['a', 'b'], count: 0 }
  assert.deepEqual(patched({ fields }, { fields: wanted })?.status, {
    nodes: { n2: null, n3: 'In' },
    old: null,
    list: ['a', 'b'],
    count: 0,
  })
})
