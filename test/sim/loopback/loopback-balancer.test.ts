import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { systemSoon as soon } from '../../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { HaproxyBalancer } from '../../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import type { BalancerConfig } from '../../../src/sim/balancer/balancer-config.ts'
import { HaproxyProcess } from '../../../src/sim/loopback/haproxy-process.ts'
import { LoopbackBalancer } from '../../../src/sim/loopback/loopback-balancer.ts'
import { findCommand } from '../../../testbed/machine/find-command.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { ephemeralPort } from '../../support/ephemeral-port.ts'
import { requires } from '../../support/requires.ts'
import { PORT, type RealPlane, realPlane, served } from './real-plane.ts'

const never = new AbortController().signal

interface Fronted extends RealPlane {
  readonly port: number
  readonly balancer: HaproxyBalancer
}

type Start = (parts: { config: BalancerConfig; folder: string; real: RealPlane }) => Promise<{
  readonly socket: string
  end(): void | Promise<void>
}>

const embedded: Start = ({ config, folder, real: { net, plane } }) =>
  LoopbackBalancer.start({ net, plane, clock, timers, soon, config, folder })

const haproxy: Start = ({ config, folder }) =>
  HaproxyProcess.start({ program: findCommand('haproxy') ?? '', config, folder, clock }, never)

/** One pod on each of two nodes, and the balancer before their node ports. */
async function fronted(t: TestContext, start: Start): Promise<Fronted> {
  const real = await realPlane(t)
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-'))
  const pods = [1, 2].map((node) => ({ node, pod: real.pod(`p${node}`, node) }))
  for (const { node, pod } of pods) real.lead(node, [pod])
  const port = await ephemeralPort()
  const servers = pods.map(({ node }) => ({ name: `n${node}`, address: real.address(node), port: PORT }))
  const config: BalancerConfig = {
    host: '127.0.0.1',
    frontends: [{ name: 'front', port, backend: 'web' }],
    backends: [{ name: 'web', servers, check: { path: '/readyz', interMs: 200, fall: 2, rise: 2 } }],
    connectTimeoutMs: 500,
    clientTimeoutMs: 10_000,
    serverTimeoutMs: 2_000,
  }
  const { socket, end } = bound(await start({ config, folder, real }))
  t.after(async () => {
    await end()
    rmSync(folder, { recursive: true })
  })
  const spec = {
    name: 'edge',
    instances: [{ name: 'lb-1', address: { kind: 'unix', path: socket } as const }],
    backends: ['web'],
    allowLastServer: false,
  }
  const balancer = new HaproxyBalancer({ spec, clock, random })
  return { ...real, port, balancer }
}

const bound = <T extends { readonly socket: string; end(): void | Promise<void> }>(made: T) => ({
  socket: made.socket,
  end: () => made.end(),
})

/** The product's own adapter, unchanged, on whatever answers at the socket. */
function contract(start: Start): void {
  const stateOf = async (balancer: HaproxyBalancer, name: string) =>
    (await balancer.read('lb-1', never)).servers.find(({ ref }) => ref.server === name)
  const until = (what: string, holds: () => Promise<boolean>): Promise<true> =>
    waitFor({ what, limitMs: 10_000, everyMs: 20 }, async () => ((await holds()) ? true : undefined))
  const everybody = async (port: number): Promise<readonly string[]> =>
    [...new Set(await Promise.all(Array.from({ length: 12 }, () => served('127.0.0.1', port))))].toSorted()

  test('a server that is drained by the product gets nothing new, and gets it again when it is ready', async (t) => {
    const { balancer, port } = await fronted(t, start)
    await until('both to be proven', async () => {
      const states = await Promise.all(['n1', 'n2'].map((name) => stateOf(balancer, name)))
      return states.every((state) => state?.check === 'passing')
    })
    assert.deepEqual(await everybody(port), ['p1/n1', 'p2/n2'])
    const ref = { instance: 'lb-1', backend: 'web', server: 'n1' }
    await balancer.setState(ref, 'drain', never)
    assert.equal((await stateOf(balancer, 'n1'))?.adminState, 'drain')
    assert.deepEqual(await everybody(port), ['p2/n2'])
    await balancer.setState(ref, 'ready', never)
    await until('both to serve', async () => (await everybody(port)).length === 2)
  })

  test('a machine that goes dark is found out by the checks, and until then loses what is sent to it', async (t) => {
    const { balancer, plane, port } = await fronted(t, start)
    await until('both to be proven', async () => {
      const states = await Promise.all(['n1', 'n2'].map((name) => stateOf(balancer, name)))
      return states.every((state) => state?.check === 'passing')
    })
    plane.setPower('n1', false)
    await until('it to be down', async () => (await stateOf(balancer, 'n1'))?.operational === 'down')
    assert.deepEqual(await everybody(port), ['p2/n2'])
  })
}

contract(embedded)

test('a real HAProxy before the embedded cluster', requires('haproxy'), async (t) => {
  const { balancer, port } = await fronted(t, haproxy)
  await waitFor({ what: 'both to be proven', limitMs: 10_000 }, async () => {
    const { servers } = await balancer.read('lb-1', never)
    return servers.every(({ check }) => check === 'passing') || undefined
  })
  const names = new Set(await Promise.all(Array.from({ length: 12 }, () => served('127.0.0.1', port))))
  assert.deepEqual([...names].toSorted(), ['p1/n1', 'p2/n2'])
})

test('a HAProxy whose port is taken is distinguished from one that does not answer', requires('haproxy'), async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const config: BalancerConfig = {
    host: '127.0.0.1',
    frontends: [{ name: 'front', port: (server.address() as AddressInfo).port, backend: 'web' }],
    backends: [{ name: 'web', servers: [], check: { path: '/readyz', interMs: 200, fall: 2, rise: 2 } }],
    connectTimeoutMs: 500,
    clientTimeoutMs: 10_000,
    serverTimeoutMs: 2_000,
  }
  const starting = HaproxyProcess.start({ program: findCommand('haproxy') ?? '', config, folder, clock }, never)
  await assert.rejects(starting, { code: 'demo.port' })
})
