import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { agentCheckLine, type OwedReady } from '../../../src/agent/decide/agent-check-line.ts'
import { openAgentCheckDoor } from '../../../src/agent/io/agent-check-door.ts'
import { dataPages } from '../../../src/agent/run/data-pages.ts'
import { systemTimers } from '../../../src/ground/machine/system-timers.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { openHttpDoor } from '../../../src/ground/net/http-door.ts'
import type { Answer } from '../../../src/service/model/answer.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { type BackendOnPage, haproxyOnPage } from '../../support/haproxy-on-page.ts'
import { LocalHaproxy } from '../../support/local-haproxy.ts'
import { requires } from '../../support/requires.ts'

const { 'agent-check': BY_AGENT_CHECK, ...ON_PAGE } = haproxyOnPage()
/** Backends as people write them for each dialect; each has the node as its only server. */
const CHECKS: Readonly<Record<string, BackendOnPage>> = {
  ...ON_PAGE,
  compat: {
    options: '  option httpchk GET /nodecheck?compat=body\n  http-check expect string OK',
    server: ON_PAGE.body?.server ?? '',
  },
  f5: {
    options: '  option httpchk GET /nodecheck?dialect=f5\n  http-check expect string OK',
    server: ON_PAGE.plain?.server ?? '',
  },
}
/** Between two agent-checks: with 1000, as people set it, an operator's word is held to a minute of them. */
const AGENT_INTER_MS = Number(process.env.AGENT_INTER_MS ?? 100)
const INTERVALS = 60
const BY_AGENT = ['agent', 'operator'] as const
type ByAgent = (typeof BY_AGENT)[number]

/** As `show servers state` tells (management.txt 9.3): srv_op_state and srv_admin_state. */
type State = readonly [operational: number, admin: number]
const DOWN = 0
const UP = 2
const STOPPING = 3
const FORCED_MAINT = 0x01
const FORCED_DRAIN = 0x08

const at = { place: { port: 0, host: '127.0.0.1' }, timers: systemTimers }

class Bench {
  answer: Answer = 'up'
  readonly polls: Record<ByAgent, number> = { agent: 0, operator: 0 }
  readonly #owed: Record<ByAgent, OwedReady> = { agent: {}, operator: {} }
  readonly haproxy: LocalHaproxy

  private constructor(haproxy: LocalHaproxy) {
    this.haproxy = haproxy
  }

  static async of(t: TestContext): Promise<Bench> {
    const opened: { bench?: Bench } = {}
    const answerTo = (): Answer => opened.bench?.answer ?? 'up'
    const pages = await openHttpDoor(at, dataPages({ node: 'n1', dialect: 'plain', answerTo }))
    const doors = await Promise.all(
      BY_AGENT.map(async (name) => ({
        name,
        door: await openAgentCheckDoor(at, () => opened.bench?.line(name) ?? 'up'),
      })),
    )
    const app = createServer((_, response) => response.end('app')).listen(0, '127.0.0.1')
    await once(app, 'listening')
    t.after(() => Promise.all([pages.close(), ...doors.map(({ door }) => door.close()), app.close()]))
    const { port } = app.address() as AddressInfo
    const here = ({ server }: BackendOnPage, checkPort: number): string =>
      server
        .replace(/(?<=^| )inter 2s fall 3/, 'inter 100ms fall 2')
        .replace(/(?<=^check port )8080/, `${checkPort}`)
        .replace(/(?<=agent-port )8082/, `${checkPort}`)
        .replace(/(?<=agent-inter )2s/, `${AGENT_INTER_MS}ms`)
    const checked = Object.entries(CHECKS).map(
      ([name, check]) =>
        `backend ${name}\n${check.options}\n  server n1 127.0.0.1:${port} ${here(check, pages.port)}\n`,
    )
    assert.ok(BY_AGENT_CHECK)
    const agents = doors.map(
      ({ name, door }) => `backend ${name}\n  server n1 127.0.0.1:${port} ${here(BY_AGENT_CHECK, door.port)}\n`,
    )
    const haproxy = await LocalHaproxy.start(t, { sections: () => [...checked, ...agents].join('') })
    opened.bench = new Bench(haproxy)
    return opened.bench
  }

  line(name: ByAgent): string {
    this.polls[name] += 1
    const asked = { address: 'lb', answer: this.answer, now: monoMs(performance.now()) }
    const { line, owed } = agentCheckLine(this.#owed[name], asked, { checkers: { lb: 1 }, intervalMs: AGENT_INTER_MS })
    this.#owed[name] = owed
    return line
  }

  async state(backend: string): Promise<State> {
    const text = await this.haproxy.command(`show servers state ${backend}`)
    const row = text.split('\n').find((each) => each.split(' ')[3] === 'n1') ?? ''
    const cells = row.split(' ')
    return [Number(cells[5]), Number(cells[6])]
  }

  async becomes(backend: string, state: State): Promise<void> {
    const seen: { last?: State } = {}
    const wait = {
      what: `${backend} to be ${state}`,
      limitMs: 10_000,
      everyMs: 20,
      explain: () => `it is ${seen.last}`,
    }
    await waitFor(wait, async () => {
      seen.last = await this.state(backend)
      return seen.last[0] === state[0] && seen.last[1] === state[1] ? true : undefined
    })
  }
}

test('each dialect is understood by a real HAProxy as it is meant', requires('haproxy'), async (t) => {
  const bench = await Bench.of(t)
  const table: readonly (readonly [Answer, Readonly<Record<string, State>>])[] = [
    ['up', { plain: [UP, 0], 'disable-on-404': [UP, 0], body: [UP, 0], compat: [UP, 0], f5: [UP, 0], agent: [UP, 0] }],
    [
      'drain',
      {
        plain: [DOWN, 0],
        'disable-on-404': [STOPPING, 0],
        body: [DOWN, 0],
        compat: [DOWN, 0],
        f5: [DOWN, 0],
        agent: [UP, FORCED_DRAIN],
      },
    ],
    ['up', { plain: [UP, 0], 'disable-on-404': [UP, 0], body: [UP, 0], compat: [UP, 0], f5: [UP, 0], agent: [UP, 0] }],
    [
      'down',
      {
        plain: [DOWN, 0],
        'disable-on-404': [DOWN, 0],
        body: [DOWN, 0],
        compat: [DOWN, 0],
        f5: [DOWN, 0],
        agent: [DOWN, 0],
      },
    ],
    ['up', { plain: [UP, 0], 'disable-on-404': [UP, 0], body: [UP, 0], compat: [UP, 0], f5: [UP, 0], agent: [UP, 0] }],
    ['drain', { 'disable-on-404': [STOPPING, 0], agent: [UP, FORCED_DRAIN] }],
    ['down', { 'disable-on-404': [DOWN, 0], agent: [DOWN, FORCED_DRAIN] }],
    ['drain', { agent: [UP, FORCED_DRAIN] }],
    ['up', { plain: [UP, 0], 'disable-on-404': [UP, 0], body: [UP, 0], compat: [UP, 0], f5: [UP, 0], agent: [UP, 0] }],
  ]
  for (const [answer, states] of table) {
    bench.answer = answer
    for (const [backend, state] of Object.entries(states)) await bench.becomes(backend, state)
  }
})

test('an operator’s own drain and maint outlast what an agent that is up says', requires('haproxy'), async (t) => {
  const bench = await Bench.of(t)
  await bench.becomes('operator', [UP, 0])
  const words = [
    ['drain', FORCED_DRAIN],
    ['maint', FORCED_MAINT],
  ] as const
  for (const [word, admin] of words) {
    await bench.haproxy.command(`set server operator/n1 state ${word}`)
    await bench.becomes('operator', [word === 'maint' ? DOWN : UP, admin])
    const from = bench.polls.operator
    const since = performance.now()
    const limitMs = 200 * AGENT_INTER_MS
    await waitFor({ what: 'further polls', limitMs, everyMs: 50 }, async () => {
      // Not once in between either.
      assert.equal((await bench.state('operator'))[1], admin)
      const isOver = performance.now() - since >= INTERVALS * AGENT_INTER_MS
      return isOver && bench.polls.operator >= from + INTERVALS ? true : undefined
    })
    t.diagnostic(`${word}: ${bench.polls.operator - from} polls in ${Math.round(performance.now() - since)} ms`)
    await bench.haproxy.command('set server operator/n1 state ready')
    await bench.becomes('operator', [UP, 0])
  }
})

test(
  'the end of a drain of ours lifts what an operator set before it or in it, unless the agent-check is disabled',
  requires('haproxy'),
  async (t) => {
    const bench = await Bench.of(t)
    await bench.becomes('operator', [UP, 0])
    const ask = (command: string): Promise<string> => bench.haproxy.command(command)
    await ask('set server operator/n1 state maint')
    bench.answer = 'drain'
    await bench.becomes('operator', [UP, FORCED_DRAIN])
    await ask('set server operator/n1 state maint')
    await bench.becomes('operator', [UP, FORCED_DRAIN])
    bench.answer = 'up'
    await bench.becomes('operator', [UP, 0])
    await ask('disable agent operator/n1')
    await ask('set server operator/n1 state maint')
    bench.answer = 'drain'
    await bench.becomes('agent', [UP, FORCED_DRAIN])
    bench.answer = 'up'
    await bench.becomes('agent', [UP, 0])
    assert.equal((await bench.state('operator'))[1], FORCED_MAINT)
  },
)
