import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import {
  goneSince,
  isSamePlace,
  movedEntry,
  placeOfRun,
  rememberedPlace,
} from '../../../src/roll/run/remembered-place.ts'

const AT = '2026-11-21T06:14:39.000Z'
const PLACE = { kubeconfig: '/k', context: 'prod' }
const planned = { at: AT, type: 'planned', place: PLACE }

test('the place of the plan counts until a resume moves the run, and a damaged place is ignored', () => {
  assert.deepEqual(rememberedPlace([planned]), PLACE)
  const moved = { kubeconfig: '/other', context: 'prod' }
  assert.deepEqual(rememberedPlace([planned, movedEntry(AT, moved)]), moved)
  assert.equal(rememberedPlace([{ at: AT, type: 'planned' }]), undefined)
  assert.equal(rememberedPlace([{ at: AT, type: 'planned', place: { context: 3 } }]), undefined)
  assert.ok(isSamePlace(PLACE, { ...PLACE }))
  assert.ok(!isSamePlace(undefined, PLACE))
})

test('options that are given win over what a journal remembers', () => {
  assert.deepEqual(placeOfRun({}, PLACE), PLACE)
  assert.deepEqual(placeOfRun({ context: 'new' }, PLACE), { kubeconfig: '/k', context: 'new' })
  assert.deepEqual(placeOfRun({ kubeconfig: '/new' }, PLACE), { kubeconfig: '/new' })
  assert.deepEqual(placeOfRun({}, { context: 'in-cluster' }), {})
})

test('a kubeconfig or a context that is gone is named with the run and the fix; other errors stay as they are', () => {
  const errorOf = (code: string) =>
    goneSince(new UserError('?', { code, fix: 'choose one with --context: a' }), {
      run: 'r',
      place: PLACE,
      asked: PLACE,
    })
  const missing = errorOf('KUBECONFIG_MISSING')
  assert.ok(missing instanceof UserError)
  assert.equal(missing.message, 'run r was begun with context prod of kubeconfig /k, and that file does not exist')
  assert.match(plainText(missing.fix ?? ''), /--kubeconfig$/)
  const context = errorOf('KUBECONFIG_NO_CONTEXT')
  assert.ok(context instanceof UserError)
  assert.equal(context.message, 'run r was begun with context prod of kubeconfig /k, and that file has no such context')
  assert.equal(context.fix, 'choose one with --context: a')
  const other = new Error('?')
  assert.equal(goneSince(other, { run: 'r', place: PLACE, asked: PLACE }), other)
})
