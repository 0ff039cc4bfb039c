import { createSocket } from 'node:dgram'
import { isIP } from 'node:net'
import type { Path } from '../../src/dns/decide/scene.ts'
import { queryMessage } from '../../src/dns/io/message.ts'
import { SocketAsker } from '../../src/dns/io/socket-asker.ts'
import { PacedAsker, QUERIES_PER_SECOND } from '../../src/dns/run/paced-asker.ts'
import { PATHS_AT_ONCE, sweep } from '../../src/dns/run/sweep.ts'
import { mapAtOnce } from '../../src/ground/loop/map-at-once.ts'
import { Pacer } from '../../src/ground/loop/pacer.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import type { Endpoint } from '../../src/ground/model/endpoint.ts'
import { NEWEST, ZONE } from '../../test/dns/decide/a-zone.ts'
import { findCommand } from '../../testbed/machine/find-command.ts'
import type { SweepDocument } from './dns-document.ts'
import { dnsperfMs } from './dnsperf-time.ts'
import { withResponders } from './responders.ts'

const TARGETS = 200
/** The machine's other work comes and goes: all sides are to meet the same of it. */
const TURNS = 7
const HIGH_RATE = 20_000
const TIMEOUT_MS = 1_000
const FACTS = { ...ZONE, newest: NEWEST }
const never = new AbortController().signal

/** A sweep of 200 servers of another process, in turns with as many queries by a bare loop and by dnsperf. */
export async function measureSweep(): Promise<SweepDocument> {
  return withResponders({ servers: TARGETS }, async (servers) => {
    const perf = findCommand('dnsperf')
    const [sweepMs, bareMs, perfMs]: [number[], number[], number[]] = [[], [], []]
    let [queries, failed] = [0, 0]
    for (let turn = 0; turn < TURNS; turn += 1) {
      const swept = await timedSweep(servers, HIGH_RATE)
      queries = swept.queries
      failed += swept.failed
      sweepMs.push(swept.ms)
      bareMs.push(await bareLoopMs(servers, queries))
      if (perf !== undefined) perfMs.push(await dnsperfMs({ perf, server: servers[0], atOnce: PATHS_AT_ONCE, queries }))
    }
    const { ms, failed: failedByDefault } = await timedSweep(servers, QUERIES_PER_SECOND)
    return {
      bench: 'dns.sweep',
      targets: TARGETS,
      queries,
      atOnce: PATHS_AT_ONCE,
      queriesPerSecond: HIGH_RATE,
      failed: failed + failedByDefault,
      sweepMs,
      bareMs,
      ...(perf === undefined ? {} : { dnsperfMs: perfMs }),
      byDefault: { queriesPerSecond: QUERIES_PER_SECOND, ms },
    }
  })
}

async function timedSweep(servers: readonly Endpoint[], perSecond: number) {
  const asker = new PacedAsker(new SocketAsker(clock, random), new Pacer({ clock, random, perSecond }))
  const targets = servers.map((at, i) => ({ target: { kind: 'pod' as const, name: `coredns-${i}` }, at }))
  const vantage = { inScene: { name: 'here', control: 'answers' as const }, asker }
  const begunAt = clock.monoMs()
  const asked = { targets, askedZone: FACTS, timeoutMs: TIMEOUT_MS, queriesPerSecond: perSecond, random }
  const { queries, paths } = await sweep(vantage, asked, never)
  return { queries, failed: paths.reduce((sum, path) => sum + failedOn(path), 0), ms: clock.monoMs() - begunAt }
}

const failedOn = ({ reading: { lost, tcp, data, faults } }: Path): number =>
  lost + faults.length + (tcp === 'answers' ? 0 : 1) + (data === 'right' ? 0 : 1)

/** The same question from a new socket each time, as many at once; a reply is not read. */
async function bareLoopMs(servers: readonly Endpoint[], queries: number): Promise<number> {
  const { bytes } = queryMessage({ name: `kubernetes.default.svc.${ZONE.zone}`, type: 'A', class: 'IN' }, 1)
  const lookup = (address: string, _: unknown, done: (...found: [null, string, number]) => void): void =>
    done(null, address, isIP(address))
  const one = ({ address, port }: Endpoint): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = createSocket({ type: 'udp4', lookup } as Parameters<typeof createSocket>[0])
    socket.on('message', () => socket.close(() => resolve()))
    socket.connect(port, address, () => socket.send(bytes))
    return promise
  }
  const each = Array.from({ length: queries }, (_, i) => servers[i % servers.length] as Endpoint)
  const begunAt = clock.monoMs()
  await mapAtOnce(each, PATHS_AT_ONCE, one)
  return clock.monoMs() - begunAt
}
