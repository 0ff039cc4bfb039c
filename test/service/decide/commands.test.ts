import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import { wordsOf } from '../../../src/service/actuators/actuator-of.ts'
import { isBalancerNews } from '../../../src/service/decide/is-balancer-news.ts'
import { mayBeTaken } from '../../../src/service/decide/may-be-taken.ts'
import { nodeServers } from '../../../src/service/decide/node-servers.ts'
import { placeState } from '../../../src/service/decide/place-state.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import type { BalancerCommands, StatusReading } from '../../../src/service/model/balancer-commands.ts'
import { settled, withPort } from '../../support/roll-stages.ts'
import { anInstance, aRecord, aServer, aSnapshot, aSpec } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const SPEC: BalancerCommands = {
  detach: ['lb', 'detach', '{node}'],
  attach: ['lb', 'attach', '{node}'],
  status: ['lb', 'status', '{node}'],
  dataPort: 30080,
  timeoutMs: 5_000,
  intervalMs: 5_000,
}
const CUTS: BalancerCommands = { ...SPEC, cut: ['lb', 'cut', '{node}'] }
const UNKNOWN: StatusReading = { heard: false, why: 'its status command failed (exit code 1): no word' }

/** As the status command tells it of a node; `asked`: what the roll asked for a moment ago, where the status does not show it. */
function serverBy(status: StatusReading, name = 'n1', asked?: 'ready' | 'drain'): ServerReading {
  if (!status.heard) return aServer(name, { status, operational: 'down', check: 'failing', ownState: asked ?? 'ready' })
  const isOut = status.state === 'out' || status.state === 'leaving'
  const adminState = isOut ? 'drain' : 'ready'
  return aServer(name, {
    status,
    adminState,
    ownState: asked ?? adminState,
    operational: isOut && asked === 'ready' ? 'down' : status.state === 'returning' ? 'starting' : 'up',
    check: 'none',
    totalSessions: 100,
  })
}
const heard = (state: 'in' | 'out' | 'leaving' | 'returning', sessions: number | 'unknown' = 0): StatusReading => ({
  heard: true,
  state,
  sessions,
})

interface Given {
  readonly n1: ServerReading
  readonly n2?: ServerReading
  readonly before?: 'ready' | 'drain'
  /** Since when it is confirmed to be out. */
  readonly out?: number
  readonly spec?: BalancerCommands
  readonly world?: NonNullable<Parameters<typeof aSnapshot>[0]>
}

function given({
  n1,
  n2 = serverBy(heard('in'), 'n2'),
  before = 'ready',
  out,
  spec = SPEC,
  world = {},
}: Given): NodeSnapshot {
  const [own] = aRecord().servers
  assert.ok(own)
  const edge = { name: 'edge', instances: ['lb-1'], backends: ['web'], allowLastServer: false }
  const seen = { process: '100', since: monoMs(out ?? 0), totalSessions: 100, strays: 0, cutSessions: 0 }
  const s = aSnapshot({
    ...world,
    record: { ...(world.record ?? aRecord()), servers: [{ ...own, state: before, operational: 'up' }] },
    evidence: { ...world.evidence, ...(out === undefined ? {} : { detached: { 'web/n1 on lb-1': seen } }) },
    change: {
      ...world.change,
      spec: aSpec({ balancers: [{ ...edge, via: { kind: 'commands', ...spec } }] }),
      instances: [anInstance([n1, n2])],
    },
  })
  return { ...s, evidence: observe(s) }
}

const CORDONED = { node: { unschedulable: true } }
const MIN_3 = 1_000_000 - 180_000
const OUT: readonly (readonly [title: string, given: Given, decided: string])[] = [
  ['that is in is taken out', { n1: serverBy(heard('in')) }, 'act detach: setServer drain'],
  ['that returns is taken out', { n1: serverBy(heard('returning')) }, 'act detach: setServer drain'],
  [
    'that was asked to leave and is in as yet is waited for, and not asked twice',
    { n1: serverBy(heard('in'), 'n1', 'drain') },
    'hold detach: StatusNotOut',
  ],
  ['that leaves is waited for', { n1: serverBy(heard('leaving')) }, 'hold detach: StatusNotOut'],
  ['that went back in is taken out again', { n1: serverBy(heard('in')), out: 1 }, 'act detach: setServer drain'],
  ['that is out without a session is idle', { n1: serverBy(heard('out')) }, 'act reboot: writeIntent'],
  ['that is out with sessions is waited for', { n1: serverBy(heard('out', 3)) }, 'hold detach: SessionsLeft'],
  [
    'whose sessions are not counted waits for the idle limit',
    { n1: serverBy(heard('out', 'unknown')), out: MIN_3 + 1 },
    'hold detach: SessionsLeft',
  ],
  [
    'whose sessions are not counted goes on after the idle limit',
    { n1: serverBy(heard('out', 'unknown')), out: MIN_3 },
    'act reboot: writeIntent',
  ],
  [
    'that says out and keeps sessions for ever goes on after the idle limit: they end with its pods',
    { n1: serverBy(heard('out', 3)), out: MIN_3 },
    'act reboot: writeIntent',
  ],
  [
    'that keeps sessions has them cut at the limit where there is a command for it',
    { n1: serverBy(heard('out', 3)), out: MIN_3, spec: CUTS },
    'act detach: cutSessions',
  ],
  [
    'whose sessions are to be cut and not counted goes on after the idle limit',
    { n1: serverBy(heard('out', 'unknown')), out: MIN_3, spec: CUTS },
    'act reboot: writeIntent',
  ],
  [
    'that was out before is not asked, and its sessions are waited for',
    { n1: serverBy(heard('out', 1)), before: 'drain' },
    'hold detach: SessionsLeft',
  ],
  ['of an unknown state is not told anything', { n1: serverBy(UNKNOWN) }, 'hold detach: StatusUnknown'],
  [
    'of an unknown state is not out, whatever was known',
    { n1: serverBy(UNKNOWN, 'n1', 'drain'), out: 1 },
    'hold detach: StatusUnknown',
  ],
  [
    'whose only neighbour has an unknown state stays in',
    { n1: serverBy(heard('in')), n2: serverBy(UNKNOWN, 'n2') },
    'hold detach: LastUsableServer',
  ],
]
for (const [title, it, decided] of OUT) {
  test(`a node of a balancer that commands move, ${title}`, () =>
    assert.equal(shortDecision(decide(given({ ...it, world: CORDONED }))), decided))
}

const IN: readonly (readonly [title: string, given: Given, decided: string])[] = [
  ['that is out is put back', { n1: serverBy(heard('out')) }, 'act attach: setServer ready'],
  [
    'that was asked back and is out as yet is waited for',
    { n1: serverBy(heard('out'), 'n1', 'ready') },
    'hold attach: NotUpYet',
  ],
  ['that returns is waited for', { n1: serverBy(heard('returning')) }, 'hold attach: NotUpYet'],
  ['that is in is back', { n1: serverBy(heard('in')) }, 'hold soak: Soaking'],
  ['of an unknown state is not told anything', { n1: serverBy(UNKNOWN, 'n1', 'drain') }, 'hold attach: NotUpYet'],
  ['of an unknown state is not back', { n1: serverBy(UNKNOWN) }, 'hold attach: NotUpYet'],
  ['that was out before stays out', { n1: serverBy(heard('out')), before: 'drain' }, 'hold soak: Soaking'],
  [
    'that was out before and is in by others goes back to being out',
    { n1: serverBy(heard('in')), before: 'drain' },
    'act attach: setServer drain',
  ],
  [
    'that was out before, of an unknown state, is not told anything',
    { n1: serverBy(UNKNOWN), before: 'drain' },
    'hold attach: StatusUnknown',
  ],
]
for (const [title, it, decided] of IN) {
  test(`on the way back a node of a balancer that commands move, ${title}`, () =>
    assert.equal(shortDecision(decide(withPort(given({ ...it, world: settled })))), decided))
}

test('a place of a balancer that commands move stands as every place does', () => {
  const state = (it: Given): readonly string[] => {
    const s = serviceOf(given({ ...it, world: CORDONED }))
    return nodeServers(s).map((place) => placeState(s, place))
  }
  assert.deepEqual(
    [heard('in'), heard('returning'), heard('leaving'), heard('out'), heard('out', 2)].map((status) =>
      state({ n1: serverBy(status) }),
    ),
    [['in'], ['returning'], ['leaving'], ['out'], ['leaving']],
  )
})

test('the last node that is in is not taken out', () => {
  const taken = (n2: StatusReading) =>
    mayBeTaken(serviceOf(given({ n1: serverBy(heard('in')), n2: serverBy(n2, 'n2') }))).map(({ code }) => code)
  const states = [heard('in'), heard('returning'), heard('leaving'), heard('out'), UNKNOWN]
  const last = ['LastUsableServer']
  assert.deepEqual(states.map(taken), [[], last, last, last, last])
})

test('a node is reported idle as of the moment in which it is seen to be out', () => {
  const { evidence, now } = given({ n1: serverBy(heard('out')), world: CORDONED })
  assert.deepEqual(evidence.connectionsEnded['web/n1 on lb-1'], { by: 'connections', left: 0, since: now, at: now })
})

test('sessions that begin on a node that is out are strays', () => {
  const { evidence } = given({ n1: { ...serverBy(heard('out')), totalSessions: 103 }, out: 1, world: CORDONED })
  assert.equal(evidence.detached['web/n1 on lb-1']?.strays, 3)
})

test('a node of an unknown state is no node to begin with, and an error of the plan', () => {
  const s = given({ n1: serverBy(UNKNOWN) })
  const [reason] = mayBeTaken(serviceOf(s))
  const text = 'the state of n1 at edge is not known: its status command failed (exit code 1): no word'
  assert.deepEqual(reason, { code: 'StatusUnknown', object: 'n1', text })
  const [matched] = s.instances.map((instance) => ({ instance, reading: serverBy(UNKNOWN) }))
  assert.ok(matched)
  const [finding] = wordsOf(matched.reading).findings(s.current.node, matched)
  assert.deepEqual([finding?.severity, finding?.code, finding?.text], ['error', 'StatusUnknown', text])
})

test('another state is news, and sessions are once the node is out', () => {
  const reading = (status: StatusReading) => {
    const { sessions } = status.heard ? status : { sessions: 0 }
    const currentSessions = sessions === 'unknown' ? 0 : sessions
    const servers = [{ ...serverBy(status), currentSessions }]
    return { instance: 'lb-1', process: '100', version: '', at: monoMs(0), servers }
  }
  const isNews = (was: StatusReading, is: StatusReading): boolean => isBalancerNews(reading(was), reading(is))
  assert.deepEqual(
    [
      isNews(heard('in', 1), heard('in', 2)),
      isNews(heard('in'), UNKNOWN),
      isNews(heard('leaving'), heard('out')),
      isNews(heard('out', 2), heard('out', 1)),
      isNews(heard('out', 2), heard('out', 2)),
    ],
    [false, true, true, true, false],
  )
})
