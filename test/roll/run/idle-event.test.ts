import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { idleEvent } from '../../../src/roll/run/idle-event.ts'
import type { ConnectionsEnd } from '../../../src/service/decide/evidence.ts'

function text(by: ConnectionsEnd['by'], left: ConnectionsEnd['left'], afterMs: number): string {
  const end = { by, left, since: monoMs(1_000), at: monoMs(1_000 + afterMs) }
  return idleEvent({ node: 'n1', server: 'nodes/n1 on edge', end }).text
}

test('how a wait for connections ended says what is left of them', () => {
  assert.equal(text('connections', 0, 31), 'n1 had no connection left once load balancers stopped sending to it')
  assert.equal(
    text('connections', 0, 1_234),
    'n1 had no connection left 1.2 s after load balancers stopped sending to it',
  )
  assert.equal(
    text('limit', 1, 60_012),
    'waited 1 min, and n1 still had 1 connection, which ends with its pods (detach.idleLimit)',
  )
  assert.equal(
    text('limit', 2, 60_012),
    'waited 1 min, and n1 still had 2 connections, which end with its pods (detach.idleLimit)',
  )
  assert.equal(
    text('limit', 'unknown', 5_000),
    'waited 5 s for connections of n1, which cannot be counted (detach.idleLimit)',
  )
})
