import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../../src/ground/model/probe.ts'
import { WindowTeller } from '../../../../src/roll/cli/probe/window-news.ts'
import { at } from '../../decide/availability/a-sample.ts'
import { aWindow } from './a-reading.ts'

const asOpen = ({ firstOkAt: _at, ...window }: FailureWindow): FailureWindow => window
const news = (teller: WindowTeller, windows: readonly FailureWindow[], ms: number, ended = false): readonly string[] =>
  teller.news(windows, at(2_467_200 + ms), ended).map(({ number, type, window }) => `${number} ${type} ${window.lane}`)

test('a short window is reported once, when it is over', () => {
  const teller = new WindowTeller()
  assert.deepEqual(news(teller, [asOpen(aWindow())], 400), [])
  assert.deepEqual(news(teller, [aWindow()], 700), ['1 closed new'])
  assert.deepEqual(news(teller, [aWindow()], 950), [])
})

test('a long window is reported while it lasts and keeps its number', () => {
  const teller = new WindowTeller()
  const kept = aWindow({ lane: 'kept' })
  assert.deepEqual(news(teller, [asOpen(aWindow())], 1_100), ['1 opened new'])
  assert.deepEqual(news(teller, [asOpen(aWindow()), kept], 1_300), ['2 closed kept'])
  assert.deepEqual(news(teller, [aWindow(), kept], 9_000), ['1 closed new'])
})

test('what never ended is told at the end', () => {
  const teller = new WindowTeller()
  assert.deepEqual(news(teller, [asOpen(aWindow())], 200, true), ['1 closed new'])
})
