import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../../src/ground/model/probe.ts'
import { isSameWindow } from '../../../../src/roll/decide/availability/same-window.ts'
import { windowReach } from '../../../../src/roll/decide/availability/window-reach.ts'
import { at } from './a-sample.ts'

/** Good at 10 s, bad from 10.1 s to 10.4 s, good at 10.5 s. */
const WINDOW: FailureWindow = {
  target: 'web',
  control: false,
  lane: 'new',
  sent: 4,
  failed: 4,
  failures: { connect: 4 },
  firstError: 'connect ECONNREFUSED 127.0.0.1:1',
  lastOkAt: at(10_000),
  firstBadAt: at(10_100),
  lastBadAt: at(10_400),
  firstOkAt: at(10_500),
}
const { lastOkAt: _good, ...UNSEEN_BEFORE } = WINDOW
const { firstOkAt: _end, ...OPEN } = WINDOW

interface Row {
  readonly what: string
  readonly window: FailureWindow
  readonly from: number
  readonly to?: number
  readonly isIn: boolean
}

const SPANS: readonly Row[] = [
  { what: 'ended 250 ms before the last good request', window: WINDOW, from: 0, to: 9_750, isIn: true },
  { what: 'ended more than 250 ms before the last good request', window: WINDOW, from: 0, to: 9_749, isIn: false },
  { what: 'began with the first good request after them', window: WINDOW, from: 10_500, to: 11_000, isIn: true },
  { what: 'began after the first good request after them', window: WINDOW, from: 10_501, to: 11_000, isIn: false },
  { what: 'goes on', window: WINDOW, from: 0, isIn: true },
  { what: 'began while requests are still failing', window: OPEN, from: 90_000, to: 91_000, isIn: true },
  {
    what: 'ended 250 ms and a period before the first failure, and no good request was seen before',
    window: UNSEEN_BEFORE,
    from: 0,
    to: 9_830,
    isIn: true,
  },
  {
    what: 'ended earlier than that, and no good request was seen before',
    window: UNSEEN_BEFORE,
    from: 0,
    to: 9_829,
    isIn: false,
  },
]

for (const { what, window, from, to, isIn } of SPANS) {
  test(`a span is ${isIn ? 'within' : 'out of'} the reach of failed requests if it ${what}`, () => {
    const end = to === undefined ? undefined : at(to)
    assert.equal(windowReach(window, 20).overlaps(at(from), end), isIn)
  })
}

const SAME: readonly (readonly [what: string, earlier: Partial<FailureWindow>, isSame: boolean])[] = [
  ['has the same first failure', {}, true],
  ['began earlier and contains its first failure', { firstBadAt: at(10_200) }, true],
  ['ends with its first failure', { firstBadAt: at(10_400) }, true],
  ['ended before its first failure', { firstBadAt: at(10_401) }, false],
  ['began after its first failure', { firstBadAt: at(10_099) }, false],
  ['is of another target', { target: 'api' }, false],
  ['is of another lane', { lane: 'kept' }, false],
]

for (const [what, earlier, isSame] of SAME) {
  test(`a window is ${isSame ? 'the same' : 'not the same'} as one seen earlier if it ${what}`, () => {
    assert.equal(isSameWindow(WINDOW, { ...WINDOW, ...earlier }), isSame)
  })
}
