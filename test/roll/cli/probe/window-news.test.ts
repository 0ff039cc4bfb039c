import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../../src/ground/model/probe.ts'
import { WindowTeller } from '../../../../src/roll/cli/probe/window-news.ts'
import { at } from '../../decide/availability/a-sample.ts'
import { aWindow } from './a-reading.ts'

const asOpen = ({ firstOkAt: _at, ...window }: FailureWindow): FailureWindow => window
const told = (teller: WindowTeller, windows: readonly FailureWindow[], ms: number, ended = false): readonly string[] =>
  teller.news(windows, at(2_467_200 + ms), ended).map(({ number, type, window }) => `${number} ${type} ${window.lane}`)

test('a short window is reported once, when it is over', () => {
  const teller = new WindowTeller()
  assert.deepEqual(told(teller, [asOpen(aWindow())], 400), [])
  assert.deepEqual(told(teller, [aWindow()], 700), ['1 closed new'])
  assert.deepEqual(told(teller, [aWindow()], 950), [])
})

test('a long window is reported while it lasts and keeps its number', () => {
  const teller = new WindowTeller()
  const kept = aWindow({ lane: 'kept' })
  assert.deepEqual(told(teller, [asOpen(aWindow())], 1_100), ['1 opened new'])
  assert.deepEqual(told(teller, [asOpen(aWindow()), kept], 1_300), ['2 closed kept'])
  assert.deepEqual(told(teller, [aWindow(), kept], 9_000), ['1 closed new'])
})

test('what never ended is told at the end', () => {
  const teller = new WindowTeller()
  assert.deepEqual(told(teller, [asOpen(aWindow())], 200, true), ['1 closed new'])
})
