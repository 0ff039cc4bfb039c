import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { noEvidence } from '../../../src/roll/decide/evidence.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import type { NodeRecord } from '../../../src/service/model/node-record.ts'
import { out } from '../../support/roll-stages.ts'
import { aRecord, aServer, aSnapshot, detachedEvidence, NEW_BOOT } from '../../support/roll-world.ts'

const NOW = monoMs(1_000_000)

test('of a node that is begun nothing is known', () => {
  assert.deepEqual(noEvidence('n1', wallMs(5)), {
    node: 'n1',
    startedAt: 5,
    detached: {},
    noticing: {},
    connectionsEnded: {},
    purgedAt: {},
    emptiedAt: {},
    putBackAt: {},
    setOut: {},
    retries: {},
    evictions: {},
    firstSeen: [],
    evicted: {},
    stuckReasons: [],
    podsLeft: Number.POSITIVE_INFINITY,
    intentByUs: false,
    settledInARow: 0,
  })
})

test('where no node is under way, or none of ours, nothing is observed but the slot', () => {
  const { current: _, ...none } = aSnapshot()
  const { slotTakenAt: _taken, ...evidence } = none.evidence
  assert.deepEqual(observe({ ...none, evidence }), { ...evidence, slotTakenAt: NOW })
  const unrecorded = aSnapshot({ node: { bootId: NEW_BOOT } })
  assert.deepEqual(observe(unrecorded), unrecorded.evidence)
})

test('a node is gone since it was first missed, and not gone once it is there again', () => {
  const s = aSnapshot(out)
  const missed = observe({ ...s, current: { ...s.current, absent: true } })
  assert.equal(missed.goneSince, NOW)
  assert.equal(observe({ ...s, evidence: missed }).goneSince, undefined)
})

test('a node with its old boot id has not returned', () => {
  assert.equal(observe(aSnapshot(out)).returned, undefined)
})

const [RECORDED] = aRecord().servers
const recordOf = (...states: readonly ('ready' | 'drain')[]): NodeRecord =>
  aRecord({
    servers: states.flatMap((state, at) =>
      RECORDED === undefined ? [] : [{ ...RECORDED, server: `s${at}`, port: 30080 + at, state }],
    ),
  })
const serversOf = (...states: readonly ('ready' | 'drain')[]): readonly ServerReading[] =>
  states.map((adminState, at) => aServer(`s${at}`, { address: '10.0.0.1', port: 30080 + at, adminState }))

const TABLE: readonly (readonly [
  title: string,
  record: NodeRecord,
  servers: readonly ServerReading[],
  isSoaking: boolean,
])[] = [
  ['its server is ready as it was', recordOf('ready'), serversOf('ready'), true],
  ['its server is out', recordOf('ready'), serversOf('drain'), false],
  ['one of its two servers is out', recordOf('ready', 'ready'), serversOf('ready', 'drain'), false],
  ['one was ready, and one out, as it is', recordOf('ready', 'drain'), serversOf('ready', 'drain'), true],
  ['its server was out before, as it is', recordOf('drain'), serversOf('drain'), false],
  ['it has no server', recordOf(), [], false],
]

for (const [title, record, servers, isSoaking] of TABLE) {
  test(`a new process takes a node for ${isSoaking ? '' : 'not '}in its soak where ${title}`, () => {
    const s = aSnapshot({ node: { bootId: NEW_BOOT }, record, servers })
    const { attachingSince, attachingSinceWall } = observe(s)
    assert.deepEqual([attachingSince, attachingSinceWall], isSoaking ? [NOW, s.wall] : [undefined, undefined])
  })
}

test('a process that saw the detach itself does not take the node for in its soak', () => {
  const back = { node: { bootId: NEW_BOOT }, record: aRecord() }
  assert.equal(observe(aSnapshot({ ...back, evidence: detachedEvidence() })).attachingSince, undefined)
})

test('the begin of the soak that is known stays, and is put off while something was never listed', () => {
  const back = { node: { bootId: NEW_BOOT }, record: aRecord(), evidence: { attachingSince: monoMs(7) } }
  const s = aSnapshot(back)
  assert.equal(observe(s).attachingSince, 7)
  assert.equal(observe({ ...s, cluster: { ...s.cluster, unlisted: { kinds: ['pods'] } } }).attachingSince, NOW)
})
