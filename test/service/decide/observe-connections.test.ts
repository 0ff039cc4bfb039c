import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import type { ConnectionsEnd } from '../../../src/service/decide/evidence.ts'
import type { EndpointReading } from '../../../src/service/model/health-endpoint.ts'
import {
  ASKED,
  agents,
  anEndpoint,
  confirmed,
  endpointRecord,
  endpointSpec,
  KEY,
  noticedSince,
  OTHERS,
} from '../../support/endpoint-world.ts'
import { aSnapshot } from '../../support/roll-world.ts'

const NOTICED_AT = 940_000
const LIMIT_MS = 60_000

/** What is known after each of these readings, `at` milliseconds after load balancers had noticed. */
function after(...readings: readonly (readonly [at: number, change: Partial<EndpointReading>, announced?: boolean])[]) {
  const evidence = { ...confirmed, ...noticedSince('out', NOTICED_AT) }
  const s = aSnapshot({
    node: { unschedulable: true, ...ASKED },
    record: endpointRecord(),
    evidence,
    change: { spec: endpointSpec() },
  })
  let seen = s.evidence
  for (const [at, change, announced = false] of readings) {
    const endpoint = { answer: 'drain', acknowledged: ['a1'], ...change } as const
    const n1 = anEndpoint('n1', endpoint, { ownState: 'drain', adminState: 'drain' })
    const there = aSnapshot({ node: { unschedulable: true, ...ASKED }, record: endpointRecord(), announced })
    seen = observe({
      ...s,
      current: there.current,
      instances: agents([n1, ...OTHERS]),
      now: monoMs(NOTICED_AT + at),
      evidence: seen,
    })
  }
  return seen.connectionsEnded[KEY]
}

const ended = (by: ConnectionsEnd['by'], left: ConnectionsEnd['left'], afterMs: number): ConnectionsEnd => ({
  by,
  left,
  since: monoMs(NOTICED_AT),
  at: monoMs(NOTICED_AT + afterMs),
})

test('connections are waited for until none is left or the limit is over', () => {
  assert.equal(after([LIMIT_MS - 1, { connections: 3 }]), undefined)
  assert.equal(after([LIMIT_MS - 1, { connections: 'unknown' }]), undefined)
  assert.deepEqual(after([1_200, { connections: 0 }]), ended('connections', 0, 1_200))
  assert.deepEqual(after([LIMIT_MS, { connections: 3 }]), ended('limit', 3, LIMIT_MS))
  assert.deepEqual(after([LIMIT_MS, { connections: 'unknown' }]), ended('limit', 'unknown', LIMIT_MS))
})

test('the first moment counts, also where the node waits for something else afterwards', () => {
  assert.deepEqual(after([1_200, { connections: 0 }], [90_000, { connections: 0 }]), ended('connections', 0, 1_200))
  assert.deepEqual(after([LIMIT_MS, { connections: 3 }], [90_000, { connections: 0 }]), ended('limit', 3, LIMIT_MS))
})

test('connections that come before the limit begin it anew', () => {
  assert.equal(after([1_200, { connections: 0 }], [2_000, { connections: 1 }]), undefined)
  const again = after([1_200, { connections: 0 }], [2_000, { connections: 1 }], [3_000, { connections: 0 }])
  assert.deepEqual(again, ended('connections', 0, 3_000))
})

test('an agent that is not heard for a moment, or goes down with its machine, changes nothing of it', () => {
  const silent = { heard: false, connections: 'unknown' } as const
  assert.deepEqual(after([1_200, { connections: 0 }], [2_000, silent]), ended('connections', 0, 1_200))
  assert.equal(after([1_200, { connections: 3 }], [90_000, silent, true]), undefined)
})

test('an agent that answers `up` again leaves nothing of it', () => {
  assert.equal(after([1_200, { connections: 0 }], [2_000, { connections: 0, answer: 'up' }]), undefined)
})
