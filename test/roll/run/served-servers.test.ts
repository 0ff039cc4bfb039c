import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BalancerPoller } from '../../../src/roll/run/balancer-poller.ts'
import { servesNothing } from '../../../src/service/decide/budget/serves-nothing.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import { aNode, aServer, aSpec } from '../../support/roll-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

interface Answer extends Partial<ServerReading> {
  readonly process?: string
}

const UP: Answer = { operational: 'up', check: 'passing', totalSessions: 7 }
const NO_WEIGHT: Answer = { ...UP, weight: 0 }
const DOWN: Answer = { operational: 'down', check: 'failing', checkText: 'L4CON', totalSessions: 7 }
/** As after a reload, before the first check. */
const BEGUN: Answer = { process: '200', operational: 'up', check: 'failing', checkText: 'INI', totalSessions: 0 }
const RELOADED: Answer = { ...DOWN, process: '200', totalSessions: 0 }

/** What the roll makes of the server’s node after the one instance gave these answers. */
async function seen(...answers: readonly Answer[]): Promise<'detached' | 'down' | undefined> {
  const clock = new VirtualClock()
  const [spec = assert.fail()] = aSpec().balancers
  const left = [...answers]
  const poller = new BalancerPoller({
    balancer: {
      name: 'edge',
      instances: ['lb-1'],
      read: async () => {
        const { process = '100', ...change } = left.shift() ?? assert.fail()
        const servers = [aServer('n1', change)]
        return { instance: 'lb-1', process, version: '3.0', at: clock.monoMs(), servers }
      },
      inspect: () => Promise.reject(new Error('nobody asks')),
    },
    spec,
    instance: 'lb-1',
    clock,
    own: () => [],
    onPoll: async () => undefined,
    onAnswer: () => undefined,
    onUnreached: () => undefined,
  })
  for (const _ of answers) await poller.poll(new AbortController().signal)
  return servesNothing({ addresses: ['n1', 'n2'].flatMap((name) => aNode(name).internalAddresses) }, [
    poller.snapshot(),
  ])
}

const RENAMED: Answer = { ...RELOADED, ref: { instance: 'lb-1', backend: 'web', server: 's7' } }
const ELSEWHERE: Answer = { ...RELOADED, address: '10.0.0.2' }

for (const [what, answers, is] of [
  ['served, went down and was reloaded, is out', [UP, DOWN, RELOADED], 'down'],
  ['was down with sessions at first sight, is out after a reload', [DOWN, RELOADED], 'down'],
  ['was up at the reload and did not come up after it, is out', [UP, BEGUN, RELOADED], 'down'],
  ['is out over many reloads', [UP, DOWN, RELOADED, { ...RELOADED, process: '300' }], 'down'],
  ['passed its checks and was sent nothing, is out once it is down', [{ ...UP, totalSessions: 0 }, RELOADED], 'down'],
  ['had weight 0 with sessions, is out after a reload', [NO_WEIGHT, { ...NO_WEIGHT, ...BEGUN }], 'detached'],
  ['serves again, is in', [UP, DOWN, RELOADED, { ...UP, process: '200' }], undefined],
  ['never passed a check nor had a session, is not out', [{ ...DOWN, totalSessions: 0 }, BEGUN, RELOADED], undefined],
  [
    'had but the sessions of a moment before its first check, is not out after the next reload',
    [{ ...DOWN, totalSessions: 0 }, BEGUN, { ...DOWN, process: '200' }, { ...RELOADED, process: '300' }],
    undefined,
  ],
  ['served under another name before the reload, is out', [UP, DOWN, RENAMED], 'down'],
  [
    'served under another name before many reloads, is out',
    [UP, DOWN, RENAMED, { ...RELOADED, process: '300' }],
    'down',
  ],
  ['has no address yet after the reload, is out', [UP, DOWN, { ...RELOADED, address: '' }, RELOADED], 'down'],
  ['leads to another node once it has an address again', [UP, { ...ELSEWHERE, address: '' }, ELSEWHERE], undefined],
  ['leads to another node now, tells nothing of the one before', [UP, ELSEWHERE], undefined],
] satisfies readonly (readonly [string, readonly Answer[], 'detached' | 'down' | undefined])[]) {
  test(`a server that ${what}`, async () => assert.equal(await seen(...answers), is))
}
