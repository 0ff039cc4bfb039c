import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startRules } from '../../../../bin/process/start-rules.ts'
import { systemTimers as timers } from '../../../../src/ground/machine/system-timers.ts'
import { monoMs } from '../../../../src/ground/model/time.ts'
import { ProcessRules } from '../../../../src/guard/io/cel/process-rules.ts'

function opened(t: TestContext) {
  const now = { ms: 0 }
  const clock = { monoMs: () => monoMs(now.ms) }
  const rules = new ProcessRules({ clock, timers, start: startRules })
  t.after(() => rules.close())
  const ask = (expression: string, object: unknown = {}, of = 'shop') =>
    rules.evaluate(expression, { of, object, node: 'n1' })
  return { now, ask, rules }
}

const HUNGRY =
  "size(object.a.map(x, object.s.lowerAscii())) > 0 && size(object.a.map(x, object.s.lowerAscii() + 'b')) > 0"
const large = { a: Array.from({ length: 200_000 }, (_, i) => i), s: 'A'.repeat(8_000) }

test('expressions are answered in turn, and one that makes no sense is refused without a process', async (t) => {
  const { ask, rules } = opened(t)
  const object = { status: { ok: true, count: 3 } }
  const asked = ['object.status.ok', 'object.status.count > 3', 'object.status.gone', "node == 'n1'"]
  const kinds = (await Promise.all(asked.map((one) => ask(one, object)))).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['true', 'false', 'unknown', 'true'])
  assert.equal(rules.fault('object.('), rules.fault('object.('))
  assert.notEqual(rules.fault('object.('), undefined)
})

test('law: no expression holds up or ends the process that asks, and none takes the time of another namespace', async (t) => {
  const { ask, now } = opened(t)
  const usedUp = { kind: 'unknown', why: 'the expressions of shop have used up their 5 s of this minute' }
  const first = await ask(HUNGRY, large)
  assert.equal(first.kind, 'unknown')
  const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => ask(`${HUNGRY} && ${i} == 1`, large)))
  assert.deepEqual(answers.at(-1), usedUp)
  for (const answer of answers) assert.equal(answer.kind, 'unknown')
  assert.deepEqual(await ask('object.ok', { ok: true }, 'data'), { kind: 'true' })
  now.ms = 60_000
  assert.deepEqual(await ask('object.ok', { ok: true }), { kind: 'true' })
})

test('paths into the answers of programs are found there as well, and take of the same time', async (t) => {
  const { rules, ask } = opened(t)
  const at = (path: string, json: unknown, of = 'shop') => rules.valueAt(path, { of, json })
  assert.deepEqual(await at('$.a.b', { a: { b: 'green' } }), { value: 'green' })
  assert.deepEqual(await at('$.a', {}), { count: 0 })
  const deep = Array.from({ length: 8_000 }, (_, i) => [i])
  const slow = await Promise.all(
    Array.from({ length: 80 }, () => at('$[?count($[?count($[?count($..*) > @[0]]) > @[0]]) > @[0]]', deep)),
  )
  assert.match(JSON.stringify(slow.at(-1)), /have used up their 5 s/)
  assert.equal((await ask('true')).kind, 'unknown')
  assert.deepEqual(await ask('true', {}, 'data'), { kind: 'true' })
})
