import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLabelSelector } from '../../../src/ground/text/parse-label-selector.ts'

test('reads a selector as kubectl does', () => {
  assert.deepEqual(parseLabelSelector('a=b, c==d,e!=f,g in (h,i),j notin (k),l,!m'), {
    ok: true,
    selector: {
      matchLabels: { a: 'b', c: 'd' },
      matchExpressions: [
        { key: 'e', operator: 'NotIn', values: ['f'] },
        { key: 'g', operator: 'In', values: ['h', 'i'] },
        { key: 'j', operator: 'NotIn', values: ['k'] },
        { key: 'l', operator: 'Exists', values: [] },
        { key: 'm', operator: 'DoesNotExist', values: [] },
      ],
    },
  })
})

test('two values for one key must both hold, so that nothing is selected by mistake', () => {
  assert.deepEqual(parseLabelSelector('a=b,a=c'), {
    ok: true,
    selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['c'] }] },
  })
})

test('an empty value is a value', () => {
  assert.deepEqual(parseLabelSelector('node-role.kubernetes.io/worker='), {
    ok: true,
    selector: { matchLabels: { 'node-role.kubernetes.io/worker': '' }, matchExpressions: [] },
  })
})

const FAULTY: readonly (readonly [string, string])[] = [
  ['', 'the selector is empty'],
  ['  ', 'the selector is empty'],
  ['a=b,', 'there is nothing between two commas'],
  ['a=b c', '"a=b c" is not a condition'],
  [
    'a>3',
    '"a>3" is not a label key: at most 63 letters, digits, "-", "_" and ".", begins and ends with a letter or digit',
  ],
  ['a in (b', '"a in (b" is not a condition'],
  ['A b/c=d', '"A b/c=d" is not a condition'],
  ['UP/c=d', '"UP/c" is not a label key: the part before "/" is a DNS name in lower case'],
  [
    'a=-',
    '"-" is not a label value: at most 63 letters, digits, "-", "_" and ".", begins and ends with a letter or digit',
  ],
]

test('says what is wrong with a selector', () => {
  for (const [text, fault] of FAULTY) assert.deepEqual(parseLabelSelector(text), { ok: false, fault }, text)
})
