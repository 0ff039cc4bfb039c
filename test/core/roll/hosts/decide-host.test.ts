import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideHost } from '../../../../src/core/roll/hosts/decide-host.ts'
import type { HostMemory } from '../../../../src/core/roll/hosts/host-memory.ts'
import type { HostEvidence, HostSnapshot, MachineFacts } from '../../../../src/core/roll/hosts/host-snapshot.ts'
import { judgeHost } from '../../../../src/core/roll/hosts/judge-host.ts'
import type { ServerReading } from '../../../../src/model/balancer.ts'
import { invariant } from '../../../../src/model/invariant.ts'
import { monoMs, wallMs } from '../../../../src/model/time.ts'
import { twoHosts } from '../../../support/memory-pair.ts'
import { anInstance, aServer, aSpec } from '../../../support/roll-world.ts'

const BEFORE = 'aaaaaaaa-0000-4000-8000-000000000000'
const AFTER = 'aaaaaaaa-0000-4000-8000-000000000001'
const ADDRESS = '10.0.0.100'
const NOW = 1_000_000
const at = (agoMs: number) => monoMs(NOW - agoMs)

const server = (instance: string, change: Partial<ServerReading> = {}): ServerReading =>
  aServer('n1', { ref: { instance, backend: 'web', server: 'n1' }, weight: 10, ...change })
const drained = { adminState: 'drain', ownState: 'drain' } as const

interface Given {
  readonly on?: readonly string[]
  readonly bootId?: string
  /** Machines that do not answer. */
  readonly silent?: readonly string[]
  readonly lb1?: Partial<ServerReading>
  readonly lb2?: Partial<ServerReading>
  readonly memory?: HostMemory
  readonly evidence?: HostEvidence
  readonly change?: Partial<HostSnapshot>
}

function aHost({
  on = ['lb-1'],
  bootId = BEFORE,
  silent = [],
  lb1,
  lb2,
  memory = {},
  evidence = {},
  change,
}: Given): HostSnapshot {
  const [pair] = twoHosts().pairs
  const [host] = pair?.machines ?? []
  invariant(pair !== undefined && host !== undefined, 'there is a pair')
  const machine = (name: string): MachineFacts => ({
    machine: { name, ssh: name, instances: [name] },
    look: {
      bootId: name === 'lb-1' ? bootId : 'bbbbbbbb-0000-4000-8000-000000000000',
      // One that only begins alike is another address.
      addresses: ['10.0.0.10', '10.0.0.1001', ...(on.includes(name) ? [ADDRESS] : [])],
    },
    askedAt: at(0),
    silentForMs: silent.includes(name) ? 1 : 0,
  })
  const instance = (name: string, reading: ServerReading) =>
    anInstance([reading], { instance: name, askedAt: at(0), silentForMs: silent.includes(name) ? 1 : 0 })
  return {
    now: monoMs(NOW),
    wall: wallMs(NOW),
    spec: aSpec({ hosts: twoHosts() }),
    run: { id: 'run-1', order: [], done: [] },
    slot: { state: 'mine', mayAct: true },
    journalWritable: true,
    reloads: [],
    pair,
    host,
    machines: [machine('lb-1'), machine('lb-2')],
    instances: [instance('lb-1', server('lb-1', lb1)), instance('lb-2', server('lb-2', lb2))],
    connections: { count: 0, askedAt: at(0) },
    nodesOut: [],
    clusterUnknown: false,
    memory,
    evidence: { slotTakenAt: at(1000), ...evidence },
    ...change,
  }
}

const RECORD = { bootId: BEFORE, servers: [{ ref: server('lb-1').ref, state: 'ready', weight: 10, up: true }] } as const
const began: HostMemory = { record: RECORD }
const away: HostMemory = { record: RECORD, isAway: true, wasAway: true }
const announced: HostMemory = { ...away, intent: true }
const proven: HostMemory = { ...announced, isProven: true }
const moved = { moved: { to: 'away', at: at(5000) }, awaySince: at(4000) } as const
const back = { moved: { to: 'back', at: at(5000) }, provenSince: at(9000), attachingSince: at(5000) } as const

const said = (s: HostSnapshot): string => {
  const decision = decideHost(s)
  if (decision.kind === 'act') return `${decision.step}: ${decision.actions.map(({ kind }) => kind).join(' ')}`
  if (decision.kind === 'settled') return decision.end
  return `${decision.step}? ${decision.reasons.map(({ code }) => code).join(' ')}`
}

const ROWS: readonly (readonly [what: string, given: Given, said: string])[] = [
  ['no slot yet', { change: { slot: { state: 'free', mayAct: false } } }, 'slot: takeSlot'],
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
  ['down for the other one', { lb2: { operational: 'down' } }, 'record? PairDisagrees'],
  ['recorded', { memory: began }, 'detach: moveAway'],
  ['a resumed process that does not know whether the command ran', { memory: away }, 'detach: moveAway'],
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
  [
    'the same, with the address back on it',
    {
      memory: announced,
      evidence: { moved: { to: 'away', at: at(400_000) }, reboot: { at: at(400_000), answer: { kind: 'sent' } } },
    },
    'detach: moveAway',
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
    'a weight that was lost',
    { on: ['lb-2'], bootId: AFTER, lb1: { weight: 1 }, memory: proven, evidence: { provenSince: at(1000) } },
    'settle: restoreServer',
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
      evidence: { ...back, backSince: at(500) },
    },
    'soak? Soaking',
  ],
  [
    'whole for the soak time',
    {
      bootId: AFTER,
      memory: { record: RECORD, isProven: true, intent: true },
      evidence: { ...back, backSince: at(900_000) },
    },
    'through',
  ],
]

for (const [what, given, expected] of ROWS) {
  test(`the next thing for a machine, ${what}: ${expected}`, () => {
    assert.equal(said(aHost(given)), expected)
  })
}

test('law: a virtual address that is on several machines of a pair, or on none, holds the roll', () => {
  const states: readonly (readonly [HostMemory, HostEvidence])[] = [
    [{}, {}],
    [began, {}],
    [away, moved],
  ]
  for (const on of [[], ['lb-1', 'lb-2']])
    for (const [memory, evidence] of states)
      assert.equal(decideHost(aHost({ on, memory, evidence })).kind, 'hold', `${on.join()} ${JSON.stringify(memory)}`)
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

const verdictOf = (given: Given): string => {
  const verdict = judgeHost(aHost(given))
  return verdict === undefined
    ? 'none'
    : `${verdict.kind}${verdict.keepOut ? ' keepOut' : ''} ${verdict.reasons.map(({ code }) => code).join(' ')}`
}

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
  ]
  assert.deepEqual(
    rows.map(([given]) => verdictOf(given)),
    rows.map(([, expected]) => expected),
  )
})
