import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectOf } from '../../../src/ground/kube/token-subject.ts'

const token = (claims: unknown): string =>
  ['{}', JSON.stringify(claims), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.')

test('a token of a pod names its service account; what is no such token names none', () => {
  assert.equal(subjectOf(`${token({ sub: 'system:serviceaccount:a:b' })}\n`), 'system:serviceaccount:a:b')
  for (const none of ['', 'opaque', 'a.b.c', token({ sub: 1 }), token(null)]) assert.equal(subjectOf(none), undefined)
})
