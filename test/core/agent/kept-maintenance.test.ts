import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptMaintenance } from '../../../src/core/agent/kept-maintenance.ts'
import type { KeptMaintenance } from '../../../src/model/kept-maintenance.ts'
import type { NodeFacts } from '../../../src/model/node-facts.ts'
import { anAgent, KEPT, REQUEST } from '../../support/agent-world.ts'

const NEWER: KeptMaintenance = { ...KEPT, id: 'r-2', resourceVersion: '1000' }

/** The id that is to be on the disk. */
const kept = (facts: Partial<NodeFacts>, before: KeptMaintenance | undefined): string | undefined =>
  keptMaintenance(anAgent({ facts }), before)?.id

test('a request is kept with the Node that bore it, as of when it was seen', () => {
  assert.deepEqual(keptMaintenance(anAgent({ facts: { maintenance: REQUEST } }), undefined), {
    ...KEPT,
    resourceVersion: '100',
  })
})

test('what is older than the request neither withdraws it nor puts another in its place', () => {
  for (const [said, as] of [
    [{}, undefined],
    [{ maintenance: REQUEST }, 'r-1'],
    [{ maintenance: 'withdrawn' }, undefined],
  ] as const) {
    assert.equal(kept({ ...said, resourceVersion: '999' }, NEWER), 'r-2')
    assert.equal(kept({ ...said, resourceVersion: '1000' }, NEWER), as)
  }
  assert.equal(kept({ resourceVersion: '1001' }, NEWER), undefined)
  assert.equal(kept({ resourceVersion: '20000' }, NEWER), undefined)
})

test('where no order of versions is known, what is heard counts', () => {
  for (const [seen, then] of [
    ['', '1000'],
    ['99', ''],
    ['abc', '1000'],
    ['99', 'abc'],
  ] as const)
    assert.equal(kept({ resourceVersion: seen }, { ...NEWER, resourceVersion: then }), undefined, `${seen} ${then}`)
})

test('a Node that was registered anew withdraws by its word alone, whatever its version', () => {
  const other = { uid: 'uid-of-another', resourceVersion: '5' }
  assert.equal(kept(other, NEWER), 'r-2')
  assert.equal(kept({ ...other, maintenance: 'withdrawn' }, NEWER), undefined)
  assert.equal(kept({ ...other, maintenance: REQUEST }, NEWER), 'r-1')
})

test('what nobody told of the Node, or a Node that is gone, changes nothing on the disk', () => {
  const { node: _, ...unseen } = anAgent().evidence
  assert.equal(keptMaintenance(anAgent({ change: { evidence: unseen } }), NEWER), NEWER)
  assert.equal(keptMaintenance(anAgent({ evidence: { node: 'gone' } }), NEWER), NEWER)
  const recalled = anAgent({ facts: { maintenance: REQUEST, resourceVersion: '2000' }, change: { heard: false } })
  assert.equal(keptMaintenance(recalled, NEWER), NEWER)
})

test('words that make no sense neither keep nor withdraw a request', () => {
  assert.equal(kept({ maintenance: 'yes', resourceVersion: '2000' }, NEWER), 'r-2')
  assert.equal(kept({ maintenance: 'yes', resourceVersion: '2000' }, undefined), undefined)
})

test('a version that only begins or ends like a number has no order', () => {
  for (const resourceVersion of ['x9', '9x', '09']) assert.equal(kept({ resourceVersion }, NEWER), undefined)
})

test('of versions of one length the digits count, of two lengths the longer is newer', () => {
  assert.equal(kept({ resourceVersion: '1999' }, { ...NEWER, resourceVersion: '2000' }), 'r-2')
  assert.equal(kept({ resourceVersion: '9' }, { ...NEWER, resourceVersion: '10' }), 'r-2')
  assert.equal(kept({ resourceVersion: '10' }, { ...NEWER, resourceVersion: '9' }), undefined)
})
