import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wallMs } from '../../../src/ground/model/time.ts'
import { formatOp, parseOp } from '../../../src/ingress/decide/op.ts'
import { formatHolders, parseHolders, withHolder, withoutHolder } from '../../../src/service/decide/detach-holders.ts'
import { anOp } from '../../support/ingress-world.ts'

const GOOD = JSON.parse(formatOp(anOp({}, { t1: 90 }))) as Readonly<Record<string, unknown>>
const written = (change: Readonly<Record<string, unknown>>): string => JSON.stringify({ ...GOOD, ...change })

const ROWS: readonly (readonly [title: string, text: string, why: string])[] = [
  ['nothing', '', 'it is not a JSON object'],
  ['a torn one', formatOp(anOp()).slice(0, 40), 'it is not a JSON object'],
  ['a list', '[1]', 'it is not a JSON object'],
  ['a huge one', written({ extra: 'x'.repeat(2_000) }), 'it is longer than 1024 characters'],
  ['one of a later version', written({ version: 2 }), 'its version is not 1'],
  ['an id that is a number', written({ id: 7 }), 'its id is not 1 to 64 letters, digits, dots and hyphens'],
  ['an id with a line break', written({ id: 'a\nb' }), 'its id is not 1 to 64 letters, digits, dots and hyphens'],
  ['a revision that is no name', written({ revision: 'r 1' }), 'its revision is not the name of a revision'],
  [
    'an unknown phase',
    written({ phase: 'Flying' }),
    'its phase is not one of Detaching, Updating, Verifying, Attaching',
  ],
  ['a time that is a number', written({ t0: 5 }), 'its t0 is not a time like 2026-01-01T00:00:00Z'],
  [
    'a day that no month has',
    written({ t1: '2026-02-31T00:00:00Z' }),
    'its t1 is not a time like 2026-01-01T00:00:00Z',
  ],
  ['one without its beginning', written({ t0: undefined }), 'its t0 is missing'],
]

for (const [title, text, why] of ROWS) {
  test(`an operation that cannot be read says why: ${title}`, () => {
    assert.deepEqual(parseOp(text), { kind: 'unreadable', why })
  })
}

test('an operation is read as it was written', () => {
  const op = anOp({ phase: 'Attaching', isNew: true, gaveUp: true }, { t0: 9, t1: 8, t2: 7, t3: 6 })
  assert.deepEqual(parseOp(formatOp(op)), { kind: 'op', op })
  assert.deepEqual(parseOp(undefined), { kind: 'none' })
})

test('whatever stands in the annotations, reading them does not throw', () => {
  const text = fc.oneof(fc.string(), fc.json(), fc.dictionary(fc.string(), fc.jsonValue()).map(written))
  fc.assert(
    fc.property(text, (found) => {
      parseOp(found)
      parseHolders(found)
    }),
  )
})

test('holders of a mark are added and removed one by one, and what cannot be read names none', () => {
  const one = withHolder(new Map(), { key: 'a/key', owner: 'ingress/edge.web' })
  const two = withHolder(one, { key: 'a/key', owner: 'ingress/edge.api' })
  const text = formatHolders(two) ?? ''
  assert.equal(text, '{"version":1,"holders":{"a/key":["ingress/edge.api","ingress/edge.web"]}}')
  assert.deepEqual(parseHolders(text).get('a/key'), { owners: ['ingress/edge.api', 'ingress/edge.web'] })
  assert.equal(formatHolders(withoutHolder(one, { key: 'a/key', owner: 'ingress/edge.web' })), undefined)
  assert.deepEqual(parseHolders('{"version":1,"holders":{"a/key":"x","b/key":[1]}}'), new Map())
})

test('since when a mark asks stands beside its holders, and stays until the last of them goes', () => {
  const asked = { at: wallMs(Date.UTC(2026, 0, 1)), before: '2025-12-31T23:59:30Z' }
  const one = withHolder(new Map(), { key: 'a/key', owner: 'ingress/edge.web', asked })
  const two = withHolder(one, { key: 'a/key', owner: 'ingress/edge.api' })
  const left = withoutHolder(parseHolders(formatHolders(two)), { key: 'a/key', owner: 'ingress/edge.web' })
  assert.deepEqual(parseHolders(formatHolders(left)).get('a/key'), { owners: ['ingress/edge.api'], asked })
  assert.equal(formatHolders(withoutHolder(left, { key: 'a/key', owner: 'ingress/edge.api' })), undefined)
  for (const garbage of ['5', '[]', '{"at":5}', '{"at":"now"}', '"x"'])
    assert.deepEqual(parseHolders(`{"version":1,"holders":{"k":["a"]},"asked":{"k":${garbage}}}`).get('k'), {
      owners: ['a'],
    })
})
