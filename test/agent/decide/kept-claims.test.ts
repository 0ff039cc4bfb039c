import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptClaims } from '../../../src/agent/decide/kept-claims.ts'
import { type KeptClaims, UNREADABLE_CLAIMS } from '../../../src/agent/model/kept-claims.ts'
import { formatClaims } from '../../../src/ground/model/claims.ts'
import type { NodeReading } from '../../../src/ground/model/node-reading.ts'
import { anAgent, DISK_ALONE, KEPT, REQUEST, REQUEST_AND_DISK, RUN } from '../../support/agent-world.ts'

const claim = (id: string, uid = 'uid-n1') => ({ owner: `roll/${RUN}`, id, uid })
const NEWER: KeptClaims = { ...KEPT, resourceVersion: '1000', claims: [claim('r-2')] }

/** The ids that are to be on the disk. */
const kept = (facts: Partial<NodeReading>, before: KeptClaims | undefined): string | undefined =>
  keptClaims(anAgent({ facts }), before)
    ?.claims.map(({ id }) => id)
    .join(' ')

test('a request is kept with the Node that bore it, as of when it was seen', () => {
  assert.deepEqual(keptClaims(anAgent({ facts: { maintenance: REQUEST } }), undefined), {
    ...KEPT,
    resourceVersion: '100',
    claims: [{ ...claim('r-1'), at: '2026-01-01T00:00:00.000Z' }],
  })
})

test('law: a request leaves the disk of its node by what is newer alone; what is older than the request neither withdraws it nor puts another in its place', () => {
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

test('a Node that was never heard, is gone or is only remembered changes nothing on the disk', () => {
  const { node: _, ...unseen } = anAgent().evidence
  assert.equal(keptClaims(anAgent({ change: { evidence: unseen } }), NEWER), NEWER)
  assert.equal(keptClaims(anAgent({ evidence: { node: 'gone' } }), NEWER), NEWER)
  const recalled = anAgent({ facts: { maintenance: REQUEST, resourceVersion: '2000' }, change: { heard: false } })
  assert.equal(keptClaims(recalled, NEWER), NEWER)
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

test('law: no server is put back into service while the claim of another owner stands on its node; each claim on the Node is kept, and when one of several is withdrawn the others are', () => {
  const both = keptClaims(anAgent({ facts: { maintenance: REQUEST_AND_DISK } }), undefined)
  assert.deepEqual(
    both?.claims.map(({ owner, id }) => [owner, id]),
    [
      ['person/alice', 'disk'],
      [`roll/${RUN}`, 'r-1'],
    ],
  )
  assert.equal(kept({ maintenance: REQUEST, resourceVersion: '101' }, both), 'r-1')
  assert.equal(kept({ maintenance: DISK_ALONE, resourceVersion: '101' }, both), 'disk')
  assert.equal(kept({ resourceVersion: '101' }, both), undefined)
  assert.equal(kept({ maintenance: REQUEST, resourceVersion: '99' }, both), 'disk r-1')
})

test('a request of the last release is kept as the claim of its run', () => {
  const maintenance = `{"version":1,"id":"r-1","run":"${RUN}","at":"2026-01-01T00:00:00.000Z"}`
  assert.equal(kept({ maintenance }, undefined), 'r-1')
})

test('claims on a Node that was registered anew are kept beside those of the one before it, which they do not withdraw', () => {
  const anew = { uid: 'uid-of-another', resourceVersion: '5' }
  const both = keptClaims(anAgent({ facts: { ...anew, maintenance: DISK_ALONE } }), KEPT)
  assert.deepEqual(
    [both?.uid, both?.claims.map(({ owner, uid }) => [owner, uid])],
    [
      'uid-of-another',
      [
        ['person/alice', 'uid-of-another'],
        [`roll/${RUN}`, 'uid-n1'],
      ],
    ],
  )
  assert.equal(kept({ ...anew, resourceVersion: '6' }, both), 'r-1')
  assert.equal(kept({ ...anew, resourceVersion: '6', maintenance: 'withdrawn' }, both), undefined)
  // The object before it, as an API server tells that is behind.
  assert.equal(kept({ resourceVersion: '4' }, both), 'disk r-1')
})

test('the claim of a guard ends with its Node, and those of other owners do not', () => {
  const guard = { ...claim('g-1'), owner: 'guard/storage' }
  const before: KeptClaims = { ...NEWER, claims: [guard, claim('r-2')] }
  const anew = { uid: 'uid-of-another', resourceVersion: '1001' }
  assert.equal(kept(anew, { ...before, claims: [guard] }), undefined)
  assert.equal(kept(anew, before), 'r-2')
  // It is not known to be the later Node.
  for (const resourceVersion of ['999', '']) assert.equal(kept({ ...anew, resourceVersion }, before), 'g-1 r-2')
  // Claimed again: that one counts.
  const maintenance = formatClaims([{ owner: 'guard/storage', id: 'g-2' }])
  assert.equal(kept({ ...anew, maintenance }, before), 'g-2 r-2')
})

test('what cannot be read on the disk is over by the word, or once something is claimed that can', () => {
  assert.equal(keptClaims(anAgent(), UNREADABLE_CLAIMS), UNREADABLE_CLAIMS)
  assert.equal(kept({ maintenance: REQUEST }, UNREADABLE_CLAIMS), 'r-1')
  assert.equal(kept({ maintenance: 'withdrawn' }, UNREADABLE_CLAIMS), undefined)
})
