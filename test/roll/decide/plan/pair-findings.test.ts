import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invariant } from '../../../../src/ground/model/invariant.ts'
import { type MachineInquiry, pairFindings, plannedHosts } from '../../../../src/roll/decide/plan/pair-findings.ts'
import { twoHosts } from '../../../support/memory-pair.ts'
import { anInstance, aServer } from '../../../support/roll-world.ts'

const hosts = twoHosts()
const [pair] = hosts.pairs
invariant(pair !== undefined, 'there is a pair')
const [lb1, lb2] = pair.machines
invariant(lb1 !== undefined && lb2 !== undefined, 'there are two machines')

interface Said {
  readonly bootId?: string
  readonly has?: boolean
  readonly mayReboot?: boolean
  readonly cannotMove?: string
}

const answers = (
  machine: typeof lb1,
  { bootId = machine.name, has = false, mayReboot = true, ...rest }: Said,
): MachineInquiry => ({
  pair,
  machine,
  answer: {
    kind: 'answered',
    machine: { bootId, addresses: has ? ['10.0.0.100'] : [] },
    ...rest,
    reading: { mayReboot, hops: [], ...(mayReboot ? {} : { refusal: 'sudo: a password is required' }) },
  },
})
const silent = (machine: typeof lb1): MachineInquiry => ({
  pair,
  machine,
  answer: { kind: 'failed', code: 'HOST_UNREACHABLE', text: 'ssh lb-2: no route' },
})
const first = answers(lb1, { has: true })
const second = answers(lb2, {})

interface Around {
  readonly nodes?: readonly string[]
  readonly ownBootId?: string
  readonly drained?: boolean
  /** By the checks of this instance the server is down. */
  readonly downAt?: 'lb-1' | 'lb-2'
}

const found = (
  inquiries: readonly MachineInquiry[],
  { nodes = [], ownBootId, drained = false, downAt }: Around = {},
) => {
  const server = (instance: string, change = {}) =>
    anInstance([aServer('n1', { ref: { instance, backend: 'web', server: 'n1' }, ...change })], { instance })
  const state = drained ? ({ adminState: 'drain', ownState: 'drain' } as const) : {}
  const down = (at: string) => (downAt === at ? ({ operational: 'down' } as const) : {})
  const instances = [server('lb-1', down('lb-1')), server('lb-2', { ...state, ...down('lb-2') })]
  return pairFindings(inquiries, { hosts, nodes, instances, ownBootId }).map(({ severity, code, node }) =>
    [severity, code, node].join(' '),
  )
}

test('a plan says what stands against the machines of the load balancers', () => {
  const rows: readonly (readonly [readonly string[], readonly string[]])[] = [
    [found([first, second]), []],
    [found([first, silent(lb2)]), ['error HOST_UNREACHABLE lb-2']],
    [found([first, answers(lb2, { mayReboot: false })]), ['error HostMayNotReboot lb-2']],
    [found([first, answers(lb2, { cannotMove: 'nft is not installed' })]), ['error HostCannotMove lb-2']],
    [found([first, second], { nodes: ['n1', 'lb-2'] }), ['error HostIsNode lb-2']],
    [found([first, second], { ownBootId: 'lb-1' }), ['error HostIsOurs lb-1']],
    [found([first, answers(lb2, { bootId: 'lb-1' })]), ['error HostTwice ']],
    [found([first, answers(lb2, { has: true })]), ['hold AddressOnSeveral lb-1']],
    [found([answers(lb1, {}), second]), ['hold AddressOnNone lb-1']],
    [found([first, second], { drained: true }), ['hold PairDisagrees lb-1']],
    [found([first, second], { downAt: 'lb-2' }), ['hold PairDisagrees lb-1']],
    [found([first, second], { downAt: 'lb-1' }), ['hold PairDisagrees lb-2']],
  ]
  assert.deepEqual(
    rows.map(([said]) => said),
    rows.map(([, expected]) => expected),
  )
})

test('a plan names each machine with its pair, and which one has the address', () => {
  assert.deepEqual(
    plannedHosts([first, silent(lb2)]).map(({ host, addresses, bootId }) => [host, addresses, bootId]),
    [
      ['lb-1', ['10.0.0.100'], 'lb-1'],
      ['lb-2', [], ''],
    ],
  )
})
