import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { outAnew } from '../../../src/service/decide/evidence.ts'
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
import { fullDecision } from '../../support/full-decision.ts'
import { announced, cordoned, out } from '../../support/roll-stages.ts'
import { aRecord, aSnapshot, detachedEvidence, drained } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

/** n1 leaves by its agent, which has so many connections left. */
function leaving(connections: number | 'unknown', evidence: Partial<RollSnapshot['evidence']>) {
  const endpoint = { answer: 'drain', acknowledged: ['a1'], connections } as const
  const n1 = anEndpoint('n1', endpoint, { ownState: 'drain', adminState: 'drain' })
  const s = aSnapshot({
    node: { unschedulable: true, ...ASKED },
    record: endpointRecord(),
    evidence,
    change: { spec: endpointSpec(), instances: agents([n1, ...OTHERS]) },
  })
  return fullDecision(decide(s))
}

test('a node that leaves by its agent waits until those who check it have noticed that it leaves', () => {
  assert.deepEqual(leaving(0, confirmed), [
    'hold detach for 500 ms',
    'ChecksGoOn | n1 | n1 leaves, and its load balancers may not have noticed yet',
  ])
})

test('connections that cannot be seen are said to be so while they are waited for', () => {
  assert.deepEqual(leaving('unknown', { ...confirmed, ...noticedSince('out', 999_999) }), [
    'hold detach for 250 ms',
    'SessionsLeft | nodes/n1 | the connections that n1 has left cannot be counted',
  ])
})

test('sessions are cut on no balancer that is not ours to tell, however long its node has been leaving', () => {
  const [seen] = Object.values(confirmed.detached)
  assert.ok(seen)
  const long = { detached: { [KEY]: { ...seen, since: monoMs(1) } } }
  assert.deepEqual(leaving(3, { ...long, ...noticedSince('out', 999_999) }), [
    'hold detach for 250 ms',
    'SessionsLeft | nodes/n1 | nodes/n1 on edge has 3 sessions left',
  ])
})

test('a cut that is due and forbidden is looked at again soon, and says what forbids it', () => {
  const overdue = {
    ...out,
    servers: drained({ currentSessions: 2 }),
    evidence: detachedEvidence({ since: monoMs(1) }),
  }
  assert.deepEqual(fullDecision(decide(aSnapshot({ ...overdue, change: { journalWritable: false } }))), [
    'hold detach for 250 ms',
    'JournalNotWritable | - | the journal cannot be written, so nothing disruptive is done',
  ])
})

test('connections pooled in maint are waited for, and the server stays in it, where people had taken it out before', () => {
  const leaves = (state: 'maint' | 'drain', idleConnections: number) => {
    const record = aRecord({ servers: aRecord().servers.map((server) => ({ ...server, state })) })
    const servers = drained({ adminState: 'maint', ownState: 'maint', persistent: true, idleConnections })
    return fullDecision(decide(aSnapshot({ ...out, record, servers, evidence: detachedEvidence() })))
  }
  for (const state of ['maint', 'drain'] as const) {
    assert.deepEqual(leaves(state, 2), [
      'hold detach for 250 ms',
      'ConnectionsPooled | web/n1 | web/n1 on lb-1 keeps 2 idle connections open, which would be dead after the reboot',
    ])
    assert.match(leaves(state, 0)[0] ?? '', /reboot/)
  }
})

test('a server counts as taken out in drain, in a maint that it was found in, and not in one that drops its connections', () => {
  const seen = (state: 'drain' | 'maint', purgedAt = {}) => {
    const servers = drained({ adminState: state, ownState: state })
    return Object.keys(observe(aSnapshot({ ...cordoned, servers, evidence: { purgedAt } })).detached)
  }
  const purged = { 'web/n1 on lb-1': monoMs(999_000) }
  assert.deepEqual([seen('drain'), seen('maint'), seen('maint', purged)], [['web/n1 on lb-1'], ['web/n1 on lb-1'], []])
})

test('a server that served meanwhile has its idle limit anew, and nothing else of it or of others is forgotten', () => {
  const [one] = Object.values(detachedEvidence({ strays: 2 }).detached)
  assert.ok(one)
  const { evidence } = aSnapshot({ evidence: { detached: { a: one, b: one } } })
  assert.deepEqual(outAnew(evidence, new Set(['a'])).detached, { a: { ...one, since: undefined }, b: one })
})

test('sessions that a process from before a reload still has are waited for', () => {
  const servers = drained({ currentSessions: 1, oldSessions: 2 })
  const s = aSnapshot({ ...out, servers, evidence: detachedEvidence({}) })
  assert.deepEqual(fullDecision(decide(s)), [
    'hold detach for 250 ms',
    'SessionsLeft | web/n1 | web/n1 on lb-1 has 3 sessions left, 2 of them in a process from before a reload',
  ])
})

test('a master that does not say which sessions are from before a reload holds the detach, as a silent instance does', () => {
  const servers = drained({ currentSessions: 0, oldUnknown: 'lb-1 (/m.sock): no process listens there' })
  const s = aSnapshot({ ...out, servers, evidence: detachedEvidence({ since: monoMs(1) }) })
  assert.deepEqual(fullDecision(decide(s)), [
    'hold detach for 500 ms',
    'InstanceSilent | lb-1 | the master process of lb-1 does not say which sessions are from before a reload: lb-1 (/m.sock): no process listens there',
  ])
})

test('clients of a process from before a reload are waited for as long as sessions are, and no longer', () => {
  const decided = (since: number) => {
    const servers = drained({ currentSessions: 0, oldClients: 2 })
    return fullDecision(decide(aSnapshot({ ...out, servers, evidence: detachedEvidence({ since: monoMs(since) }) })))
  }
  const { now } = aSnapshot({ ...out })
  assert.deepEqual(decided(now - 1_000), [
    'hold detach for 250 ms',
    'SessionsLeft | web/n1 | a process of lb-1 from before a reload has 2 client connections left, and may send their requests to web/n1',
  ])
  assert.notEqual(decided(1)[0]?.split(' ')[1], 'detach')
})

test('a server that is sent sessions in drain goes to maint, and is not out while it is sent some there', () => {
  const before = detachedEvidence({ totalSessions: 100, since: monoMs(995_000) })
  const observed = (server: Parameters<typeof drained>[0], evidence = before) => {
    const s = aSnapshot({ ...out, servers: drained({ currentSessions: 0, totalSessions: 120, ...server }), evidence })
    return { s: { ...s, evidence: observe(s) }, evidence: observe(s) }
  }
  const { s, evidence } = observed({})
  assert.match(shortDecision(decide(s)), /^act detach: setServer maint/)
  assert.match(shortDecision(decide(observed({ idleConnections: 3 }).s)), /^act detach: setServer maint/)
  const soon = observed({}, detachedEvidence({ totalSessions: 100, since: monoMs(995_001) }))
  assert.equal(shortDecision(decide(soon.s)), 'hold detach: StillSent', 'it was queued for it')
  const later = observed({ adminState: 'maint', ownState: 'maint', totalSessions: 121 }, evidence)
  assert.deepEqual(fullDecision(decide(later.s)), [
    'hold detach for 250 ms',
    'StillSent | web/n1 | web/n1 on lb-1 is maint, and was sent 21 sessions since',
  ])
  assert.match(shortDecision(decide({ ...later.s, now: monoMs(later.s.now + 5_000) })), /reboot/)
})

test('a new process leaves a server in maint that an earlier one has set to it, also while the machine is rebooting', () => {
  const maint = drained({ adminState: 'maint', ownState: 'maint', currentSessions: 0 })
  const resumed = (stage: typeof out) => {
    const s = aSnapshot({ ...stage, servers: maint, evidence: {} })
    return shortDecision(decide({ ...s, evidence: observe(s) }))
  }
  assert.doesNotMatch(resumed(out), /detach/)
  assert.match(resumed(announced), /reboot/)
})
