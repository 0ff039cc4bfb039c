import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Figure, isMissed, ratioOf } from '../../bench/report/figure.ts'
import { figuresTable } from '../../bench/report/figures-table.ts'

const start: Figure = {
  part: 'help',
  name: '--help',
  value: 120,
  unit: 'ms',
  beside: { name: 'node -e 0', value: 50 },
  goal: 150,
}

const lastLine = (figure: Figure): string | undefined => figuresTable([figure]).split('\n').at(-1)

test('a figure shows what it is read against, how many times that it is, and whether its goal is met', () => {
  assert.equal(lastLine(start), '| help | --help | 120.00 ms | node -e 0 50.00 ms | 2.40 | 150.00 ms, met |')
})

test('a goal that is missed stands out', () => {
  assert.equal(
    lastLine({ ...start, value: 150.01 }),
    '| help | --help | 150.01 ms | node -e 0 50.00 ms | 3.00 | 150.00 ms, **missed** |',
  )
  assert.deepEqual(
    [isMissed(start), isMissed({ ...start, value: 150 }), isMissed({ ...start, value: 151 })],
    [false, false, true],
  )
})

test('a count has neither unit nor, beside nothing, a ratio', () => {
  const failed: Figure = {
    part: 'roll',
    name: 'failed',
    value: 0,
    unit: '',
    beside: { name: 'script', value: 0 },
    goal: 0,
  }
  assert.equal(lastLine(failed), '| roll | failed | 0 | script 0 |  | 0, met |')
  assert.equal(ratioOf(failed), undefined)
})
