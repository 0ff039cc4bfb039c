import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { buildRecord } from '../../../src/roll/decide/build-record.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { rememberOutcome } from '../../../src/roll/decide/remember-outcome.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import type { NodeRecord } from '../../../src/service/model/node-record.ts'
import { settled, withPort } from '../../support/roll-stages.ts'
import { anInstance, aRecord, aServer, aSnapshot } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const was = (state: 'ready' | 'drain' | 'maint'): NodeRecord =>
  aRecord({ servers: aRecord().servers.map((server) => ({ ...server, state })) })

/** What is decided for a settled node whose server is so now; before us it was in service, unless told otherwise. */
function next(server: Partial<ServerReading>, record = was('ready')): string {
  const servers = [aServer('n1', server), aServer('n2'), aServer('n3')]
  return shortDecision(decide(withPort(aSnapshot({ ...settled, record, servers }))))
}

test('law: out of maint, the word of HAProxy that a server is up proves nothing; out of maint a server goes to drain first, where its checks run and nothing is sent', () => {
  assert.equal(next({ adminState: 'maint', check: 'passing' }), 'act attach: setServer drain')
  assert.equal(next({ adminState: 'drain', check: 'failing' }), 'hold attach: NotUpYet')
  assert.equal(next({ adminState: 'drain', check: 'passing' }), 'act attach: setServer ready')
})

test('a server that is told ready is waited for until it is up', () => {
  assert.equal(next({ adminState: 'ready', operational: 'down', check: 'failing' }), 'hold attach: NotUpYet')
  assert.equal(next({ adminState: 'ready', operational: 'up' }), 'hold soak: Soaking')
})

/** A reload put n1 in while its checks had not passed since the reboot. */
const RELOADED = { adminState: 'ready', operational: 'up', check: 'failing', uncheckedYet: true } as const

test('law: out of maint, the word of HAProxy that a server is up proves nothing; nor after a reload, which forgets the drain it was in', () => {
  const after = (
    n1: Partial<ServerReading> = RELOADED,
    n2: Partial<ServerReading> = {},
    evidence: Partial<Evidence> = {},
  ) => {
    const servers = [aServer('n1', n1), aServer('n2', n2)]
    const attaching = { ...settled.evidence, attachingSince: settled.evidence.returned.at, ...evidence }
    return shortDecision(decide(withPort(aSnapshot({ ...settled, servers, evidence: attaching }))))
  }
  assert.equal(after(), 'act attach: setServer drain')
  assert.equal(after({ ...RELOADED, persistent: true }), 'act attach: setServer maint')
  assert.equal(after(RELOADED, { adminState: 'maint' }), 'hold attach: NotUpYet', 'the last usable server stays in')
  const putBackAt = { 'web/n1 on lb-1': settled.evidence.returned.at }
  assert.equal(after(RELOADED, {}, { putBackAt }), 'hold attach: NotUpYet', 'its checks had passed before the reload')
  assert.equal(after({}), 'hold soak: Soaking')
})

test('what was out before us goes back to where it was, and is not put into service', () => {
  assert.equal(next({ adminState: 'drain' }, was('maint')), 'act attach: setServer maint')
  assert.equal(next({ adminState: 'maint' }, was('maint')), 'hold soak: Soaking')
  assert.equal(next({ adminState: 'maint', ownState: 'maint' }, was('drain')), 'act attach: setServer drain')
})

/** n1 was in maint before the roll, people set it ready since, and the other server is like this. */
const setReadySince = (other: Partial<ServerReading>, allowLastServer = false): string => {
  const instances = [anInstance([aServer('n1'), aServer('n2', other)], { allowLastServer })]
  return shortDecision(decide(withPort(aSnapshot({ ...settled, record: was('maint'), change: { instances } }))))
}

test('a server that people set ready goes back to maint, where it was, unless it is the last usable one by now', () => {
  const maint = { adminState: 'maint' } as const
  assert.deepEqual([setReadySince({}), setReadySince(maint)], ['act attach: setServer maint', 'hold soak: Soaking'])
  assert.equal(setReadySince(maint, true), 'act attach: setServer maint', 'in a pool of one')
})

test('which server is the last is asked of each by itself: where a node has two, the one that served before is enough', () => {
  const [recorded] = aRecord().servers
  assert.ok(recorded)
  const second = { ...recorded, server: 'n1b', state: 'maint' } as const
  const n1b = aServer('n1b', { address: recorded.address })
  const next = (n1: Partial<ServerReading>): string => {
    const record = aRecord({ servers: [recorded, second] })
    const servers = [aServer('n1', n1), n1b, aServer('n2', { adminState: 'maint' })]
    return shortDecision(decide(withPort(aSnapshot({ ...settled, record, servers }))))
  }
  assert.equal(next({}), 'act attach: setServer maint')
  assert.equal(next({ operational: 'down', check: 'failing' }), 'hold attach: NotUpYet')
})

test('connections to the machine before its reboot are dropped before it serves', () => {
  assert.equal(next({ adminState: 'drain', idleConnections: 2 }), 'act attach: setServer maint')
})

test('connections of clients that cookies send to the machine after its reboot are not dropped', () => {
  const n1 = (reading: Partial<ServerReading>) => aServer('n1', { persistent: true, ...reading })
  const seen = (reading: Partial<ServerReading>, before = aSnapshot(settled).evidence) => {
    const s = withPort(aSnapshot({ ...settled, servers: [n1(reading), aServer('n2')], evidence: before }))
    return { ...s, evidence: observe(s) }
  }
  const maint = seen({ adminState: 'maint' })
  assert.equal(shortDecision(decide(maint)), 'act attach: setServer drain')
  const served = seen({ adminState: 'drain', idleConnections: 3 }, maint.evidence)
  assert.equal(shortDecision(decide(served)), 'act attach: setServer ready')
  const unknown = seen({ adminState: 'drain', idleConnections: 3 })
  assert.equal(shortDecision(decide(unknown)), 'act attach: setServer maint')
})

test('connections that requests left in the pool in maint are dropped there, before cookies send more clients', () => {
  const next = (reading: Partial<ServerReading>, agoMs: number) => {
    const n1 = aServer('n1', { persistent: true, idleConnections: 3, ...reading })
    const s = withPort(aSnapshot({ ...settled, servers: [n1, aServer('n2')] }))
    const purgedAt = { 'web/n1 on lb-1': monoMs(s.now - agoMs) }
    return shortDecision(decide({ ...s, evidence: { ...s.evidence, purgedAt } }))
  }
  assert.equal(next({ adminState: 'maint' }, 60_000), 'act attach: setServer maint')
  assert.equal(next({ adminState: 'maint' }, 1_000), 'hold attach: ConnectionsPooled')
  assert.equal(next({ adminState: 'maint', idleConnections: 0 }, 1_000), 'act attach: setServer drain')
})

test('connections that outlive being dropped are waited for, and dropped again after two seconds', () => {
  const servers = [aServer('n1', { adminState: 'drain', check: 'passing', idleConnections: 2 }), aServer('n2')]
  const s = withPort(aSnapshot({ ...settled, servers }))
  const first = decide(s)
  const [drop] = first.kind === 'act' ? first.actions : []
  assert.ok(drop?.kind === 'setServer' && drop.state === 'maint')
  const evidence = rememberOutcome(s, drop, { ok: true })
  const after = (ms: number) => shortDecision(decide({ ...s, evidence, now: monoMs(s.now + ms) }))
  assert.equal(after(10), 'hold attach: ConnectionsPooled')
  assert.equal(after(1_999), 'hold attach: ConnectionsPooled')
  assert.equal(after(2_000), 'act attach: setServer maint')
})

test('a server without a check is put back only where its data port answers', () => {
  const unchecked = [aServer('n1', { adminState: 'drain', check: 'none' }), aServer('n2')]
  const s = aSnapshot({
    ...settled,
    servers: unchecked,
    evidence: { ...settled.evidence, attachingSince: settled.evidence.returned.at },
  })
  assert.equal(shortDecision(decide(s)), 'hold attach: NotUpYet')
  assert.equal(shortDecision(decide(withPort(s))), 'act attach: setServer ready')
})

test('law: no node counts as attached while an instance of its balancers is silent; an instance that is silent keeps every server out', () => {
  const instances = [anInstance([aServer('n1', { adminState: 'drain' }), aServer('n2')], { silentForMs: 1 })]
  assert.equal(
    shortDecision(decide(withPort(aSnapshot({ ...settled, change: { instances } })))),
    'hold attach: InstanceSilent',
  )
})

test('law: no node counts as attached while an instance of its balancers is silent; an instance that went silent after its command answers again before the node counts as attached', () => {
  const evidence = { ...settled.evidence, attachingSince: monoMs(999_000) }
  const attached = (silentForMs: number): string => {
    const instances = [anInstance([aServer('n1'), aServer('n2')], { silentForMs })]
    return shortDecision(decide(withPort(aSnapshot({ ...settled, evidence, change: { instances } }))))
  }
  assert.deepEqual([attached(1), attached(0)], ['hold attach: InstanceSilent', 'hold soak: Soaking'])
})

test('a node that was not rebooted keeps the connections that its balancer has to it', () => {
  const verdict = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
  const servers = [aServer('n1', { adminState: 'drain', idleConnections: 2 }), aServer('n2')]
  const s = aSnapshot({ record: was('ready'), servers, evidence: { settledInARow: 3 } })
  assert.equal(shortDecision(decide({ ...s, run: { ...s.run, verdict } })), 'act attach: setServer ready')
})

test('a server that was starting, or was drained by people, is asked for no more than it was', () => {
  const starting = aRecord({ servers: was('ready').servers.map((it) => ({ ...it, operational: 'starting' })) })
  const down = { operational: 'down', check: 'failing' } as const
  assert.equal(next({ adminState: 'ready', ...down }, starting), 'hold attach: NotUpYet')
  const drained = aRecord({ servers: was('drain').servers.map((it) => ({ ...it, operational: 'up' })) })
  assert.equal(next({ adminState: 'drain', ...down }, drained), 'hold soak: Soaking')
})

const wasDown: NodeRecord = aRecord({ servers: was('ready').servers.map((it) => ({ ...it, operational: 'down' })) })

test('a server that was down before us goes back to ready, and nothing is asked of it', () => {
  assert.equal(next({ adminState: 'maint', check: 'failing' }, wasDown), 'act attach: setServer drain')
  const down = { operational: 'down', check: 'failing' } as const
  assert.equal(next({ adminState: 'drain', ...down }, wasDown), 'act attach: setServer ready')
  assert.equal(next({ adminState: 'ready', ...down }, wasDown), 'hold soak: Soaking')
})

test('the data port of a server that was down before us need not answer', () => {
  const servers = [aServer('n1', { adminState: 'drain', check: 'failing' }), aServer('n2')]
  const asked = (record: NodeRecord) => shortDecision(decide(aSnapshot({ ...settled, record, servers })))
  assert.equal(asked(wasDown), 'act attach: setServer ready')
  assert.equal(asked(was('ready')), 'hold settle: DataPortSilent')
})

test('the record says of each server whether it was up', () => {
  const servers = [aServer('n1', { operational: 'down' }), aServer('n2')]
  assert.deepEqual(
    buildRecord(aSnapshot({ servers })).servers.map(({ server, operational }) => [server, operational]),
    [['n1', 'down']],
  )
})
