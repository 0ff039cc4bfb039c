import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { lineLog } from '../../../src/ground/machine/line-log.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

test('a warning is one line of JSON with its time, and a debug message is not written', () => {
  const sink = new PassThrough({ encoding: 'utf8' })
  const log = lineLog(sink, new VirtualClock())
  log.debug('not told')
  log.warn('first\nsecond', { node: 'n1' })
  assert.equal(sink.read(), '{"at":"2026-01-01T00:00:00.000Z","text":"first\\nsecond","node":"n1"}\n')
})
