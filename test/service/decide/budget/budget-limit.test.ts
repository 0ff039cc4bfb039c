import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { budgetLimit } from '../../../../src/service/decide/budget/budget-limit.ts'
import { maxOut } from '../../../../src/service/decide/budget/max-out.ts'

const object = (data: Readonly<Record<string, string>>) => ({
  namespace: 'ops',
  name: 'evenkeel-budget',
  resourceVersion: '1',
  annotations: {},
  data,
})

/** How many of so many nodes may be out by that text; what is said where it makes no sense. */
function outOf(nodes: number, text: string | undefined): unknown {
  const limit = budgetLimit(object(text === undefined ? {} : { maxOut: text }))
  return limit.kind === 'limit' ? maxOut(limit.limit, nodes) : limit.kind === 'invalid' ? limit.reason.text : limit.kind
}

for (const [text, nodes, out] of [
  ['1', 4, 1],
  ['2', 4, 2],
  [' 2\n', 4, 2],
  ['25%', 4, 1],
  ['25%', 7, 1],
  ['25%', 8, 2],
  ['1%', 20, 1],
  ['100%', 4, 3],
  ['99999', 4, 3],
  ['3', 1, 1],
] as const) {
  test(`law: of several nodes one at least may be out, and never all; a maxOut of ${JSON.stringify(text)} lets ${out} of ${nodes} nodes out: one at least, never all`, () =>
    assert.equal(outOf(nodes, text), out))
}

for (const text of ['0', '-1', '101%', '0%', 'two', '', '1.5', '1e3', '٢', '100000', '2 nodes']) {
  test(`a maxOut of ${JSON.stringify(text)} is an error that names object and field`, () =>
    assert.equal(
      outOf(4, text),
      `data.maxOut of ConfigMap ops/evenkeel-budget is ${JSON.stringify(text)}; it must be a number from 1 on, or a percentage from 1% to 100%`,
    ))
}

test('a budget without the key is an error, and no budget is none', () => {
  assert.match(String(outOf(4, undefined)), /maxOut of ConfigMap ops\/evenkeel-budget is missing/)
  assert.deepEqual(budgetLimit(undefined), { kind: 'absent' })
})

test('the command that mends it names the object, and a huge text is cut', () => {
  const limit = budgetLimit(object({ maxOut: 'x'.repeat(1_000_000) }))
  const { text = '', next } = limit.kind === 'invalid' ? limit.reason : {}
  assert.match(text, /^data\.maxOut of ConfigMap ops\/evenkeel-budget is "x{20}…"; it must be/)
  assert.match(String(outOf(4, 'x'.repeat(20))), /evenkeel-budget is "x{20}"; it must be/)
  assert.equal(
    plainText(next ?? ''),
    `kubectl -n ops patch configmap evenkeel-budget --type merge -p '{"data":{"maxOut":"1"}}'`,
  )
})

test('law: of several nodes one at least may be out, and never all; whatever it says, one node at least and never all of several may be out', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 5_000 }), (text, nodes) => {
      const out = outOf(nodes, text)
      assert.ok(typeof out === 'string' || (Number(out) >= 1 && Number(out) <= Math.max(1, nodes - 1)))
    }),
  )
})
