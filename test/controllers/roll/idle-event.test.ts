import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idleEvent } from '../../../src/controllers/roll/idle-event.ts'
import type { ConnectionsEnd } from '../../../src/core/roll/connections-end.ts'

const text = (end: ConnectionsEnd): string => idleEvent({ node: 'n1', server: 'nodes/n1 on edge', end }).text

test('how a wait for connections ended says what is left of them', () => {
  assert.equal(
    text({ by: 'connections', left: 0, afterMs: 1_234 }),
    'n1 has no connection left, 1.2 s after load balancers had left it',
  )
  assert.equal(
    text({ by: 'limit', left: 1, afterMs: 60_012 }),
    'waited 1 min, and n1 still has 1 connection, which ends with the pods that serve it (detach.idleLimit)',
  )
  assert.match(text({ by: 'limit', left: 2, afterMs: 60_012 }), /n1 still has 2 connections, which end with the pods/)
  assert.equal(
    text({ by: 'limit', left: 'unknown', afterMs: 5_000 }),
    'waited 5 s for connections of n1, which cannot be seen (detach.idleLimit)',
  )
})
