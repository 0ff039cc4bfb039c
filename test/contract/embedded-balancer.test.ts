import { describe, type TestContext } from 'node:test'
import { wallMs } from '../../src/ground/model/time.ts'
import { HaproxyBalancer } from '../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import type { BalancerConfig } from '../../src/sim/balancer/balancer-config.ts'
import { VirtualBalancer } from '../../src/sim/balancer/virtual-balancer.ts'
import { SeededRandom } from '../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../src/sim/clocks/virtual-time.ts'
import type { Connection } from '../../src/sim/network/network.ts'
import { VirtualNetwork } from '../../src/sim/network/virtual-network.ts'
import { agentSaying, clientOn } from '../support/balancer-side/embedded-client.ts'
import { EmbeddedOrigin } from '../support/balancer-side/embedded-origin.ts'
import { turnsOfLoop } from '../support/turns-of-loop.ts'
import { type BalancerDoor, type DoorClient, type DoorOptions, TIMES } from './balancer/balancer-door.ts'
import { balancerContract } from './balancer-contract.ts'

const STEP_MS = 2
const LIMIT_MS = 20_000
const PORTS = {
  ...{ web: 80, dead: 81, silent: 82, sticky: 83, follow: 84, aside: 85, closing: 86 },
  ...{ warming: 87, spare: 88, narrow: 89, asked: 90 },
} as const
const AGENT_PORT = 9_000

const CHECK = { path: '/readyz', interMs: TIMES.interMs, fall: TIMES.fall, rise: TIMES.rise }
const A = { name: 'a', address: '10.0.0.1', port: 8080 }
const B = { name: 'b', address: '10.0.0.2', port: 8080 }

const CONFIG: BalancerConfig = {
  host: 'lb',
  frontends: [
    { name: 'front', port: PORTS.web, backend: 'web' },
    { name: 'front-dead', port: PORTS.dead, backend: 'dead' },
    { name: 'front-silent', port: PORTS.silent, backend: 'silent' },
  ],
  backends: [
    {
      name: 'web',
      servers: [A, B],
      check: CHECK,
    },
    { name: 'dead', servers: [{ name: 'd', address: '10.0.0.1', port: 1 }] },
    { name: 'silent', servers: [{ name: 's', address: '10.0.0.9', port: 1 }] },
  ],
  connectTimeoutMs: TIMES.connectTimeoutMs,
  clientTimeoutMs: TIMES.clientTimeoutMs,
  serverTimeoutMs: TIMES.serverTimeoutMs,
}

const BESIDES = {
  sticky: {
    name: 'sticky',
    cookie: 'SRV',
    servers: [
      { ...A, cookie: 'a' },
      { ...B, cookie: 'b' },
    ],
    check: CHECK,
  },
  closing: { name: 'closing', servers: [A], closesServers: true, check: CHECK },
  aside: { name: 'aside', servers: [A], check: { ...CHECK, port: 8081 } },
  follow: {
    name: 'follow',
    servers: [
      { ...A, track: 'web/a' },
      { ...B, track: 'web/b' },
    ],
  },
  warming: {
    name: 'warming',
    servers: [A, B].map((server) => ({ ...server, weight: 100, slowStartMs: 2_000 })),
    check: CHECK,
  },
  spare: { name: 'spare', servers: [A, { ...B, isBackup: true }], check: CHECK },
  narrow: {
    name: 'narrow',
    cookie: 'SRV',
    servers: [
      { ...A, cookie: 'a', maxConnections: 1 },
      { ...B, cookie: 'b', maxConnections: 1 },
    ],
    check: CHECK,
  },
  asked: { name: 'asked', servers: [{ ...A, weight: 100, agent: { port: AGENT_PORT, interMs: TIMES.interMs } }, B] },
} as const

/** The embedded balancer in a virtual network, whose time goes on while the test waits. */
function openEmbeddedBalancer(t: TestContext, options: DoorOptions = {}): Promise<BalancerDoor> {
  const time = new VirtualTime({ startAt: wallMs(Date.UTC(2026, 0, 1)), turns: turnsOfLoop })
  const random = new SeededRandom('contract')
  const network = new VirtualNetwork({ timers: time, random })
  for (const host of ['lb', '10.0.0.1', '10.0.0.2', 'client']) network.addHost(host)
  const a = new EmbeddedOrigin(network, { host: '10.0.0.1', port: 8080 })
  const b = new EmbeddedOrigin(network, { host: '10.0.0.2', port: 8080 })
  // On one machine as on loopback: the port alone tells the two apart.
  const { accept } = b
  network.listen({ host: '10.0.0.1', port: 8081 }, { accept })
  if (options.health !== undefined) a.sayHealth(options.health)
  let agentLine = 'ready up'
  network.listen({ host: '10.0.0.1', port: AGENT_PORT }, { accept: () => agentSaying(() => agentLine) })
  const { hardStopAfterMs, serverTimeoutMs = TIMES.serverTimeoutMs } = options
  const beside = options.beside === undefined ? [] : [BESIDES[options.beside]]
  const config: BalancerConfig = {
    ...CONFIG,
    frontends: [
      ...CONFIG.frontends,
      ...beside.map(({ name }) => ({ name: `front-${name}`, port: PORTS[name], backend: name })),
    ],
    backends: [...CONFIG.backends, ...beside],
    serverTimeoutMs,
    ...(hardStopAfterMs === undefined ? {} : { hardStopAfterMs }),
  }
  const embedded = new VirtualBalancer({
    network: network.from('lb'),
    timers: time,
    clock: time,
    config,
    firstPid: 100,
  })
  t.after(() => embedded.stop())

  const until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> => {
    const limit = time.monoMs() + LIMIT_MS
    while (!(await holds())) {
      if (time.monoMs() > limit) throw new Error(`waited ${LIMIT_MS} ms for ${what}`)
      await time.advance(STEP_MS)
    }
  }
  const balancer = new HaproxyBalancer({
    spec: {
      name: 'edge',
      instances: [{ name: 'lb-1', address: { kind: 'unix', path: 'embedded' } }],
      backends: ['web', 'dead', ...beside.map(({ name }) => name)],
    },
    clock: time,
    random,
    open: () => ({ send: async (line) => embedded.answer(line), close: async () => undefined }),
  })
  const dial = async (port: number): Promise<DoorClient> => {
    let connection: Connection | undefined
    network.from('client').dial({ host: 'lb', port }, (dialled) => {
      if (dialled.kind === 'open') connection = dialled.connection
    })
    await until('a connection to the frontend', () => connection !== undefined)
    if (connection === undefined) throw new Error('no connection')
    return clientOn(connection, until)
  }
  return Promise.resolve({
    balancer,
    a,
    b,
    sayAgent: (line) => {
      agentLine = line
    },
    nowMs: () => time.monoMs(),
    command: async (line) => embedded.answer(line),
    client: (frontend) => dial(PORTS[frontend]),
    reload: async (reload) => embedded.reload(reload),
    until,
  })
}

describe('the embedded balancer', () => balancerContract(openEmbeddedBalancer))
