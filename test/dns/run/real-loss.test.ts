import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { kubeDnsObjects } from '../../../src/dns/io/kube-dns-objects.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import { type CheckParts, checkDns, type DnsCheck } from '../../../src/dns/run/check-dns.ts'
import { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { mapAtOnce } from '../../../src/ground/loop/map-at-once.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { CoreDnsGround } from '../../support/dns/coredns-ground.ts'
import { requires } from '../../support/requires.ts'
import { isNight } from '../../support/roll-bed/at-night.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const never = new AbortController().signal
const LOOPBACK = '127.0.0.1'
const AT_ONCE = 5
/** Checks of a healthy DNS, and of each share that is lost. Of so many one may say something else. */
const HEALTHY = isNight ? 2_000 : 5
const LOSSY = isNight ? { 0.1: 100, 0.2: 15, 0.3: 15, 0.5: 15, 0.9: 15 } : { 0.3: 2 }
const ONE_OF_HEALTHY = 1_000
const ONE_OF_LOSSY = 100

/** Before a server of DNS, on a port of its own: what comes over UDP is dropped by chance, TCP is not. */
class LossyDoor {
  share = 0
  readonly #udp = createSocket('udp4')
  readonly #random: SeededRandom

  private constructor(t: TestContext, { to, seed }: { readonly to: number; readonly seed: number }) {
    this.#random = new SeededRandom(seed)
    const ways = new Set<Socket>()
    this.#udp.on('message', (query, client) => {
      if (this.#random.next() < this.share) return
      const way = createSocket('udp4')
      ways.add(way)
      way.on('message', (reply) => {
        this.#udp.send(reply, client.port, client.address)
        way.close()
        ways.delete(way)
      })
      way.send(query, to, LOOPBACK)
    })
    t.after(() => {
      this.#udp.close()
      for (const way of ways) way.close()
    })
  }

  static async of(
    t: TestContext,
    parts: { readonly to: number; readonly seed: number },
  ): Promise<readonly [LossyDoor, number]> {
    const door = new LossyDoor(t, parts)
    const tcp = createServer((client) => {
      const server = connect(parts.to, LOOPBACK)
      client
        .on('error', () => undefined)
        .pipe(server)
        .on('error', () => undefined)
        .pipe(client)
    }).listen(0, LOOPBACK)
    t.after(() => tcp.close())
    await once(tcp, 'listening')
    const { port } = tcp.address() as { readonly port: number }
    door.#udp.bind(port, LOOPBACK)
    await once(door.#udp, 'listening')
    return [door, port]
  }
}

const said = ({ findings }: DnsCheck): string =>
  findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`).join('; ')

test('real CoreDNS behind a door that drops queries by chance', requires('testbed'), async (t) => {
  const ground = await CoreDnsGround.of(t, 2)
  const doors = await Promise.all(ground.pods.map(({ port }, seed) => LossyDoor.of(t, { to: port, seed })))
  const behind = new Map(ground.pods.map(({ port }, at) => [port, doors[at]?.[1] ?? 0]))
  const { parts } = await openApi(
    {
      ...{ kubeconfigPath: ground.api.kubeconfig, context: undefined, env: {}, clock, random },
      ...{ log: { debug: () => undefined, warn: () => undefined }, userAgent: 'evenkeel/test' },
    },
    never,
  )
  const listed = kubeDnsObjects(parts)
  const checking: CheckParts = {
    objects: {
      ...listed,
      endpoints: async (...of) =>
        (await listed.endpoints(...of)).map((one) => ({ ...one, udpPort: behind.get(one.udpPort ?? 0) ?? 0 })),
    },
    asker: new SocketAsker(clock, random),
    loopback: { ask: async () => ({ kind: 'notAsked', text: 'forbidden' }) },
    control: { reaches: async () => true },
    ...{ clock, random, sought: {}, timeoutMs: 500 },
  }
  const checked = async (count: number): Promise<ReadonlyMap<string, number>> => {
    const checks = await mapAtOnce(Array.from({ length: count }), AT_ONCE, () => checkDns(checking, never))
    const mean = (of: (check: DnsCheck) => number): number => checks.reduce((sum, one) => sum + of(one) / count, 0)
    if (isNight)
      process.stdout.write(
        `${mean(({ queries }) => queries).toFixed(0)} queries, ${mean(({ tookMs }) => tookMs).toFixed(0)} ms\n`,
      )
    return new Map([...Map.groupBy(checks, said)].map(([text, of]) => [text, of.length]))
  }

  await t.test(`${HEALTHY} checks of it find it healthy where nothing is dropped`, async () => {
    const found = await checked(HEALTHY)
    const wrong = HEALTHY - (found.get('Healthy dns') ?? 0)
    assert.ok(wrong <= Math.floor(HEALTHY / ONE_OF_HEALTHY), JSON.stringify([...found]))
  })

  for (const [share, count] of Object.entries(LOSSY))
    await t.test(`${count} checks of it name the pod that loses ${100 * Number(share)} %`, async () => {
      const [door] = doors[1] ?? []
      assert.ok(door !== undefined)
      door.share = Number(share)
      const found = await checked(count)
      const wrong = count - (found.get('Loses coredns-2') ?? 0)
      assert.ok(wrong <= Math.floor(count / ONE_OF_LOSSY), JSON.stringify([...found]))
    })
})
