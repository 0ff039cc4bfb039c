import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, duration } from '../../../../src/cli/flag-values.ts'
import { UserError } from '../../../../src/ground/model/user-error.ts'
import {
  keptCount,
  type ProbeFlags,
  rate,
  share,
  statusRange,
  targetsOf,
} from '../../../../src/roll/cli/probe/probe-settings.ts'

const FLAGS: ProbeFlags = {
  rate: 100,
  keptShare: 0.5,
  kept: 8,
  timeout: 2_000,
  expectStatus: [200, 399],
  servedBy: 'X-Served-By',
  insecure: false,
  maxFailed: 0,
  output: 'text',
  progress: 'auto',
  color: 'auto',
  ascii: false,
  quiet: false,
  verbose: 0,
}

test('each value is read with its unit and within its bounds', () => {
  assert.deepEqual([rate('0.5'), share('1'), keptCount('8'), count('0'), duration('2s')], [0.5, 1, 8, 0, 2_000])
  assert.deepEqual(
    [statusRange('204'), statusRange('200-299')],
    [
      [204, 204],
      [200, 299],
    ],
  )
})

test('a value out of bounds is refused with what to write', () => {
  const refused: readonly (readonly [() => unknown, RegExp])[] = [
    [() => rate('0'), /above 0 and up to 5000/],
    [() => rate(''), /above 0/],
    [() => rate('fast'), /above 0/],
    [() => share('1.1'), /from 0 to 1/],
    [() => keptCount('0'), /from 1 to 1000/],
    [() => count('-1'), /0 or more/],
    [() => duration('30'), /"30" has no unit/],
    [() => duration('0s'), /cannot be zero/],
    [() => statusRange('399-200'), /as in 200-399/],
    [() => statusRange('999'), /as in 200-399/],
  ]
  for (const [read, text] of refused) assert.throws(read, text)
})

test('a password in a URL is refused, as in a roll file, and not shown', () => {
  for (const flags of [FLAGS, { ...FLAGS, control: 'http://me:secret@127.0.0.1:8080/x' }]) {
    const url = flags.control === undefined ? 'http://me:secret@127.0.0.1:8080/x' : 'http://a/'
    assert.throws(
      () => targetsOf([url], flags),
      (error) =>
        error instanceof UserError && /a user or a password/.test(error.message) && !/secret/.test(error.message),
    )
  }
})

test('a control is asked ten times a second at most, over new connections, for any answer', () => {
  const targets = targetsOf(['http://a/'], { ...FLAGS, control: 'http://b/', expectBody: 'well' })
  assert.deepEqual(
    targets.map(({ name, control, ratePerSecond, keptShare, expectBody }) => [
      name,
      control,
      ratePerSecond,
      keptShare,
      expectBody,
    ]),
    [
      ['http://a/', false, 100, 0.5, 'well'],
      ['control http://b/', true, 10, 0, undefined],
    ],
  )
})

test('what cannot be probed is wrong usage', () => {
  for (const url of ['app.example.com', 'ftp://x/', 'https://', 'http:///x', 'http:x']) {
    assert.throws(() => targetsOf([url], FLAGS), UserError, url)
  }
  assert.throws(() => targetsOf(['http://a', 'http://a/'], FLAGS), /given twice/)
})
