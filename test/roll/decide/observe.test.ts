import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { keepDetached } from '../../../src/service/decide/keep-detached.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import {
  anInstance,
  aRecord,
  aServer,
  aSnapshot,
  aSpec,
  detachedEvidence,
  drained,
  NEW_BOOT,
} from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const out = { node: { unschedulable: true }, record: aRecord() }
const KEY = 'web/n1 on lb-1'

test('each session sent after the confirmation is a stray', () => {
  const evidence = observe(
    aSnapshot({ ...out, servers: drained({ totalSessions: 103 }), evidence: detachedEvidence() }),
  )
  assert.equal(evidence.detached[KEY]?.strays, 3)
})

test('a session is counted as a stray once, however often it is read', () => {
  const s = aSnapshot({ ...out, servers: drained({ totalSessions: 103 }), evidence: detachedEvidence() })
  const later = observe({ ...s, evidence: observe(s), now: monoMs(1_000_100) }).detached[KEY]
  assert.deepEqual([later?.strays, later?.strayedAt], [3, 1_000_000])
})

test('sessions of a server that is put back are no strays', () => {
  const evidence = { ...detachedEvidence(), attachingSince: monoMs(1) }
  const s = aSnapshot({ ...out, node: { bootId: NEW_BOOT }, servers: drained({ totalSessions: 150 }), evidence })
  assert.deepEqual(observe(s).detached, evidence.detached)
})

test('a node without an object is gone since it was first missed, and a slot ours since it was first seen to be', () => {
  const s = aSnapshot({ ...out, evidence: { goneSince: monoMs(7), slotTakenAt: monoMs(8) } })
  const { goneSince, slotTakenAt } = observe({ ...s, current: { ...s.current, absent: true } })
  assert.deepEqual([goneSince, slotTakenAt], [7, 8])
})

test('another process begins its evidence anew and keeps the strays counted before', () => {
  const servers = drained({ totalSessions: 1 })
  const snapshot = aSnapshot({ ...out, evidence: detachedEvidence({ process: '99', strays: 2 }), servers })
  const seen = observe(snapshot).detached[KEY]
  assert.deepEqual([seen?.process, seen?.since, seen?.strays, seen?.totalSessions], ['100', 1_000_000, 2, 1])
})

test('a server that is ready again confirms nothing', () => {
  const seen = observe(aSnapshot({ ...out, servers: [aServer('n1')], evidence: detachedEvidence({ process: '99' }) }))
    .detached[KEY]
  assert.equal(seen?.process, '99')
})

test('the idle limit begins anew when a server that another client set ready is taken out again', () => {
  const sessions = drained({ currentSessions: 1, totalSessions: 101 })
  const idleLimitMs = 60_000
  const spec = aSpec({ detach: { idleLimitMs } })
  const at = (now: number, servers: readonly ServerReading[], before: Evidence): RollSnapshot => {
    const s = aSnapshot({ ...out, servers, evidence: before, change: { now: monoMs(now), spec } })
    return { ...s, evidence: observe(s) }
  }
  const first = aSnapshot({ ...out, evidence: detachedEvidence({ since: monoMs(900_000) }) }).evidence
  const long = at(1_000_000, drained({ currentSessions: 1, totalSessions: 100 }), first)
  assert.equal(shortDecision(decide(long)), 'act detach: cutSessions')
  const ready = at(1_000_000, [aServer('n1', { totalSessions: 101 })], long.evidence)
  const anew = at(1_000_200, sessions, ready.evidence)
  assert.equal(shortDecision(decide(anew)), 'hold detach: SessionsLeft')
  assert.equal(shortDecision(decide(at(1_060_199, sessions, anew.evidence))), 'hold detach: SessionsLeft')
  assert.equal(shortDecision(decide(at(1_060_200, sessions, anew.evidence))), 'act detach: cutSessions')
  assert.equal(anew.evidence.detached[KEY]?.strays, 1)
})

test('law: an instance that cannot be asked confirms nothing, however long it is silent; an instance that is silent confirms nothing', () => {
  const silent = anInstance(drained(), { silentForMs: 500 })
  assert.equal(observe(aSnapshot({ ...out, change: { instances: [silent] } })).detached[KEY], undefined)
})

test('the heartbeats at the first sight of a new boot id are kept', () => {
  const returned = observe(aSnapshot({ ...out, node: { bootId: NEW_BOOT, heartbeat: 'beat-7' } })).returned
  assert.deepEqual(returned, { bootId: NEW_BOOT, at: 1_000_000, heartbeat: 'beat-7' })
})

/** A node that bears its new boot id, and what is known of its Lease. */
function rebooted(leaseRenewTime: string | undefined, evidence: Partial<Evidence> = {}): RollSnapshot {
  const s = aSnapshot({ ...out, node: { bootId: NEW_BOOT, heartbeat: 'beat-7' }, evidence })
  return { ...s, current: { ...s.current, ...(leaseRenewTime === undefined ? {} : { leaseRenewTime }) } }
}

test('a Lease that is first read after the boot id is kept as it was first read', () => {
  const unknown = observe(rebooted(undefined))
  const known = observe(rebooted('lease-1', unknown))
  const renewed = observe(rebooted('lease-2', known))
  const gone = observe(rebooted(undefined, renewed))
  assert.deepEqual(
    [unknown, known, renewed, gone].map(({ returned }) => returned?.leaseRenewTime),
    [undefined, 'lease-1', 'lease-1', 'lease-1'],
  )
  assert.equal(known.returned?.at, unknown.returned?.at)
})

test('a node that boots once more has to give its heartbeats anew', () => {
  const earlier = { bootId: 'the boot between', at: monoMs(900_000), heartbeat: 'beat-5', leaseRenewTime: 'lease-1' }
  const { returned } = observe(rebooted(undefined, { returned: earlier }))
  assert.deepEqual(returned, { bootId: NEW_BOOT, at: 1_000_000, heartbeat: 'beat-7' })
})

test('a new process finds a node in its soak that is rebooted, uncordoned and up', () => {
  assert.equal(observe(aSnapshot({ node: { bootId: NEW_BOOT }, record: aRecord() })).attachingSince, 1_000_000)
})

test('the limits of the way back do not run before everything was listed', () => {
  const unlisted = { kinds: ['pods'] }
  const attached = aSnapshot({
    node: { bootId: NEW_BOOT },
    record: aRecord(),
    evidence: { attachingSince: monoMs(1), attachingSinceWall: wallMs(7) },
  })
  const seen = observe({ ...attached, cluster: { ...attached.cluster, unlisted } })
  assert.deepEqual([seen.returned, seen.attachingSince, seen.attachingSinceWall], [undefined, 1_000_000, 7])
  assert.equal(observe(attached).attachingSince, 1)
})

test('a node still cordoned is not in its soak, whatever a reload made of its server', () => {
  const snapshot = aSnapshot({ node: { bootId: NEW_BOOT, unschedulable: true }, record: aRecord() })
  assert.equal(observe(snapshot).attachingSince, undefined)
})

test('a node is not in its soak before its reboot, where its cordon was there before, or while an instance is silent', () => {
  const silent = anInstance([aServer('n1'), aServer('n2')], { silentForMs: 1 })
  const back = { node: { bootId: NEW_BOOT }, record: aRecord() }
  const rows = [
    aSnapshot({ record: aRecord() }),
    aSnapshot({ ...back, record: aRecord({ unschedulable: true }) }),
    aSnapshot({ ...back, change: { instances: [silent] } }),
  ]
  assert.deepEqual(
    rows.map((s) => observe(s).attachingSince),
    [undefined, undefined, undefined],
  )
  assert.equal(observe(aSnapshot(back)).attachingSince, 1_000_000)
})

test('a reload while a node is out is answered by saying its state again', () => {
  const snapshot = aSnapshot({
    ...out,
    announced: true,
    servers: [aServer('n1'), aServer('n2')],
    evidence: detachedEvidence(),
  })
  assert.deepEqual(
    keepDetached(serviceOf(snapshot)).map((action) => action.kind === 'setServer' && [action.ref.server, action.state]),
    [['n1', 'drain']],
  )
})

test('before the intent nothing is said to a server that was never out: it may be the last usable one', () => {
  const [own] = aRecord().servers
  assert.ok(own)
  const record = aRecord({ servers: [own, { ...own, backend: 'tls' }] })
  const ref = { instance: 'lb-1', backend: 'tls', server: 'n1' }
  const instances = [anInstance([aServer('n1'), aServer('n2'), aServer('n1', { ref })], { backends: ['web', 'tls'] })]
  const saidTo = (announced: boolean) =>
    keepDetached(
      serviceOf(aSnapshot({ ...out, record, announced, evidence: detachedEvidence(), change: { instances } })),
    ).map((action) => action.kind === 'setServer' && action.ref.backend)
  assert.deepEqual(saidTo(false), ['web'])
  assert.deepEqual(saidTo(true), ['web', 'tls'])
})

test('what was in maint before us is put back to maint, not to drain', () => {
  const record = aRecord({ servers: aRecord().servers.map((server) => ({ ...server, state: 'maint' })) })
  const snapshot = aSnapshot({
    ...out,
    record,
    announced: true,
    servers: [aServer('n1'), aServer('n2')],
    evidence: detachedEvidence(),
  })
  assert.deepEqual(
    keepDetached(serviceOf(snapshot)).map((action) => action.kind === 'setServer' && action.state),
    ['maint'],
  )
})

test('nothing is said again once the node is being put back', () => {
  const evidence = { ...detachedEvidence(), attachingSince: monoMs(1) }
  assert.deepEqual(
    keepDetached(serviceOf(aSnapshot({ ...out, node: { bootId: NEW_BOOT }, servers: [aServer('n1')], evidence }))),
    [],
  )
})

test('nothing is said again to a server that serves as it was put back, while others serve beside it', () => {
  const evidence = { ...detachedEvidence(), attachingSince: monoMs(1) }
  assert.deepEqual(keepDetached(serviceOf(aSnapshot({ ...out, node: { bootId: NEW_BOOT }, evidence }))), [])
})

test('an instance that does not answer gets no command because of its last reading', () => {
  const silent = anInstance([aServer('n1'), aServer('n2')], { silentForMs: 1 })
  const s = aSnapshot({ ...out, announced: true, evidence: detachedEvidence(), change: { instances: [silent] } })
  assert.deepEqual(keepDetached(serviceOf(s)), [])
})

test('a server in maint serves no client, and stays in maint while its connections are dropped', () => {
  const servers = [aServer('n1', { adminState: 'maint' }), aServer('n2')]
  assert.deepEqual(
    keepDetached(serviceOf(aSnapshot({ ...out, announced: true, servers, evidence: detachedEvidence() }))),
    [],
  )
})

const verdict = { kind: 'stopped', keepOut: true, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const

test('drain keeps no client away that cookies send: a node that is out, or is kept out on its way back, goes to maint', () => {
  const servers = [aServer('n1', { adminState: 'drain', persistent: true }), aServer('n2')]
  const world = { ...out, node: { bootId: NEW_BOOT }, announced: true, servers, evidence: detachedEvidence() }
  const away = aSnapshot(world)
  const attaching = aSnapshot({ ...world, evidence: { attachingSince: monoMs(1) } })
  const keptOut = { ...attaching, run: { ...attaching.run, verdict } }
  const told = [away, attaching, keptOut].map((s) =>
    keepDetached(serviceOf(s)).map((action) => action.kind === 'setServer' && action.state),
  )
  assert.deepEqual(told, [['maint'], [], ['maint']])
})

test('a node that failed in its soak and is kept out is said again after a reload', () => {
  const snapshot = aSnapshot({
    ...out,
    node: { bootId: NEW_BOOT },
    servers: [aServer('n1'), aServer('n2')],
    evidence: { ...detachedEvidence(), attachingSince: monoMs(1) },
  })
  const guarded = keepDetached(serviceOf({ ...snapshot, run: { ...snapshot.run, verdict } }))
  assert.deepEqual(
    guarded.map((action) => action.kind === 'setServer' && [action.ref.server, action.state]),
    [['n1', 'drain']],
  )
})

test('a record that names servers elsewhere touches none of them', () => {
  const stranger = {
    balancer: 'edge',
    instance: 'lb-1',
    backend: 'web',
    server: 'n2',
    address: '10.0.0.2',
    port: 30080,
    state: 'ready',
  } as const
  const outside = { ...stranger, backend: 'k8s-api', address: '10.0.0.1', server: 'n1' }
  const record = aRecord({ servers: [stranger, outside] })
  const snapshot = aSnapshot({
    ...out,
    record,
    announced: true,
    // They are listed all the same: the allow-list and the address keep the roll from touching them, not a gap in the list.
    servers: [
      aServer('n1'),
      aServer('n2'),
      aServer('n1', { ref: { instance: 'lb-1', backend: 'k8s-api', server: 'n1' } }),
    ],
    evidence: detachedEvidence(),
  })
  assert.deepEqual(keepDetached(serviceOf(snapshot)), [])
})

test('a server with another address than the recorded one gets no command', () => {
  const moved = aServer('n1', { address: '10.0.0.2' })
  const snapshot = aSnapshot({ ...out, announced: true, servers: [moved, aServer('n2')], evidence: detachedEvidence() })
  assert.deepEqual(keepDetached(serviceOf(snapshot)), [])
})
