import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseKeptClaims } from '../../../src/agent/model/kept-claims.ts'

const CLAIM = { owner: 'roll/run-1', id: 'r-1', uid: 'uid-n1' }
const KEPT = { version: 2, uid: 'uid-n1', resourceVersion: '90', claims: [CLAIM] }
const V1 = { version: 1, id: 'r-1', run: 'run-1', uid: 'uid-n1', resourceVersion: '90' }
const read = (value: unknown) => parseKeptClaims(JSON.stringify(value))

test('claims that were kept are read back, each with the Node that bore it', () => {
  const alice = { owner: 'person/alice', id: 'disk', at: '2026-01-01T00:00:00Z', why: 'a new disk', uid: 'uid-before' }
  const both = { ...KEPT, claims: [alice, CLAIM] }
  assert.deepEqual([read(KEPT), read(both)], [KEPT, both])
})

test('what an agent of the last release kept is the claim of its run', () => {
  assert.deepEqual(read(V1), KEPT)
  assert.deepEqual(read({ ...V1, resourceVersion: undefined }), { ...KEPT, resourceVersion: '' })
})

const SENSELESS: readonly (readonly [title: string, kept: unknown])[] = [
  ['a text', 'kept'],
  ['another version', { ...KEPT, version: 3 }],
  ['no uid', { ...KEPT, uid: undefined }],
  ['no list', { ...KEPT, claims: undefined }],
  ['no claim', { ...KEPT, claims: [] }],
  ['a claim of no Node', { ...KEPT, claims: [{ ...CLAIM, uid: 5 }] }],
  ['a claim of no owner', { ...KEPT, claims: [{ ...CLAIM, owner: 'run-1' }] }],
  ['a claim that is none beside one that is', { ...KEPT, claims: [CLAIM, null] }],
  ['two claims of one owner', { ...KEPT, claims: [CLAIM, { ...CLAIM, id: 'r-2' }] }],
  ['a request without an id', { ...V1, id: undefined }],
  ['a request of no run', { ...V1, run: 5 }],
  ['a request whose run is none', { ...V1, run: '../x' }],
]

for (const [title, kept] of SENSELESS) {
  test(`what is kept and holds ${title} makes no sense`, () => assert.equal(read(kept), undefined))
}

test('what is kept and torn, or huge, makes no sense', () => {
  assert.equal(parseKeptClaims(JSON.stringify(KEPT).slice(0, -1)), undefined)
  assert.equal(parseKeptClaims(JSON.stringify(KEPT).padEnd(32_769)), undefined)
  assert.notEqual(parseKeptClaims(JSON.stringify(KEPT).padEnd(32_768)), undefined)
})
