import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesText, cpuText, quantity } from '../../../src/ground/model/quantity.ts'

const TABLE: readonly (readonly [text: string, number: number | undefined])[] = [
  ['0', 0],
  ['2', 2],
  ['1.5', 1.5],
  ['.5', 0.5],
  ['100m', 0.1],
  ['250000u', 0.25],
  ['500000000n', 0.5],
  ['1k', 1000],
  ['64Mi', 67_108_864],
  ['1.5Gi', 1_610_612_736],
  ['1G', 1e9],
  ['1e3', 1000],
  ['1E', 1e18],
  ['1Ei', 2 ** 60],
  ['', undefined],
  ['m', undefined],
  ['1 Gi', undefined],
  ['1Mb', undefined],
]

for (const [text, number] of TABLE) {
  test(`the quantity ${JSON.stringify(text)} is ${number ?? 'none'}`, () => {
    const found = quantity(text)
    if (number === undefined) assert.equal(found, undefined)
    else assert.ok(found !== undefined && Math.abs(found - number) < 1e-9 * Math.max(1, number), String(found))
  })
}

test('amounts are short for people', () => {
  assert.deepEqual([0, 250, 999.6, 1500, 4000].map(cpuText), ['0m', '250m', '1000m', '1.5', '4'])
  assert.deepEqual([0, 512, 2048, 1.5 * 2 ** 30, 64 * 2 ** 40].map(bytesText), ['0', '512', '2Ki', '1.5Gi', '64Ti'])
})
