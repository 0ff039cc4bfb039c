import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DARK, FILLS, LIGHT } from '../../../src/roll/report/color-tokens.ts'

type Triple = readonly [number, number, number]

const channels = (hex: string): Triple => {
  const at = (index: number): number => Number.parseInt(hex.slice(index, index + 2), 16) / 255
  return [at(1), at(3), at(5)]
}

/** sRGB to linear light (IEC 61966-2-1). */
const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

const linearOf = (hex: string): Triple => {
  const [red, green, blue] = channels(hex)
  return [linear(red), linear(green), linear(blue)]
}

const times = (matrix: readonly [Triple, Triple, Triple], [x, y, z]: Triple): Triple => {
  const row = ([a, b, c]: Triple): number => a * x + b * y + c * z
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])]
}

/** WCAG 2.2, contrast ratio. */
function contrastOf(one: string, other: string): number {
  const luminance = (hex: string): number => {
    const [red, green, blue] = linearOf(hex)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** Machado, Oliveira and Fernandes 2009, severity 1.0; on linear light. */
const SIGHTS = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const satisfies Readonly<Record<string, readonly [Triple, Triple, Triple]>>

type Sight = keyof typeof SIGHTS
const ALL_SIGHTS = Object.keys(SIGHTS) as readonly Sight[]

/** CIELAB under D65 of a colour as that sight sees it. */
function labOf(hex: string, sight: Sight): Triple {
  const seen = times(SIGHTS[sight], linearOf(hex)).map((value) => Math.min(1, Math.max(0, value)))
  const [x, y, z] = times(
    [
      [0.4124564, 0.3575761, 0.1804375],
      [0.2126729, 0.7151522, 0.072175],
      [0.0193339, 0.119192, 0.9503041],
    ],
    [seen[0] ?? 0, seen[1] ?? 0, seen[2] ?? 0],
  )
  const f = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116)
  const [fx, fy, fz] = [f(x / 0.95047), f(y), f(z / 1.08883)]
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)]
}

const seenDistance = (one: string, other: string, sight: Sight): number =>
  ciede2000(labOf(one, sight), labOf(other, sight))

const degrees = (of: number): number => (of * 180) / Math.PI
const radians = (of: number): number => (of * Math.PI) / 180
const hue = (a: number, b: number): number => (a === 0 && b === 0 ? 0 : (degrees(Math.atan2(b, a)) + 360) % 360)

/** CIEDE2000 (ISO/CIE 11664-6), as laid out by Sharma, Wu and Dalal 2005; all weights 1. */
function ciede2000([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2
  const g = 0.5 * (1 - Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)))
  const [c1, c2] = [Math.hypot(a1 * (1 + g), b1), Math.hypot(a2 * (1 + g), b2)]
  const [h1, h2] = [hue(a1 * (1 + g), b1), hue(a2 * (1 + g), b2)]
  const grey = c1 * c2 === 0
  const turn = Math.abs(h2 - h1) <= 180 ? 0 : h2 > h1 ? -360 : 360
  const dh = grey ? 0 : h2 - h1 + turn
  const dH = 2 * Math.sqrt(c1 * c2) * Math.sin(radians(dh / 2))
  const l = (l1 + l2) / 2
  const c = (c1 + c2) / 2
  const h = grey ? h1 + h2 : turn === 0 ? (h1 + h2) / 2 : (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2
  const t =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63))
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2)
  const sc = 1 + 0.045 * c
  const sh = 1 + 0.015 * c * t
  const rc = 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7))
  const rt = -Math.sin(radians(60 * Math.exp(-(((h - 275) / 25) ** 2)))) * rc
  const [fl, fc, fh] = [(l2 - l1) / sl, (c2 - c1) / sc, dH / sh]
  return Math.sqrt(fl ** 2 + fc ** 2 + fh ** 2 + rt * fc * fh)
}

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
