import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAINTENANCE_ANNOTATION } from '../../../src/ground/model/claims.ts'
import type { ReasonCode } from '../../../src/ground/model/reason.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import { rememberOutcome } from '../../../src/roll/decide/remember-outcome.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { Step } from '../../../src/roll/model/step.ts'
import { asAsked } from '../../../src/service/actuators/agent/as-asked.ts'
import { keepDetached } from '../../../src/service/decide/keep-detached.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
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
  REQUEST,
} from '../../support/endpoint-world.ts'
import { settled } from '../../support/roll-stages.ts'
import { aSnapshot, NEW_BOOT } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

interface At {
  readonly n1?: ServerReading
  readonly asked?: boolean
  readonly announced?: boolean
  readonly evidence?: Partial<Evidence>
  readonly change?: Partial<RollSnapshot>
  readonly back?: boolean
}

const OUT = { answer: 'drain', acknowledged: ['a1'] } as const

function snapshot({ n1 = anEndpoint('n1'), asked = false, announced = false, evidence = {}, change = {}, back }: At) {
  return aSnapshot({
    ...(back === true ? settled : {}),
    node: {
      unschedulable: back !== true,
      ...(asked ? ASKED : {}),
      ...(back === true ? { bootId: NEW_BOOT, unschedulable: false } : {}),
    },
    record: endpointRecord(),
    announced: announced || back === true,
    evidence: { ...(back === true ? settled.evidence : {}), ...evidence },
    change: { spec: endpointSpec(), instances: agents([n1, ...OTHERS]), ...change },
  })
}

const next = (at: At): string => shortDecision(decide(snapshot(at)))
const out = (endpoint: Parameters<typeof anEndpoint>[1] = {}): ServerReading =>
  anEndpoint('n1', { ...OUT, ...endpoint }, { ownState: 'drain', adminState: 'drain' })

test('the node’s agent is asked by annotation, and no balancer is told anything', () => {
  assert.equal(next({}), 'act detach: askAgent')
})

test('a request counts once the agent has it on disk and answers by it', () => {
  assert.equal(next({ asked: true, n1: out({ answer: 'up', acknowledged: [] }) }), 'hold detach: RequestNotTaken')
  assert.equal(next({ asked: true, n1: out({ acknowledged: ['another'] }) }), 'hold detach: RequestNotTaken')
  assert.equal(next({ asked: true, n1: out({ answer: 'up' }) }), 'hold detach: RequestNotTaken')
})

test('an agent that has not taken the request yet confirms nothing', () => {
  const seen = (n1: ServerReading) => Object.keys(observe(snapshot({ asked: true, n1 })).detached)
  assert.deepEqual([seen(out({ acknowledged: ['another'] })), seen(out())], [[], [KEY]])
})

test('law: an instance that cannot be asked confirms nothing, however long it is silent; an agent that is not heard confirms nothing, however long it is silent', () => {
  assert.equal(next({ asked: true, n1: out({ heard: false }), evidence: confirmed }), 'hold detach: AgentSilent')
})

test('the balancers that check the node must have noticed before its connections are looked at', () => {
  const s = snapshot({ asked: true, n1: out() })
  const evidence = observe(s)
  assert.deepEqual(evidence.noticing[KEY], { way: 'out', since: s.now })
  assert.equal(shortDecision(decide({ ...s, evidence })), 'hold detach: ChecksGoOn')
  const later = { ...s, now: monoMs(s.now + 7_999), evidence }
  assert.equal(shortDecision(decide({ ...later, evidence: observe(later) })), 'hold detach: ChecksGoOn')
  const over = { ...s, now: monoMs(s.now + 8_000), evidence }
  assert.equal(shortDecision(decide({ ...over, evidence: observe(over) })), 'act reboot: writeIntent')
})

test('connections end, or the idle limit decides, also where they cannot be seen', () => {
  const at = (connections: number | 'unknown', noticedAt: number): string =>
    next({ asked: true, n1: out({ connections }), evidence: { ...confirmed, ...noticedSince('out', noticedAt) } })
  assert.equal(at(0, 999_999), 'act reboot: writeIntent')
  assert.equal(at(3, 999_999), 'hold detach: SessionsLeft')
  assert.equal(at('unknown', 940_001), 'hold detach: SessionsLeft')
  assert.equal(at('unknown', 940_000), 'act reboot: writeIntent')
  assert.equal(at(3, 940_000), 'act reboot: writeIntent')
})

test('a request that another client removed is made again while the node is out', () => {
  const n1 = anEndpoint('n1', { answer: 'up' })
  const lost = snapshot({ n1, evidence: { ...confirmed, ...noticedSince('out', 990_000) } })
  assert.deepEqual(
    keepDetached(serviceOf(lost)).map(({ kind }) => kind),
    ['askAgent'],
  )
})

test('a request that went with its Node is made again where the agent keeps it, by a process that did not make it', () => {
  const asked = (owner: string, uid: string): readonly string[] => {
    const n1 = anEndpoint('n1', { answer: 'drain', kept: [{ owner, uid }] }, { adminState: 'drain' })
    return keepDetached(serviceOf(snapshot({ n1 }))).map(({ kind }) => kind)
  }
  assert.deepEqual(asked('roll/run-1', 'uid of the Node before'), ['askAgent'])
  assert.deepEqual(asked('roll/run-1', 'uid-n1'), [])
  assert.deepEqual(asked('roll/run-2', 'uid of the Node before'), [])
})

test('what was noticed is void once the agent answers up again', () => {
  const s = snapshot({ asked: true, n1: out({ answer: 'up' }), evidence: noticedSince('out', 990_000) })
  assert.deepEqual(observe(s).noticing, {})
})

test('an agent that goes down with its machine holds up no reboot that is announced', () => {
  const gone = out({ heard: false, answer: 'down', acknowledged: [], connections: 'unknown' })
  const evidence = { ...confirmed, reboot: { at: monoMs(999_000), answer: { kind: 'sent' as const } } }
  assert.equal(next({ asked: true, announced: true, n1: gone, evidence }), 'hold reboot: Rebooting')
})

const PORTS = { '10.0.0.1:443': true }

function returning(at: Omit<At, 'back'>): string {
  const s = snapshot({ ...at, back: true })
  return shortDecision(decide({ ...s, current: { ...s.current, dataPorts: PORTS } }))
}

test('a node is put back once its data port answers the agent', () => {
  const at = (check: ServerReading['check']): string => returning({ asked: true, n1: { ...out(), check } })
  assert.equal(at('failing'), 'hold attach: NotUpYet')
  assert.equal(at('passing'), 'act attach: askAgent')
  assert.equal(at('none'), 'act attach: askAgent')
})

test('a node is back when its checkers must have noticed', () => {
  assert.equal(returning({ n1: anEndpoint('n1', { answer: 'drain' }) }), 'hold attach: NotUpYet')
  assert.equal(returning({}), 'hold attach: ChecksGoOn')
  assert.equal(returning({ evidence: noticedSince('out', 990_000) }), 'hold attach: ChecksGoOn')
  assert.equal(returning({ evidence: noticedSince('in', 999_999) }), 'hold soak: Soaking')
})

test('a claim that another owner made meanwhile is not withdrawn', () => {
  const annotated = (text: string): string => {
    const s = snapshot({ n1: { ...out(), check: 'passing' }, back: true })
    const node = { ...s.current.node, annotations: { [MAINTENANCE_ANNOTATION]: text } }
    return shortDecision(decide({ ...s, current: { ...s.current, node, dataPorts: PORTS } }))
  }
  assert.equal(annotated(REQUEST), 'act attach: askAgent')
  assert.equal(annotated(REQUEST.replace('run-1', 'run-2')), 'hold attach: ClaimedByOthers')
  assert.equal(annotated('until Monday'), 'hold attach: ClaimsUnreadable')
})

test('a node that was out by a request of another client before is left to the client that requests it now', () => {
  const at = (run: string): string => {
    const s = snapshot({ n1: { ...out(), check: 'passing' }, back: true })
    const node = { ...s.current.node, annotations: { [MAINTENANCE_ANNOTATION]: REQUEST.replace('run-1', run) } }
    const record = { ok: true, value: endpointRecord({ state: 'drain' }) } as const
    return shortDecision(decide({ ...s, current: { ...s.current, node, record, dataPorts: PORTS } }))
  }
  assert.equal(at('run-1'), 'act attach: askAgent')
  assert.equal(at('run-2'), 'hold soak: Soaking')
})

test('the last node that is up stays in service, and is not taken out for a question that its agent missed', () => {
  const [n2, n3] = [anEndpoint('n2', { heard: false }), anEndpoint('n3', { answer: 'down' })]
  const change = (n1: ServerReading): Partial<RollSnapshot> => ({ instances: agents([n1, n2, n3]) })
  const unheard = anEndpoint('n1', { heard: false })
  assert.equal(next({ change: change(anEndpoint('n1')) }), 'hold detach: LastUsableServer')
  assert.equal(next({ change: change(unheard) }), 'hold detach: AgentSilent')
  assert.equal(next({ asked: true, change: change(out({ heard: false })) }), 'hold detach: AgentSilent')
})

test('nothing is recorded of a node whose agent is not heard: otherwise the way back would believe that it serves no client', () => {
  const at = (n1: ServerReading): string =>
    shortDecision(decide(aSnapshot({ change: { spec: endpointSpec(), instances: agents([n1, ...OTHERS]) } })))
  assert.equal(at(anEndpoint('n1')), 'act record: writeRecord')
  assert.equal(at(anEndpoint('n1', { heard: false })), 'hold record: AgentSilent')
})

test('connections that were counted before load balancers had noticed count for nothing', () => {
  const evidence = { ...confirmed, ...noticedSince('out', 990_000) }
  const counted = (at: number): string => next({ asked: true, n1: out({ at: monoMs(at), connections: 0 }), evidence })
  assert.equal(counted(989_999), 'hold detach: SessionsLeft')
  assert.equal(counted(990_000), 'act reboot: writeIntent')
})

test('once the reboot is announced the wait for an agent that lost the request ends with the limit for the machine', () => {
  const at = (ms: number, awaySince?: number): RollSnapshot => {
    const evidence = awaySince === undefined ? {} : { awaySince: monoMs(awaySince) }
    const s = snapshot({ asked: true, announced: true, n1: out({ acknowledged: [] }), evidence })
    return { ...s, now: monoMs(ms) }
  }
  const s = at(1_000_000)
  const decision = decide(s)
  assert.equal(shortDecision(decision), 'hold detach: RequestNotTaken')
  const evidence = rememberDecision({ ...s, evidence: rememberDecision(s, decision) }, decision)
  assert.equal(evidence.awaySince, 1_000_000)
  const { returnLimitMs } = s.spec.reboot
  const later = (afterMs: number) => judge({ ...at(1_000_000 + afterMs), evidence })
  assert.equal(later(returnLimitMs - 1), undefined)
  const { keepOut, reasons } = later(returnLimitMs) ?? assert.fail('it is waited for without end')
  assert.deepEqual([keepOut, reasons.map(({ code }) => code)], [true, ['NodeDidNotReturn', 'RequestNotTaken']])
})

test('a machine has its whole time from the command on, and a wait with its own limit does not begin it', () => {
  const held = snapshot({ asked: true, announced: true, n1: out({ acknowledged: [] }) })
  const waited = rememberDecision(held, decide(held))
  const sent = { ok: true, reboot: { kind: 'sent' } } as const
  const action = { kind: 'sendReboot', node: 'n1', bootId: 'b' } as never
  const later = { ...held, now: monoMs(held.now + 60_000), evidence: waited }
  assert.equal(rememberOutcome(later, action, sent).awaySince, held.now + 60_000)
  const again = { ...later, now: monoMs(held.now + 90_000), evidence: rememberOutcome(later, action, sent) }
  assert.equal(rememberOutcome(again, action, sent).awaySince, held.now + 60_000)
  const begun = (step: Step, code: ReasonCode) =>
    rememberDecision(held, { kind: 'hold', step, reasons: [{ code, text: '' }], recheckAfterMs: 1 }).awaySince
  assert.equal(begun('detach', 'SessionsLeft'), undefined)
  assert.equal(begun('slot', 'ApiUnreachable'), undefined)
  assert.equal(begun('slot', 'SlotTaken'), undefined, 'of a reboot that another process announced')
  assert.equal(begun('drain', 'ReplacementNotReady'), held.now)
})

test('a stop before an announced reboot was sent says so, and why', () => {
  const held = snapshot({ asked: true, announced: true, n1: out({ acknowledged: [] }), evidence: { intentByUs: true } })
  for (const [step, code] of [
    ['slot', 'OtherNodeBad'],
    ['detach', 'RequestNotTaken'],
    ['reboot', 'JournalNotWritable'],
  ] as const) {
    const hold = { kind: 'hold', step, reasons: [{ code, text: code }], recheckAfterMs: 1 } as const
    const evidence = rememberDecision({ ...held, evidence: rememberDecision(held, hold) }, hold)
    const { keepOut, reasons } =
      judge({ ...held, now: monoMs(held.now + held.spec.reboot.returnLimitMs), evidence }) ?? {}
    assert.deepEqual([keepOut, reasons?.map((reason) => reason.code)], [true, ['RebootHeldUp', code]])
    assert.match(
      plainText(reasons?.[0]?.next ?? ''),
      /^remove what held it up, then: evenkeel roll resume \(n1 got no command/,
    )
  }
})

test('an API server that goes right after the announcement is waited for as long as it takes', () => {
  const held = snapshot({ asked: true, announced: true, n1: out(), evidence: { intentByUs: true } })
  const act = { kind: 'act', step: 'reboot', actions: [], reasons: [] } as const
  const begun = rememberDecision(held, act)
  assert.equal(begun.awaySince, held.now)
  for (const step of ['slot', 'reboot'] as const) {
    const hold = { kind: 'hold', step, reasons: [{ code: 'ApiUnreachable', text: '' }], recheckAfterMs: 1 } as const
    const later = { ...held, now: monoMs(held.now + 10 * held.spec.reboot.returnLimitMs) }
    const waited = rememberDecision({ ...later, evidence: { ...begun, passedAt: held.now } }, hold)
    assert.equal(judge({ ...later, evidence: waited }), undefined, step)
  }
  const sent = { ...begun, reboot: { at: held.now, answer: { kind: 'sent' as const } } }
  const hold = {
    kind: 'hold',
    step: 'slot',
    reasons: [{ code: 'ApiUnreachable', text: '' }],
    recheckAfterMs: 1,
  } as const
  assert.equal(rememberDecision({ ...held, evidence: sent }, hold).awaySince, held.now)
})

test('a node that was out by the claim of another owner goes back to what that owner wants by then', () => {
  const record = { ok: true, value: endpointRecord({ state: 'drain', operational: 'down' }) } as const
  const attaching = (annotation?: string): string => {
    const annotations = annotation === undefined ? {} : { [MAINTENANCE_ANNOTATION]: annotation }
    const n1 = annotation === undefined ? anEndpoint('n1') : out()
    const s = snapshot({ n1, back: true })
    const node = { ...s.current.node, annotations }
    const [facts] = s.instances
    assert.ok(facts)
    const instances = [asAsked(facts, () => node)]
    const decision = decide({ ...s, instances, current: { ...s.current, node, record, dataPorts: PORTS } })
    const to =
      decision.kind === 'act' && decision.actions[0]?.kind === 'askAgent' ? ` ${decision.actions[0].state}` : ''
    return `${shortDecision(decision)}${to}`
  }
  assert.equal(attaching('until Monday'), 'hold soak: Soaking')
  assert.equal(attaching(undefined), 'hold soak: Soaking')
  // The others ended their request while the node was out, and this run asked instead: no other client would ever end that.
  assert.equal(attaching(REQUEST), 'act attach: askAgent ready')
})

test('a node that was ready and down before is not put back under a request of another run either', () => {
  const s = snapshot({ n1: { ...out({ answer: 'down' }), check: 'passing' }, back: true })
  const others = REQUEST.replace('run-1', 'run-2')
  const node = { ...s.current.node, annotations: { [MAINTENANCE_ANNOTATION]: others } }
  const record = { ok: true, value: endpointRecord({ operational: 'down' }) } as const
  assert.equal(
    shortDecision(decide({ ...s, current: { ...s.current, node, record, dataPorts: PORTS } })),
    'hold attach: ClaimedByOthers',
  )
})
