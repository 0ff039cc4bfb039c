import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RebootAnswer } from '../../../../src/ground/model/host.ts'
import type { FailureWindow } from '../../../../src/ground/model/probe.ts'
import { monoMs, wallMs } from '../../../../src/ground/model/time.ts'
import { judge } from '../../../../src/roll/decide/judge.ts'
import { decideMachine } from '../../../../src/roll/decide/pair/decide-machine.ts'
import type { MachineMemory } from '../../../../src/roll/decide/pair/machine-memory.ts'
import type { MachineEvidence } from '../../../../src/roll/decide/pair/machine-snapshot.ts'
import {
  observeMachine,
  rememberMachineDecision,
  rememberMachineOutcome,
} from '../../../../src/roll/decide/pair/observe-machine.ts'
import {
  AFTER,
  aHost,
  announced,
  at,
  away,
  back,
  began,
  drained,
  type Given,
  moved,
  NOW,
  proven,
  RECORD,
  said,
  verdictOf,
} from '../../../support/a-host.ts'

const ABORTED = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'x' }] } as const
const FAILED = { kind: 'stopped', keepOut: true, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const

/** A machine that is back and has failed requests; the command that takes it out again fails since then, the last time so long ago. */
const refusedAway = ({ agoMs, sinceMs }: { readonly agoMs: number; readonly sinceMs: number }): Given => ({
  bootId: AFTER,
  memory: proven,
  evidence: { ...back, moved: { to: 'away', at: at(agoMs), error: 'no route' }, movingSince: at(sinceMs) },
  change: { run: { id: 'run-1', order: [], done: [], verdict: FAILED } },
})

/** Another run has the slot, as the last try to take it so long ago has shown. */
const refusedSlot = (agoMs: number): Given => ({
  evidence: { slotRefused: { at: at(agoMs), reason: { code: 'SlotTaken', text: 'x' } } },
  change: { slot: { state: 'other', mayAct: false } },
})

/**
 * It still answers long after its reboot was sent, and the address came back to it after a command so long ago, or the command that moves
 * it away once more failed then.
 */
const cameBack = (agoMs: number, failed: { readonly error?: string } = {}): Given => ({
  memory: announced,
  evidence: { moved: { to: 'away', at: at(agoMs), ...failed }, reboot: { at: at(400_000), answer: { kind: 'sent' } } },
})

/** It is back without its weight, and its instance refused so long ago to set that. */
const refusedWeight = (agoMs: number): Given => ({
  on: ['lb-2'],
  bootId: AFTER,
  lb1: { weight: 1 },
  memory: proven,
  evidence: { provenSince: at(9000), refusedAt: at(agoMs) },
})

/** It is back for the soak time, and a server of its instance has not the weight that it had. */
const soakedWithoutWeight = (evidence: MachineEvidence): Given => ({
  bootId: AFTER,
  lb1: { weight: 1 },
  memory: { record: RECORD, isProven: true, intent: true },
  evidence: { ...back, attachedAt: at(900_000), ...evidence },
})

/** It was rebooted, and its server was out when it was begun. */
const provenAfterOut: MachineMemory = {
  ...proven,
  record: { ...RECORD, servers: RECORD.servers.map((server) => ({ ...server, state: 'drain' as const })) },
}

const ROWS: readonly (readonly [what: string, given: Given, said: string])[] = [
  ['no slot yet', { change: { slot: { state: 'free', mayAct: false } } }, 'slot: takeSlot'],
  ['a slot that another run has, asked for a moment ago', refusedSlot(1999), 'slot? SlotTaken'],
  ['the same, two seconds ago', refusedSlot(2000), 'slot: takeSlot'],
  ['another run took the slot for good', { change: { slot: { state: 'lost', mayAct: false } } }, 'slot? SlotTaken'],
  ['a slot that is not renewed', { change: { slot: { state: 'mine', mayAct: false } } }, 'record? SlotNotRenewed'],
  ['all well', {}, 'record: record'],
  ['a disk that refuses', { change: { journalWritable: false } }, 'record? JournalNotWritable'],
  ['a node that is out', { change: { nodesOut: ['n2'] } }, 'record? NodeStillOut'],
  ['no list of nodes', { change: { clusterUnknown: true } }, 'record? ApiUnreachable'],
  ['the address on both', { on: ['lb-1', 'lb-2'] }, 'record? AddressOnSeveral'],
  ['the address on none', { on: [] }, 'record? AddressOnNone'],
  ['the other machine silent', { silent: ['lb-2'] }, 'record? HostSilent InstanceSilent'],
  ['one drained alone', { lb1: drained }, 'record? PairDisagrees'],
  [
    'one drained alone, which the other one has under another name since a reload',
    { lb2: { ref: { instance: 'lb-2', backend: 'web', server: 's7' }, ...drained } },
    'record? PairDisagrees',
  ],
  ['down for the other one', { lb2: { operational: 'down' } }, 'record? PairDisagrees'],
  ['recorded', { memory: began }, 'detach: moveAway'],
  ['a resumed process that does not know whether the command ran', { memory: away }, 'detach: moveAway'],
  ['the same on a full disk', { memory: away, change: { journalWritable: false } }, 'detach? JournalNotWritable'],
  ['still here', { memory: away, evidence: moved }, 'detach? AddressStillHere'],
  ['on both after the command', { on: ['lb-1', 'lb-2'], memory: away, evidence: moved }, 'detach? AddressOnSeveral'],
  ['on none after the command', { on: [], memory: away, evidence: moved }, 'detach? AddressOnNone'],
  [
    'ssh away after the command',
    { on: ['lb-2'], silent: ['lb-1'], memory: away, evidence: moved },
    'detach? HostSilent',
  ],
  [
    'a command that failed a moment ago',
    { on: ['lb-2'], memory: away, evidence: { moved: { to: 'away', at: at(1000), error: 'exit code 1' } } },
    'detach? MoveFailed',
  ],
  [
    'a command that failed a while ago',
    { on: ['lb-2'], memory: away, evidence: { moved: { to: 'away', at: at(6000), error: 'exit code 1' } } },
    'detach: moveAway',
  ],
  [
    'connections that are left',
    { on: ['lb-2'], memory: away, evidence: moved, change: { connections: { count: 2, askedAt: at(0) } } },
    'detach? HostConnectionsLeft',
  ],
  [
    'connections past their limit',
    {
      on: ['lb-2'],
      memory: away,
      evidence: { ...moved, awaySince: at(30_000) },
      change: { connections: { count: 2, askedAt: at(0) } },
    },
    'reboot: reboot',
  ],
  ['away and idle', { on: ['lb-2'], memory: away, evidence: moved }, 'reboot: reboot'],
  [
    'away, and the other one lost a server',
    { on: ['lb-2'], memory: away, evidence: moved, lb2: { operational: 'down' } },
    'detach? PairDisagrees',
  ],
  [
    'announced, the command sent',
    { on: ['lb-2'], memory: announced, evidence: { ...moved, reboot: { at: at(1000), answer: { kind: 'sent' } } } },
    'reboot? HostRebooting',
  ],
  [
    'the same boot id long after the command',
    { on: ['lb-2'], memory: announced, evidence: { ...moved, reboot: { at: at(400_000), answer: { kind: 'sent' } } } },
    'reboot: reboot',
  ],
  ['the same, with the address back on it', cameBack(400_000), 'detach: moveAway'],
  [
    'the same, where the command that moves it away was sent again just now',
    cameBack(29_999),
    'reboot? AddressStillHere',
  ],
  ['the same, half a minute after that', cameBack(30_000), 'detach: moveAway'],
  ['the same, where that command failed a moment ago', cameBack(4999, { error: 'exit code 1' }), 'detach? MoveFailed'],
  ['the same, five seconds after that', cameBack(5000, { error: 'exit code 1' }), 'detach: moveAway'],
  [
    'back, and requests failed on a full disk: the journal knows that its addresses are to come back',
    {
      bootId: AFTER,
      memory: { record: RECORD, isProven: true, intent: true, wasAway: true },
      evidence: back,
      change: { journalWritable: false, run: { id: 'run-1', order: [], done: [], verdict: FAILED } },
    },
    'detach: moveAway',
  ],
  [
    'the same, with no other machine that could take the address',
    {
      bootId: AFTER,
      silent: ['lb-2'],
      memory: { record: RECORD, isProven: true, intent: true, wasAway: true },
      evidence: back,
      change: { run: { id: 'run-1', order: [], done: [], verdict: FAILED } },
    },
    'detach? HostSilent InstanceSilent',
  ],
  [
    'the same for as long as an address may take to move',
    {
      bootId: AFTER,
      silent: ['lb-2'],
      silentForMs: 10_000,
      memory: { record: RECORD, isProven: true, intent: true, wasAway: true },
      evidence: back,
      change: { run: { id: 'run-1', order: [], done: [], verdict: FAILED } },
    },
    'keptOut',
  ],
  [
    'back, and requests failed: the command that moves its addresses away failed a moment ago',
    refusedAway({ agoMs: 1000, sinceMs: 2000 }),
    'detach? MoveFailed',
  ],
  ['the same, a while ago', refusedAway({ agoMs: 6000, sinceMs: 7000 }), 'detach: moveAway'],
  [
    'the same for as long as a pair may take to become whole',
    refusedAway({ agoMs: 6000, sinceMs: 300_000 }),
    'keptOut',
  ],
  [
    'the same of a machine that is off, with its address on the other one',
    { ...refusedAway({ agoMs: 6000, sinceMs: 7000 }), on: ['lb-2'], silent: ['lb-1'] },
    'keptOut',
  ],
  [
    'the same of one that never gave them away',
    {
      bootId: AFTER,
      memory: { record: RECORD, isProven: true },
      evidence: back,
      change: { journalWritable: false, run: { id: 'run-1', order: [], done: [], verdict: FAILED } },
    },
    'keptOut',
  ],
  ['another boot id', { on: ['lb-2'], bootId: AFTER, memory: announced, evidence: moved }, 'proof: proven'],
  [
    'its instance still silent',
    { on: ['lb-2'], bootId: AFTER, silent: ['lb-1'], memory: proven, evidence: { provenSince: at(1000) } },
    'settle? InstanceSilent',
  ],
  [
    'drained by another owner meanwhile',
    { on: ['lb-2'], bootId: AFTER, lb2: drained, memory: proven, evidence: { provenSince: at(1000) } },
    'settle: restoreServer',
  ],
  [
    'out when it was begun, and put back on the other instance meanwhile',
    { on: ['lb-2'], bootId: AFTER, lb1: drained, memory: provenAfterOut, evidence: { provenSince: at(1000) } },
    'settle: restoreServer',
  ],
  [
    'out when it was begun, and in again here as on the other instance',
    { on: ['lb-2'], bootId: AFTER, memory: provenAfterOut, evidence: { provenSince: at(1000) } },
    'attach: moveBack',
  ],
  [
    'a weight that was lost',
    { on: ['lb-2'], bootId: AFTER, lb1: { weight: 1 }, memory: proven, evidence: { provenSince: at(1000) } },
    'settle: restoreServer',
  ],
  [
    'a weight that was lost, and that its instance refused to set a moment ago',
    refusedWeight(4999),
    'settle? ServerStateLost',
  ],
  ['the same, five seconds ago', refusedWeight(5000), 'settle: restoreServer'],
  [
    'a weight that the agent of the server has changed',
    {
      on: ['lb-2'],
      bootId: AFTER,
      lb1: { weight: 1, agent: true },
      memory: proven,
      evidence: { provenSince: at(1000) },
    },
    'attach: moveBack',
  ],
  [
    'a server that no check has passed yet',
    { on: ['lb-2'], bootId: AFTER, lb1: { uncheckedYet: true }, memory: proven, evidence: { provenSince: at(1000) } },
    'settle? ServerNotUp',
  ],
  [
    'as before',
    { on: ['lb-2'], bootId: AFTER, memory: proven, evidence: { provenSince: at(1000) } },
    'attach: moveBack',
  ],
  [
    'on both after it was put back',
    { on: ['lb-1', 'lb-2'], bootId: AFTER, memory: { record: RECORD, isProven: true, intent: true }, evidence: back },
    'attach? AddressOnSeveral',
  ],
  [
    'whole again',
    {
      bootId: AFTER,
      memory: { record: RECORD, isProven: true, intent: true },
      evidence: { ...back, attachedAt: at(500) },
    },
    'soak? Soaking',
  ],
  [
    'whole for the soak time',
    {
      bootId: AFTER,
      memory: { record: RECORD, isProven: true, intent: true },
      evidence: { ...back, attachedAt: at(900_000) },
    },
    'through',
  ],
  ['the same, and a server has lost its weight', soakedWithoutWeight({}), 'attach: restoreServer'],
  [
    'the same, and its instance refused to set that a moment ago',
    soakedWithoutWeight({ refusedAt: at(1000) }),
    'attach? ServerStateLost',
  ],
  [
    'the same, and its instance took the command in vain',
    soakedWithoutWeight({ restored: { 'web/n1 on lb-1': { times: 3, notBefore: at(-4000) } } }),
    'attach? ServerStateLost',
  ],
]

for (const [what, given, expected] of ROWS) {
  test(`the next thing for a machine, ${what}: ${expected}`, () => {
    assert.equal(said(aHost(given)), expected)
  })
}

test('law: a virtual address that is on several machines of a pair, or on none, holds the roll', () => {
  const states: readonly (readonly [MachineMemory, MachineEvidence])[] = [
    [{}, {}],
    [began, {}],
    [away, moved],
  ]
  for (const on of [[], ['lb-1', 'lb-2']])
    for (const [memory, evidence] of states)
      assert.equal(
        decideMachine(aHost({ on, memory, evidence })).kind,
        'hold',
        `${on.join()} ${JSON.stringify(memory)}`,
      )
})

test('law: a machine is rebooted only once its virtual addresses were seen on another machine, and on it no more', () => {
  const agreeing = (given: Given): boolean => said(aHost({ memory: away, ...given })) === 'reboot: reboot'
  const before = { moved: { to: 'away', at: monoMs(NOW + 1) } } as const
  assert.equal(agreeing({ on: ['lb-2'], evidence: moved }), true)
  assert.equal(agreeing({ on: ['lb-1'], evidence: moved }), false)
  assert.equal(agreeing({ on: [], evidence: moved }), false)
  assert.equal(agreeing({ on: ['lb-1', 'lb-2'], evidence: moved }), false)
  assert.equal(agreeing({ on: ['lb-2'], evidence: before }), false, 'both were asked before the command')
})

test('a machine that got no command for a while has its whole time from the first one that may have arrived', () => {
  const unsent = { kind: 'unsent', text: 'refused' } as const
  const since = (answer: RebootAnswer, before: RebootAnswer) =>
    rememberMachineOutcome(
      aHost({ evidence: { rebootSince: at(800_000), reboot: { at: at(5_000), answer: before } } }),
      { kind: 'reboot', bootId: AFTER },
      { ok: true, reboot: answer },
    ).rebootSince
  assert.deepEqual(
    [since({ kind: 'sent' }, unsent), since(unsent, unsent), since({ kind: 'sent' }, { kind: 'sent' })],
    [at(0), at(800_000), at(800_000)],
  )
})

test('a machine that is back gives its addresses away again where requests fail because its own balancer is away', () => {
  const window: FailureWindow = {
    target: 'shop',
    control: false,
    lane: 'new',
    sent: 4,
    failed: 4,
    failures: { connect: 4 },
    firstError: 'ECONNREFUSED',
    firstBadAt: wallMs(NOW - 1000),
    lastBadAt: wallMs(NOW - 500),
  }
  const lanes = { startedAt: wallMs(0), lastVerdictAt: wallMs(NOW), lanes: [], notMeasured: [], greenStreak: 0 }
  const keepsOut = (instance: string): boolean | undefined =>
    judge(
      aHost({
        ...{ bootId: AFTER, memory: proven },
        evidence: { ...back, attachingSinceWall: wallMs(NOW - 5000) },
        change: {
          run: { id: 'run-1', order: [], done: [], measuredSince: wallMs(1000) },
          probe: { ...lanes, windows: [window] },
          reloads: [
            {
              ...{ balancer: 'edge', instance, servers: [], nodes: [], from: wallMs(NOW - 1200) },
              ...{ seenAt: wallMs(NOW - 900), away: `${instance}: no process listens there` },
            },
          ],
        },
      }),
    )?.keepOut
  assert.deepEqual([keepsOut('lb-1'), keepsOut('lb-2')], [true, false])
})

test('each wait for a machine has a limit, and what it leads to depends on whether the reboot is announced', () => {
  const long = at(10_000_000)
  const rows: readonly (readonly [Given, string])[] = [
    [{ memory: away, evidence: { moved: { to: 'away', at: at(5000) }, movingSince: at(5000) } }, 'none'],
    [
      { memory: away, evidence: { moved: { to: 'away', at: at(5000) }, movingSince: at(11_000) } },
      'held AddressesNotMoved AddressStillHere',
    ],
    [
      { on: ['lb-2'], silent: ['lb-1'], memory: announced, evidence: { rebootSince: long } },
      'stopped keepOut HostDidNotReturn RebootUnknown',
    ],
    [
      {
        on: ['lb-2'],
        memory: announced,
        evidence: { rebootSince: long, stuckReasons: [{ code: 'JournalNotWritable', text: 'x' }] },
      },
      'stopped keepOut HostDidNotReturn JournalNotWritable RebootUnknown',
    ],
    [
      { on: ['lb-2'], silent: ['lb-1'], bootId: AFTER, memory: proven, evidence: { provenSince: long } },
      'stopped keepOut HostNotSettled InstanceSilent',
    ],
    [
      {
        on: [],
        bootId: AFTER,
        memory: { record: RECORD, isProven: true, intent: true },
        evidence: { ...back, attachingSince: long },
      },
      'stopped keepOut PairNotWhole AddressOnNone',
    ],
    [
      soakedWithoutWeight({ refusedAt: at(1000), attachDueSince: at(300_000) }),
      'stopped keepOut PairNotWhole ServerStateLost',
    ],
    [
      {
        on: ['lb-2'],
        memory: { record: RECORD, wasAway: true },
        evidence: { moved: { to: 'back', at: at(6000), error: 'exit code 1' }, movingBackSince: at(300_000) },
        change: { run: { id: 'run-1', order: [], done: [], verdict: ABORTED } },
      },
      'stopped keepOut Aborted PairNotWhole MoveFailed',
    ],
  ]
  assert.deepEqual(
    rows.map(([given]) => verdictOf(given)),
    rows.map(([, expected]) => expected),
  )
})

test('a machine whose slot another run took names that run', () => {
  const lost = (holder: { readonly holderRun?: string }) =>
    decideMachine(aHost({ memory: began, change: { slot: { state: 'lost', mayAct: false, ...holder } } })).reasons
  assert.deepEqual(
    [{ holderRun: 'run-2' }, {}].map((holder) => lost(holder).map(({ text }) => text)),
    [
      ['the slot was taken by run run-2, so nothing is sent'],
      ['the slot was taken by another owner, so nothing is sent'],
    ],
  )
})

test('a machine that is back keeps its addresses where the other one falls silent for good: the roll is held, and it ends', () => {
  const serving = { record: RECORD, isProven: true, intent: true, wasAway: true } as const
  const soaking = { ...back, attachedAt: at(200_000), attachingSince: at(300_000) }
  const ends = (given: Given): readonly string[] => {
    const all = { bootId: AFTER, memory: serving, evidence: soaking, ...given }
    const s = aHost(all)
    const verdict = judge(s)
    return [verdictOf(all), verdict === undefined ? '' : said({ ...s, run: { ...s.run, verdict } })]
  }
  assert.deepEqual(ends({ silent: ['lb-2'] }), ['held HostSilent InstanceSilent', 'through'])
  const { attachedAt: _, ...unseen } = soaking
  assert.deepEqual(ends({ silent: ['lb-2'], evidence: unseen }), ['held HostSilent InstanceSilent', 'through'])
  const run = { id: 'run-1', order: [], done: [], verdict: ABORTED } as const
  assert.deepEqual(ends({ silent: ['lb-2'], change: { run } }), ['aborted Aborted', 'through'])
  const own = 'stopped keepOut PairNotWhole HostSilent InstanceSilent'
  assert.deepEqual(ends({ on: ['lb-2'], silent: ['lb-1'] }), [own, 'detach: moveAway'])
})

/** How the soak of a machine ends whose addresses are on both machines for so long of each period, or whose command to take them fails. */
function soakEnds(downS: number, periodS: number, error?: string): string {
  const memory = { record: RECORD, isProven: true, intent: true, wasAway: true } as const
  let evidence: MachineEvidence = { ...back, moved: { ...back.moved, ...(error === undefined ? {} : { error }) } }
  for (let second = 0; second < 3600; second += 1) {
    const on = second % periodS < downS ? ['lb-1', 'lb-2'] : ['lb-1']
    const given = aHost({ on, bootId: AFTER, memory, evidence })
    const now = monoMs(NOW + second * 1000)
    const machines = given.machines.map((machine) => ({ ...machine, askedAt: now }))
    const moved = error === undefined ? {} : { moved: { ...back.moved, at: now, error } }
    const s = { ...given, now, wall: wallMs(now), machines, evidence: { ...evidence, ...moved } }
    const seen = { ...s, evidence: observeMachine(s) }
    const verdict = judge(seen)
    if (verdict !== undefined) return `${verdict.kind} ${verdict.keepOut} ${verdict.reasons[0]?.code} after ${second} s`
    const decision = decideMachine(seen)
    if (decision.kind === 'settled') return `${decision.end} after ${second} s`
    evidence = rememberMachineDecision(seen, decision)
  }
  return 'never'
}

test('the soak of a machine begins anew where its pair was not whole in between, and the wait for that has one limit', () => {
  assert.equal(soakEnds(0, 3600), 'through after 10 s')
  assert.equal(soakEnds(9, 3600), 'through after 19 s')
  assert.equal(soakEnds(5, 3600), 'through after 15 s')
  assert.equal(soakEnds(3600, 3600), 'stopped true PairNotWhole after 295 s')
  assert.equal(soakEnds(5, 10), 'stopped true PairNotWhole after 590 s')
  assert.equal(soakEnds(0, 3600, 'keepalived: no such unit'), 'stopped true PairNotWhole after 295 s')
})

test('a machine whose slot another run has taken is waited for on its way back as long as it may settle, and then left', () => {
  const taken = { state: 'lost', mayAct: false, holderRun: 'run-2' } as const
  const verdict = { kind: 'held', keepOut: false, reasons: [{ code: 'SlotTaken', text: 'x' }] } as const
  const serving = { record: RECORD, isProven: true, intent: true, wasAway: true } as const
  const rows: readonly Given[] = [
    { on: ['lb-2'], memory: away, evidence: moved, change: { run: { id: 'run-1', order: [], done: [], verdict } } },
    { bootId: AFTER, memory: serving, evidence: { ...back, attachedAt: at(1000) } },
  ]
  for (const given of rows) {
    let evidence: MachineEvidence = given.evidence ?? {}
    const at600 = Array.from({ length: 601 }, (_, second) => {
      const now = monoMs(NOW + second * 1000)
      const s = aHost({ ...given, evidence, change: { ...given.change, now, wall: wallMs(now), slot: taken } })
      const seen = { ...s, machines: s.machines.map((machine) => ({ ...machine, askedAt: now })) }
      evidence = rememberMachineDecision(seen, decideMachine({ ...seen, evidence: observeMachine(seen) }))
      const found = judge({ ...seen, evidence })
      return [
        found?.keepOut,
        found?.reasons[0]?.code,
        found === undefined ? '' : said({ ...seen, run: { ...seen.run, verdict: found } }),
      ]
    })
    assert.deepEqual(at600[599]?.[0] ?? false, false)
    assert.deepEqual(at600[600], [true, 'SlotTaken', 'keptOut'])
  }
})

test('only a machine that is not begun takes over the slot of an owner that is gone', () => {
  const reason = { code: 'SlotTaken', text: 'run run-2 has the slot' } as const
  const actionsOf = (isLeft: boolean, memory: MachineMemory = {}) => {
    const slotRefused = { at: at(2_000), reason, ...(isLeft ? { isLeft: true as const } : {}) }
    const decision = decideMachine(
      aHost({ memory, evidence: { slotRefused }, change: { slot: { state: 'free', mayAct: false } } }),
    )
    return decision.kind === 'act' && decision.actions
  }
  const record = { bootId: 'x', servers: [] }
  assert.deepEqual(
    [actionsOf(true), actionsOf(false)],
    [[{ kind: 'takeSlot', takeStale: true }], [{ kind: 'takeSlot' }]],
  )
  assert.deepEqual(actionsOf(true, { record }), [{ kind: 'takeSlot' }])
})
