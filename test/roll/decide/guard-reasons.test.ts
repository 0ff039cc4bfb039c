import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, ProbeStatus, ProbeTarget } from '../../../src/ground/model/probe.ts'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { baselineGreen, mayDisrupt, mayEvict, mayStart } from '../../../src/roll/decide/guards.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import { mayBeTaken } from '../../../src/service/decide/may-be-taken.ts'
import { agents, anEndpoint, endpointSpec, OTHERS } from '../../support/endpoint-world.ts'
import { anInstance, aServer, aSnapshot, aSpec } from '../../support/roll-world.ts'

const WALL = 1_700_000_000_000
const { reading: _, askedAt: _never, ...NEVER } = anInstance([])
const FRESH = aServer('n2', { check: 'failing', uncheckedYet: true })
const OTHER_BACKEND = aServer('n3', {
  ref: { instance: 'lb-1', backend: 'tls', server: 'n3' },
  check: 'failing',
  uncheckedYet: true,
})
const UNCHECKED: Reason = {
  code: 'OthersUnchecked',
  object: 'web on lb-1',
  text: 'lb-1 has checked no other server of web since it started, so the first failed check of one would take it out',
}
const CONTROL: ProbeTarget = {
  name: 'control',
  url: 'http://control.test/',
  control: true,
  ratePerSecond: 1,
  keptShare: 0,
  keptConnections: 1,
  timeoutMs: 2_000,
  expectStatus: [200, 299],
  servedByHeader: 'x-served-by',
}
const FAILED: FailureWindow = {
  target: 'shop',
  control: false,
  lane: 'new',
  sent: 4,
  failed: 4,
  failures: { connect: 4 },
  firstError: 'ECONNREFUSED',
  firstBadAt: wallMs(WALL - 100),
  lastBadAt: wallMs(WALL),
  undecided: { failed: 4, since: wallMs(WALL - 100) },
}
const facts = (change: Partial<ProbeStatus> = {}): ProbeStatus => ({
  startedAt: wallMs(WALL - 60_000),
  lastVerdictAt: wallMs(WALL),
  lanes: [],
  windows: [],
  notMeasured: [],
  greenStreak: 0,
  ...change,
})

const base = aSnapshot()
const changed = (change: Partial<NodeSnapshot>): NodeSnapshot => ({ ...base, ...change })
const cluster = (change: Partial<NodeSnapshot['cluster']>) => changed({ cluster: { ...base.cluster, ...change } })
const SLOW_AND_FAST = [0.1, 10].map((ratePerSecond): ProbeTarget => ({ ...CONTROL, ratePerSecond, timeoutMs: 0 }))
const probing = (probe: ProbeStatus, targets: readonly ProbeTarget[] = []): NodeSnapshot => ({
  ...changed({ probe, spec: aSpec({ probe: { targets, baselineMs: 10_000, baselineLimitMs: 60_000 } }) }),
  run: { ...base.run, measuredSince: wallMs(WALL - 50_000) },
})

const TABLE: readonly (readonly [title: string, found: readonly Reason[], reason: Reason | undefined])[] = [
  ['nothing is wrong', [...mayStart(base), ...mayEvict(base)], undefined],
  [
    'the slot was not renewed',
    mayDisrupt(changed({ slot: { state: 'mine', mayAct: false } })),
    { code: 'SlotNotRenewed', text: 'the slot has not been renewed for too long, so nothing is sent' },
  ],
  ['the slot is of another', mayDisrupt(changed({ slot: { state: 'other', mayAct: false } })), undefined],
  [
    'the API server cannot be followed',
    mayDisrupt(cluster({ staleForMs: 1 })),
    { code: 'ApiUnreachable', text: 'the API server cannot be followed, so the known state of the cluster is old' },
  ],
  [
    'the journal takes nothing',
    mayDisrupt(changed({ journalWritable: false })),
    { code: 'JournalNotWritable', text: 'the journal cannot be written, so nothing disruptive is done' },
  ],
  [
    'an instance was never asked',
    mayStart(changed({ instances: [NEVER] })),
    { code: 'InstanceSilent', object: 'lb-1', text: 'lb-1 of edge does not answer: not queried yet' },
  ],
  [
    'an instance does not answer',
    mayStart(changed({ instances: [{ ...NEVER, error: 'nobody listens', silentForMs: 1 }] })),
    { code: 'InstanceSilent', object: 'lb-1', text: 'lb-1 of edge does not answer: nobody listens' },
  ],
  [
    'an instance was read before the slot was ours',
    mayStart(aSnapshot({ evidence: { slotTakenAt: monoMs(1001) } })),
    { code: 'ReadBeforeSlot', object: 'lb-1', text: 'lb-1 was read before the slot was taken' },
  ],
  [
    'the API server was away a minute ago',
    mayEvict(cluster({ lostAt: monoMs(925_001) })),
    {
      code: 'ApiWasAway',
      text: 'the API server was away less than 75 s ago, so kube-proxy and agents may not know yet what has changed',
    },
  ],
  ['the API server was away 75 s ago', mayEvict(cluster({ lostAt: monoMs(925_000) })), undefined],
  [
    'the probe has measured nothing for longer than it may take',
    mayDisrupt(probing(facts({ lastVerdictAt: wallMs(WALL - 3001) }))),
    { code: 'ProbeSilent', text: 'the probe has measured nothing for 3 s' },
  ],
  ['a verdict is owed and not late', mayDisrupt(probing(facts({ lastVerdictAt: wallMs(WALL - 3000) }))), undefined],
  [
    'a verdict is owed by a slow target',
    mayDisrupt(probing(facts({ lastVerdictAt: wallMs(WALL - 5000) }), [CONTROL])),
    undefined,
  ],
  [
    'a slow target is late',
    mayDisrupt(probing(facts({ lastVerdictAt: wallMs(WALL - 5001) }), [CONTROL])),
    { code: 'ProbeSilent', text: 'the probe has measured nothing for 5 s' },
  ],
  [
    'a slow target is asked beside one that is late',
    mayDisrupt(probing(facts({ lastVerdictAt: wallMs(WALL - 3001) }), SLOW_AND_FAST)),
    { code: 'ProbeSilent', text: 'the probe has measured nothing for 3 s' },
  ],
  [
    'the baseline is not over',
    baselineGreen({ ...probing(facts({ startedAt: wallMs(WALL - 9_000) })), run: base.run }),
    { code: 'BaselineShort', text: 'traffic is measured before the roll begins' },
  ],
  ['the baseline was over before', baselineGreen(probing(facts())), undefined],
  ['the file asks for no baseline', baselineGreen(changed({ probe: facts() })), undefined],
  [
    'the file measures nothing, and what did so before is silent',
    mayDisrupt(changed({ probe: facts({ lastVerdictAt: wallMs(WALL - 3001) }) })),
    { code: 'ProbeSilent', text: 'the probe has measured nothing for 3 s' },
  ],
  [
    'requests failed and the control was not heard',
    mayDisrupt(probing(facts({ windows: [FAILED] }), [CONTROL])),
    {
      code: 'ControlAwaited',
      object: 'shop',
      text: 'requests to shop failed; it is not known yet whether the control failed too',
    },
  ],
  [
    'an agent-check is on',
    mayBeTaken(serviceOf(changed({ instances: [anInstance([aServer('n1', { agent: true }), aServer('n2')])] }))),
    {
      code: 'AgentCheck',
      object: 'web/n1',
      text: 'an agent-check on lb-1 may undo what is set for web/n1',
      next: 'take "agent-check" out of server n1 of backend web in haproxy.cfg of lb-1, then reload HAProxy ("disable agent web/n1" on the runtime socket is not enough: it lasts until a reload)',
      never: true,
    },
  ],
  [
    'the agent of the node is not heard',
    mayBeTaken(
      serviceOf(changed({ spec: endpointSpec(), instances: agents([anEndpoint('n1', { heard: false }), ...OTHERS]) })),
    ),
    { code: 'AgentSilent', object: 'n1', text: 'the agent of n1 does not answer' },
  ],
  [
    'no other server is up',
    mayBeTaken(
      serviceOf(changed({ instances: [anInstance([aServer('n1'), aServer('n2', { operational: 'down' })])] })),
    ),
    {
      code: 'LastUsableServer',
      object: 'web/n1',
      text: 'web/n1 is the last usable server of web on lb-1',
      next: 'bring another server of web up, or set allowLastServer for a pool of one',
    },
  ],
  [
    'a balancer that has just begun has checked no other server',
    mayStart(changed({ instances: [anInstance([aServer('n1'), FRESH])] })),
    UNCHECKED,
  ],
  [
    'a balancer has begun since the node was taken out, and a pod is to leave',
    mayEvict(changed({ instances: [anInstance([aServer('n1', { adminState: 'drain' }), FRESH])] })),
    UNCHECKED,
  ],
  [
    'one of two other servers was checked',
    mayStart(changed({ instances: [anInstance([aServer('n1'), FRESH, aServer('n3')])] })),
    undefined,
  ],
  [
    'another server has no check at all',
    mayStart(changed({ instances: [anInstance([aServer('n1'), aServer('n2', { check: 'none' })])] })),
    undefined,
  ],
  [
    'the node has no server in the backend that was not checked yet',
    mayStart(changed({ instances: [anInstance([aServer('n1'), aServer('n2'), OTHER_BACKEND])] })),
    undefined,
  ],
  [
    'no other server was checked yet, and a pool of one is allowed',
    mayStart(changed({ instances: [{ ...anInstance([aServer('n1'), FRESH]), allowLastServer: true }] })),
    undefined,
  ],
  [
    'the node is not Ready',
    mayStart(aSnapshot({ node: { ready: 'Unknown' } })),
    {
      code: 'NodeNotReady',
      object: 'n1',
      text: 'n1 is not Ready before anything was done to it (Ready is Unknown)',
    },
  ],
]

for (const [title, found, reason] of TABLE) {
  test(`${reason === undefined ? 'nothing is held' : `${reason.code} holds`} where ${title}`, () =>
    assert.deepEqual(found, reason === undefined ? [] : [reason]))
}

const codes = (found: readonly Reason[]): readonly string[] => found.map(({ code }) => code)

test('everything that is not known is said at once, and nothing of the node, which would be said of old facts', () => {
  const s: NodeSnapshot = {
    ...aSnapshot({ node: { ready: 'Unknown' }, evidence: { slotTakenAt: monoMs(1001) } }),
    cluster: { ...base.cluster, staleForMs: 1 },
    instances: [NEVER, { ...anInstance([aServer('n1')]), instance: 'lb-2' }],
  }
  assert.deepEqual(codes(mayStart(s)), ['ApiUnreachable', 'InstanceSilent', 'ReadBeforeSlot'])
})

test('what the run lacks itself is said without what the world lacks, which would excuse the wait for it', () => {
  const s = { ...cluster({ staleForMs: 1 }), journalWritable: false, slot: { state: 'mine', mayAct: false } as const }
  assert.deepEqual(codes(mayDisrupt(s)), ['SlotNotRenewed', 'JournalNotWritable'])
})

test('everything that is wrong with a node is said at once', () => {
  const instances = [anInstance([aServer('n1', { agent: true }), aServer('n2', { operational: 'down' })])]
  assert.deepEqual(codes(mayStart({ ...aSnapshot({ node: { ready: 'False' } }), instances })), [
    'NodeNotReady',
    'AgentCheck',
    'LastUsableServer',
  ])
})

test('which server is the last one is not said before the agents are heard', () => {
  const unheard = agents([anEndpoint('n1', { heard: false }), anEndpoint('n2', { heard: false })])
  assert.deepEqual(codes(mayBeTaken(serviceOf(changed({ spec: endpointSpec(), instances: unheard })))), ['AgentSilent'])
})

test('while the API server is away it is not said that it was away', () =>
  assert.deepEqual(codes(mayEvict(cluster({ staleForMs: 1, lostAt: monoMs(925_001) }))), ['ApiUnreachable']))
