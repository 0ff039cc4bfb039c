import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import { keepDetached } from '../../../src/service/decide/keep-detached.ts'
import { type ServerReading, serverKey } from '../../../src/service/model/balancer.ts'
import { agents, anEndpoint, endpointRecord, endpointSpec, KEY } from '../../support/endpoint-world.ts'
import { anInstance, aRecord, aServer, aSnapshot, BOOT, detachedEvidence, NEW_BOOT } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const OUT = { adminState: 'maint', ownState: 'maint' } as const

/** n1 is rebooted, requests fail since it was put back, and the roll stops. */
function failedInSoak(other: ServerReading, allowLastServer = false) {
  const s = aSnapshot({
    node: { bootId: NEW_BOOT },
    record: aRecord(),
    announced: true,
    evidence: { attachedAt: monoMs(999_000), attachingSince: monoMs(999_000) },
  })
  const verdict = { kind: 'stopped', keepOut: true, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
  const instances = [anInstance([aServer('n1'), other], { allowLastServer })]
  return { ...s, instances, run: { ...s.run, verdict } }
}

test('a node that failed in its soak is taken out again', () => {
  assert.equal(shortDecision(decide(failedInSoak(aServer('n2')))), 'act detach: setServer drain')
})

test('a node goes on serving if no other one could, and the reason says so', () => {
  const decision = decide(failedInSoak(aServer('n2', OUT)))
  assert.equal(shortDecision(decision), 'settled: RequestsFailed LastUsableServer')
  assert.equal(decision.reasons[1]?.text, 'web/n1 stays in service: no other server of web is usable on lb-1')
})

test('once another node can serve, the process that keeps it out takes it out', () => {
  assert.deepEqual(keepDetached(serviceOf(failedInSoak(aServer('n2', OUT)))), [])
  assert.deepEqual(
    keepDetached(serviceOf(failedInSoak(aServer('n2')))).map((action) => action.kind),
    ['setServer'],
  )
})

test('a pool of one is taken out for it as for a reboot', () => {
  assert.equal(shortDecision(decide(failedInSoak(aServer('n2', OUT), true))), 'act detach: setServer drain')
})

/** n1 was taken out and its reboot is not announced; a reload has put it back in. `instances`: where n1 is in again. */
const backByReload = (servers: readonly ServerReading[], change: Parameters<typeof aSnapshot>[0] = {}) =>
  aSnapshot({ node: { unschedulable: true }, record: aRecord(), servers, evidence: detachedEvidence(), ...change })

const repeated = (s: ReturnType<typeof aSnapshot>): readonly string[] =>
  keepDetached(serviceOf(s)).map(({ ref }) => serverKey(ref))

/** A node that is out of all its backends is also a bad node, which the roll waits for before it looks at step 4. */
const [BAD, LAST] = ['hold slot: OtherNodeBad LastUsableServer', 'hold detach: LastUsableServer']

const CANNOT_SERVE: readonly (readonly [why: string, other: Partial<ServerReading>, decision: string])[] = [
  ['is in maint', OUT, BAD],
  ['is in drain', { adminState: 'drain' }, BAD],
  ['is in maint by the server that it tracks', { adminState: 'maint', ownState: 'ready', inherited: true }, BAD],
  ['is down by its checks', { operational: 'down', check: 'failing' }, BAD],
  ['is down and never served', { operational: 'down', check: 'failing', totalSessions: 0 }, LAST],
  ['takes but a part of its traffic yet', { operational: 'starting' }, LAST],
  ['is a backup', { backup: true }, LAST],
  ['has weight 0', { weight: 0 }, BAD],
]

for (const [why, other, decision] of CANNOT_SERVE) {
  test(`law: before the reboot is announced, the last usable server of a backend that a reload put back in serves on; a node that a reload put back in before its reboot was announced serves on where the other server ${why}`, () => {
    const s = backByReload([aServer('n1'), aServer('n2', other)])
    assert.deepEqual(repeated(s), [])
    assert.equal(shortDecision(decide(s)), decision)
  })
}

test('it is taken out again as soon as another server can serve', () => {
  assert.deepEqual(repeated(backByReload([aServer('n1'), aServer('n2', OUT), aServer('n3')])), ['web/n1 on lb-1'])
})

test('it serves on while the roll holds for something else, and the roll says so', () => {
  const s = backByReload([aServer('n1'), aServer('n2', OUT)])
  const decision = decide({ ...s, cluster: { ...s.cluster, staleForMs: 20_000 } })
  assert.equal(shortDecision(decision), 'hold slot: ApiUnreachable LastUsableServer')
  assert.equal(decision.reasons[1]?.text, 'web/n1 stays in service: no other server of web is usable on lb-1')
})

test('law: before the reboot is announced, the last usable server of a backend that a reload put back in serves on; once the reboot is announced it is taken out again though it is the last one that could serve', () => {
  assert.deepEqual(repeated(backByReload([aServer('n1'), aServer('n2', OUT)], { announced: true })), ['web/n1 on lb-1'])
})

test('so it is where another program rebooted it: nothing has proven that it can serve', () => {
  const node = { unschedulable: true, bootId: NEW_BOOT }
  assert.deepEqual(repeated(backByReload([aServer('n1'), aServer('n2', OUT)], { node })), ['web/n1 on lb-1'])
})

test('a node that others rebooted is out before its proof, also where no process of this run ever saw it out', () => {
  const servers = [aServer('n1'), aServer('n2')]
  const unseen = (bootId: string) =>
    aSnapshot({ node: { unschedulable: true, bootId }, record: aRecord(), servers, evidence: { detached: {} } })
  assert.deepEqual([repeated(unseen(NEW_BOOT)), repeated(unseen(BOOT))], [['web/n1 on lb-1'], []])
})

test('a resumed run leaves the last one in service that the process before it proved and put back: its cordon is off', () => {
  const alone = [aServer('n1'), aServer('n2', OUT)]
  const rebooted = (unschedulable: boolean, servers = alone) =>
    aSnapshot({ node: { bootId: NEW_BOOT, unschedulable }, record: aRecord(), announced: true, servers })
  assert.deepEqual(repeated(rebooted(false)), [])
  assert.deepEqual(repeated(rebooted(true)), ['web/n1 on lb-1'])
  assert.deepEqual(repeated(rebooted(false, [aServer('n1'), aServer('n2')])), ['web/n1 on lb-1'])
})

test('a node that was cordoned before the run shows no proof by its cordon, nor does one that was not rebooted yet', () => {
  const alone = [aServer('n1'), aServer('n2', OUT)]
  const record = aRecord({ unschedulable: true })
  const before = aSnapshot({ node: { bootId: NEW_BOOT }, record, announced: true, servers: alone })
  assert.deepEqual(repeated(before), ['web/n1 on lb-1'])
  assert.deepEqual(repeated(aSnapshot({ record: aRecord(), announced: true, servers: alone })), ['web/n1 on lb-1'])
})

test('a node that did not settle after it was given up before its reboot serves on in the same way', () => {
  const s = backByReload([aServer('n1'), aServer('n2', OUT)], { node: {} })
  const verdict = { kind: 'stopped', keepOut: true, reasons: [{ code: 'NotSettled', text: 'x' }] } as const
  assert.equal(shortDecision(decide({ ...s, run: { ...s.run, verdict } })), 'settled: NotSettled LastUsableServer')
})

test('which server is the last is asked of each instance and of each backend by itself', () => {
  const at = (instance: string, backend: string) => ({ ref: { instance, backend, server: 'n1' } })
  const [recorded] = aRecord().servers
  assert.ok(recorded)
  const servers = [recorded, { ...recorded, backend: 'tls' }, { ...recorded, instance: 'lb-2' }]
  const [seen] = Object.values(detachedEvidence().detached)
  assert.ok(seen)
  const keys = ['web/n1 on lb-1', 'tls/n1 on lb-1', 'web/n1 on lb-2']
  const other = (instance: string, backend: string, change: Partial<ServerReading>): ServerReading =>
    aServer('n2', { ref: { instance, backend, server: 'n2' }, ...change })
  const s = backByReload([], {
    record: aRecord({ servers }),
    evidence: { detached: Object.fromEntries(keys.map((key) => [key, seen])) },
    change: {
      instances: [
        anInstance(
          [
            aServer('n1', at('lb-1', 'web')),
            other('lb-1', 'web', OUT),
            aServer('n1', at('lb-1', 'tls')),
            other('lb-1', 'tls', {}),
          ],
          { backends: ['web', 'tls'] },
        ),
        anInstance([aServer('n1', at('lb-2', 'web')), other('lb-2', 'web', {})], { instance: 'lb-2' }),
      ],
    },
  })
  assert.deepEqual(repeated(s), ['tls/n1 on lb-1', 'web/n1 on lb-2'])
})

test('nothing is taken out before the announcement by what a silent instance said last', () => {
  const silent = (silentForMs: number) => [anInstance([aServer('n1'), aServer('n2')], { silentForMs })]
  const at = (announced: boolean, silentForMs: number): readonly [readonly string[], string] => {
    const s = backByReload([], { announced, change: { instances: silent(silentForMs) } })
    return [repeated(s), shortDecision(decide(s))]
  }
  assert.deepEqual(at(false, 0), [['web/n1 on lb-1'], 'act detach: setServer drain'])
  assert.deepEqual(at(false, 400), [[], 'hold detach: InstanceSilent'])
  assert.deepEqual(at(true, 400), [[], 'act detach: setServer drain'])
})

/** n1 is in again before its reboot is announced, as its agent says; n2 is what the test says. Agents were asked at 1,000 ms. */
function backByAgents(n2: ServerReading, announced = false) {
  const [seen] = Object.values(detachedEvidence().detached)
  assert.ok(seen)
  return aSnapshot({
    node: { unschedulable: true },
    record: endpointRecord(),
    announced,
    evidence: { detached: { [KEY]: seen } },
    change: { spec: endpointSpec(), instances: agents([anEndpoint('n1', { answer: 'up' }), n2]) },
  })
}

test('law: before the reboot is announced, the last usable server of a backend that a reload put back in serves on; of health endpoints the last one that answers up is not asked to leave again before the announcement', () => {
  const asked = (n2: ServerReading, announced: boolean): readonly string[] => repeated(backByAgents(n2, announced))
  const leaving = anEndpoint('n2', { answer: 'drain' }, { adminState: 'drain', ownState: 'drain' })
  assert.deepEqual([asked(anEndpoint('n2'), false), asked(leaving, false), asked(leaving, true)], [[KEY], [], [KEY]])
})

test('an agent that answers up again counts as a server only after 6 s, when the checks of its balancers must have passed', () => {
  const since = (upSince: number) => backByAgents(anEndpoint('n2', { upSince: monoMs(upSince) }))
  const [tooShort, longEnough] = [since(-4_999), since(-5_000)]
  assert.deepEqual([repeated(tooShort), repeated(longEnough)], [[], [KEY]])
  assert.deepEqual(
    [shortDecision(decide(tooShort)), shortDecision(decide(longEnough))],
    ['hold detach: LastUsableServer', 'act detach: askAgent'],
  )
})

test('law: before the reboot is announced, the last usable server of a backend that a reload put back in serves on; one that is down by its agent is not asked to leave while no other can serve: its balancers may not have noticed', () => {
  const silent = { heard: false, answer: 'down' } as const
  const closed = { answer: 'down', onlyClosed: true } as const
  const asked = (n1: Parameters<typeof anEndpoint>[1], n2: ServerReading): readonly string[] => {
    const s = backByAgents(n2)
    return repeated({ ...s, instances: agents([anEndpoint('n1', n1), n2]) })
  }
  for (const down of [silent, closed]) {
    assert.deepEqual(asked(down, anEndpoint('n2', silent)), [])
    assert.deepEqual(asked(down, anEndpoint('n2')), [KEY])
  }
  assert.deepEqual(asked({}, anEndpoint('n2', silent)), [])
})
