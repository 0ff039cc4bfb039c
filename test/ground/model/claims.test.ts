import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  asksToLeave,
  CLAIMS_LENGTH_MAX,
  type Claim,
  claimsOf,
  formatClaims,
  formatWithClaim,
  parseClaims,
  withClaim,
  withoutClaim,
} from '../../../src/ground/model/claims.ts'

const claims = (...list: readonly unknown[]): string => JSON.stringify({ version: 2, claims: list })
const ALICE = { owner: 'person/alice', id: 'disk' }
const ROLL = { owner: 'roll/20260101T000000Z-0001', id: 'b1', at: '2026-01-01T00:00:00.000Z' }
const V1 = { version: 1, id: 'b1', run: '20260101T000000Z-0001', at: '2026-01-01T00:00:00.000Z' }

const READ: readonly (readonly [title: string, text: string | undefined, owners: readonly string[] | string])[] = [
  ['no annotation', undefined, 'none'],
  ['the word that withdraws', 'withdrawn', 'withdrawn'],
  ['a set without a claim', claims(), 'none'],
  ['the one line of a person', '{"version":2,"claims":[{"owner":"person/alice","id":"disk"}]}', ['person/alice']],
  [
    'claims of each kind',
    claims({ owner: 'roll/r', id: '1' }, { owner: 'ingress/edge', id: '1' }, { owner: 'guard/g', id: '1' }, ALICE),
    ['guard/g', 'ingress/edge', 'person/alice', 'roll/r'],
  ],
  [
    'a person called by a mail address',
    claims({ owner: 'person/a.b@example.com', id: '1' }),
    ['person/a.b@example.com'],
  ],
  ['a request of version 1', JSON.stringify(V1), [ROLL.owner]],
  ['a request of version 1 with another kind of time', JSON.stringify({ ...V1, at: 'Monday' }), [ROLL.owner]],
]

for (const [title, text, expected] of READ) {
  test(`what is claimed is read: ${title}`, () => {
    const word = parseClaims(text)
    assert.deepEqual(word.kind === 'claimed' ? word.claims.map(({ owner }) => owner) : word.kind, expected)
    assert.equal(asksToLeave(text), typeof expected !== 'string')
  })
}

test('a request of version 1 is the claim of its run, of that id and that time', () => {
  assert.deepEqual(claimsOf(JSON.stringify(V1)), [ROLL])
})

const OWNERS = 'the owner of a claim is not like roll/RUN, ingress/NAME, guard/NAME or person/NAME'
const ID = 'letters, digits, dots and hyphens'
const UNREADABLE: readonly (readonly [title: string, text: string, why: string])[] = [
  ['no JSON', 'until Monday', 'it is not a JSON object'],
  ['torn', claims(ALICE).slice(0, -2), 'it is not a JSON object'],
  ['empty', '', 'it is not a JSON object'],
  ['a list', '[]', 'it is not a JSON object'],
  ['null', 'null', 'it is not a JSON object'],
  ['huge', claims(ALICE).padEnd(CLAIMS_LENGTH_MAX + 1), 'it is longer than 8192 characters'],
  ['of no version', '{"claims":[]}', 'its version is neither 1 nor 2'],
  ['of an unknown version', '{"version":3,"claims":[]}', 'its version is neither 1 nor 2'],
  ['of a version in words', '{"version":"2","claims":[]}', 'its version is neither 1 nor 2'],
  ['without a list', '{"version":2}', 'its list of claims is missing'],
  ['with a claim that is a text', claims('person/alice'), 'a claim is not a JSON object'],
  ['with a claim that is null', claims(ALICE, null), 'a claim is not a JSON object'],
  ['without an owner', claims({ id: 'disk' }), 'the owner of a claim is missing'],
  ['with an owner that is a number', claims({ ...ALICE, owner: 5 }), OWNERS],
  ['with an owner of no kind', claims({ ...ALICE, owner: 'alice' }), OWNERS],
  ['with an owner of another kind', claims({ ...ALICE, owner: 'robot/r2' }), OWNERS],
  ['with an owner without a name', claims({ ...ALICE, owner: 'person/' }), OWNERS],
  ['with an owner of two names', claims({ ...ALICE, owner: 'person/alice/bob' }), OWNERS],
  ['with an owner whose name is a line', claims({ ...ALICE, owner: 'person/alice\nroll' }), OWNERS],
  ['with an owner of a long name', claims({ ...ALICE, owner: `person/${'a'.repeat(129)}` }), OWNERS],
  ['with a roll that is no run', claims({ ...ALICE, owner: 'roll/a@b' }), OWNERS],
  ['with a roll of a long name', claims({ ...ALICE, owner: `roll/${'a'.repeat(65)}` }), OWNERS],
  ['without an id', claims({ owner: 'person/alice' }), 'the id of person/alice is missing'],
  ['with an id that is a number', claims({ ...ALICE, id: 5 }), `the id of person/alice is not 1 to 64 ${ID}`],
  ['with an empty id', claims({ ...ALICE, id: '' }), `the id of person/alice is not 1 to 64 ${ID}`],
  ['with an id of two words', claims({ ...ALICE, id: 'a disk' }), `the id of person/alice is not 1 to 64 ${ID}`],
  ['with a long id', claims({ ...ALICE, id: 'x'.repeat(65) }), `the id of person/alice is not 1 to 64 ${ID}`],
  [
    'with a time in words',
    claims({ ...ALICE, at: 'Monday' }),
    'the time of person/alice is not like 2026-01-01T00:00:00Z',
  ],
  [
    'with a time that is null',
    claims({ ...ALICE, at: null }),
    'the time of person/alice is not like 2026-01-01T00:00:00Z',
  ],
  [
    'with a long reason',
    claims({ ...ALICE, why: 'x'.repeat(201) }),
    'the reason of person/alice is not a text of at most 200 characters',
  ],
  [
    'with a reason that is a list',
    claims({ ...ALICE, why: [] }),
    'the reason of person/alice is not a text of at most 200 characters',
  ],
  [
    'with two claims of one owner',
    claims(ALICE, ROLL, { ...ALICE, id: 'fan' }),
    'there are two claims of one owner, person/alice',
  ],
  ['of version 1 without an id', JSON.stringify({ ...V1, id: undefined }), 'the id is missing'],
  ['of version 1 with an id of two words', JSON.stringify({ ...V1, id: 'a b' }), `the id is not 1 to 64 ${ID}`],
  ['of version 1 with a run that is none', JSON.stringify({ ...V1, run: '../x' }), 'the run is not the name of a run'],
  [
    'of version 1 without a time',
    JSON.stringify({ ...V1, at: undefined }),
    'the time is not a text of at most 64 characters',
  ],
  [
    'of version 1 with a long time',
    JSON.stringify({ ...V1, at: 'x'.repeat(65) }),
    'the time is not a text of at most 64 characters',
  ],
]

for (const [title, text, why] of UNREADABLE) {
  test(`claims that are ${title} cannot be read, which keeps the node out and says why`, () => {
    assert.deepEqual(parseClaims(text), { kind: 'unreadable', why })
    assert.equal(asksToLeave(text), true)
    assert.deepEqual(claimsOf(text), [])
  })
}

test('sixteen claims of the longest form have room', () => {
  const longest = [...Array(16).keys()].map((i) => ({
    owner: `ingress/${String(i).padEnd(128, 'a')}`,
    id: 'x'.repeat(64),
    at: '2026-01-01T00:00:00.000000000+00:00',
    why: 'x'.repeat(200),
  }))
  assert.equal(claimsOf(formatClaims(longest)).length, 16)
})

test('law: no claim is written that cannot be read back', () => {
  const claim = (change: Partial<Claim>): Claim => ({ owner: 'guard/storage', id: 'a', ...change })
  for (const owner of ['guard/ceph osd', 'guard/ceph/osd', 'guard/-x', 'guard/', 'pod/x'])
    assert.throws(() => formatWithClaim('n1', [], claim({ owner })), { code: 'CLAIM_UNREADABLE' }, owner)
  assert.throws(() => formatWithClaim('n1', [], claim({ why: 'x'.repeat(201) })), { code: 'CLAIM_UNREADABLE' })
  assert.equal(claimsOf(formatWithClaim('n1', [], claim({}))).length, 1)
})

const NAMES = fc.constantFrom('person/alice', 'person/bob', 'roll/run-1', 'roll/run-2', 'ingress/edge', 'guard/storage')
const CLAIM: fc.Arbitrary<Claim> = fc
  .record({ owner: NAMES, id: fc.stringMatching(/^[0-9a-z-]{1,16}$/), why: fc.option(fc.string({ maxLength: 40 })) })
  .map(({ owner, id, why }) => (why === null ? { owner, id } : { owner, id, why }))
const SET = fc.uniqueArray(CLAIM, { selector: ({ owner }) => owner })

test('a set that is written is read back as it is, in whatever order it was made', () => {
  fc.assert(
    fc.property(SET, (set) => {
      const text = formatClaims(set)
      assert.equal(formatClaims(set.toReversed()), text)
      assert.equal(formatClaims(claimsOf(text)), text)
      assert.equal(claimsOf(text).length, set.length)
    }),
  )
})

test('each owner adds and withdraws its own claim and leaves every other one as it is', () => {
  fc.assert(
    fc.property(SET, CLAIM, (set, claim) => {
      const others = formatClaims(set.filter(({ owner }) => owner !== claim.owner))
      const added = withClaim(set, claim)
      assert.deepEqual(
        added.find(({ owner }) => owner === claim.owner),
        claim,
      )
      assert.equal(added.filter(({ owner }) => owner === claim.owner).length, 1)
      assert.equal(formatClaims(withoutClaim(added, claim.owner)), others)
      assert.equal(formatClaims(withClaim(added, claim)), formatClaims(added))
      assert.equal(formatClaims(withoutClaim(set, claim.owner)), others)
    }),
  )
})

test('whatever stands in the annotation, it is read without a fault', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const { kind } = parseClaims(text)
      assert.ok(['withdrawn', 'unreadable'].includes(kind), kind)
    }),
  )
})
