import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DARK, FILLS, LIGHT } from '../../../src/roll/report/color-tokens.ts'
import { ALL_SIGHTS, ciede2000, contrastOf, seenDistance } from '../../support/color-science.ts'

test('the distance is that of Sharma, Wu and Dalal: three of their pairs', () => {
  const rounded = (of: number): number => Number(of.toFixed(4))
  assert.equal(rounded(ciede2000([50, 2.6772, -79.7751], [50, 0, -82.7485])), 2.0425)
  assert.equal(rounded(ciede2000([50, 2.5, 0], [58, 24, 15])), 19.4535)
  assert.equal(rounded(ciede2000([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387])), 1.2644)
})

for (const [name, palette] of [
  ['light', LIGHT],
  ['dark', DARK],
] as const) {
  test(`${name}: every word can be read, on the page, on a card and on every fill`, () => {
    const pairs = [
      ...[palette.paper, palette.ground].flatMap((under) => [palette.text, palette.quiet].map((on) => [on, under])),
      ...FILLS.map((fill) => [palette.onFill, palette[fill]]),
      [palette.fail, palette.paper],
      [palette.leave, palette.paper],
    ]
    const poor = pairs.filter(([on = '', under = '']) => contrastOf(on, under) < 4.5)
    assert.deepEqual(poor, [])
  })

  test(`${name}: every shape stands out from the page`, () => {
    const shapes = [...FILLS, 'outline'] as const
    assert.deepEqual(
      shapes.filter((role) => contrastOf(palette[role], palette.paper) < 3),
      [],
    )
  })
}

test('any two of the five fills are far apart, also with each kind of colour blindness', () => {
  const smallest = (palette: typeof LIGHT): number => {
    const pairs = FILLS.flatMap((one, index) => FILLS.slice(index + 1).map((other) => [palette[one], palette[other]]))
    const distances = pairs.flatMap(([one = '', other = '']) =>
      ALL_SIGHTS.map((sight) => seenDistance(one, other, sight)),
    )
    return Number(Math.min(...distances).toFixed(1))
  }
  assert.equal(smallest(LIGHT), 16.7)
  assert.equal(smallest(DARK), 20.1)
})
