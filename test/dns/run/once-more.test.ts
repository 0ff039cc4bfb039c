import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CAUSES } from '../../../src/dns/decide/causes.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsReply } from '../../../src/dns/model/dns.ts'
import type { DnsAsker } from '../../../src/dns/ports/dns-asker.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import { checkDns, type DnsCheck } from '../../../src/dns/run/check-dns.ts'
import { askedOnceMore } from '../../../src/dns/run/once-more.ts'
import { withSurroundings } from '../../../src/dns/run/surroundings.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { type DnsWorld, dnsWorld, likeCoreDns } from '../../support/dns/dns-world.ts'
import { FakeDnsServer, reply, type Told } from '../../support/dns/fake-dns-server.ts'
import { ephemeralPort } from '../../support/ephemeral-port.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { aPodOfDns, aScene, DEAD, SILENT, V1, V2 } from '../decide/a-scene.ts'
import { ZONE } from '../decide/a-zone.ts'

/** Faults that look like a dead pod until one more question is asked. */

const never = new AbortController().signal
const TIMEOUT_MS = 200
/** RFC 1035 4.1.1. */
const TRUNCATED = 0x200
const LATE_REPLY: DnsReply = {
  rcode: 'NOERROR',
  authoritative: true,
  truncated: false,
  recursive: false,
  answers: [],
  authorities: [],
  extendedErrors: [],
  bytes: 40,
}

const checked = ({ objects }: Pick<DnsWorld, 'objects'>, timeoutMs = TIMEOUT_MS): Promise<DnsCheck> =>
  checkDns(
    {
      objects,
      asker: new SocketAsker(clock, systemRandom),
      loopback: { ask: async () => ({ kind: 'notAsked', text: 'forbidden' }) },
      control: { reaches: async () => true },
      clock,
      random: new SeededRandom(1),
      sought: {},
      timeoutMs,
    },
    never,
  )

const said = ({ findings }: DnsCheck): readonly string[] =>
  findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)

/** What is found, in words; none of it is a pod's own fault that a new pod cures. */
async function found(world: Pick<DnsWorld, 'objects'>, timeoutMs = TIMEOUT_MS): Promise<readonly string[]> {
  const check = await checked(world, timeoutMs)
  for (const { code } of check.findings) assert.equal(CAUSES[code].repair, 'none', code)
  return said(check)
}

const told = (server: FakeDnsServer | undefined, change: (one: Told[number]) => Told[number]): void => {
  assert.ok(server !== undefined)
  server.answering = (query) => likeCoreDns(query).map(change)
}
const late = (afterMs: number) => (one: Told[number]) => ({ ...one, afterMs })

test('a pod that is silent in both rounds and answers when it is asked once more is not dead', async (t) => {
  const world = await dnsWorld(t)
  let asked = 0
  const [, pod] = world.pods
  assert.ok(pod !== undefined)
  // Three queries of each round, over UDP.
  pod.answering = (query) => (++asked <= 6 ? [] : likeCoreDns(query))
  pod.answeringTcp = likeCoreDns
  assert.deepEqual(await found(world), ['Loses coredns-2'])
})

test('a pod that answers after twice the time is late, and not dead', async (t) => {
  const world = await dnsWorld(t)
  told(world.pods[1], late(2 * TIMEOUT_MS))
  assert.deepEqual(await found(world), ['AnswersLate coredns-2'])
})

test('where all pods are late, UDP is not dropped', async (t) => {
  const world = await dnsWorld(t)
  for (const server of [...world.pods, world.service]) told(server, late(2 * TIMEOUT_MS))
  assert.deepEqual(await found(world), ['AnswersLate coredns-1', 'AnswersLate coredns-2'])
})

test('a pod that answers in time, and after 600 ms, is slow', async (t) => {
  const world = await dnsWorld(t)
  told(world.pods[1], late(600))
  assert.deepEqual(await found(world, 2_000), ['Slow coredns-2'])
})

test('a pod whose replies have the id of no query answers something, and is not dead', async (t) => {
  const world = await dnsWorld(t)
  told(world.pods[1], ({ bytes }) => {
    const other = Buffer.from(bytes)
    other.writeUInt16BE(bytes.readUInt16BE(0) ^ 1)
    return { bytes: other }
  })
  assert.deepEqual(await found(world), ['ReplyUnmatched coredns-2'])
})

test('a pod whose replies come from another port answers, and is not dead', async (t) => {
  const world = await dnsWorld(t)
  told(world.pods[1], (one) => ({ ...one, fromElsewhere: true }))
  assert.deepEqual(await found(world), ['ReplyFromElsewhere coredns-2, n2'])
})

test('a Service that leads to a port at which no pod listens is what is wrong', async (t) => {
  const world = await dnsWorld(t)
  const udpPort = await ephemeralPort()
  world.service.stop()
  const endpoints: DnsObjects['endpoints'] = async (...of) =>
    (await world.objects.endpoints(...of)).map((one) => ({ ...one, udpPort }))
  assert.deepEqual(await found({ objects: { ...world.objects, endpoints } }), ['ServiceWrong kube-system/kube-dns'])
})

test('a Service that leads to a wrong port is what is wrong, also where replies over UDP are cut short', async (t) => {
  const world = await dnsWorld(t)
  const udpPort = await ephemeralPort()
  world.service.stop()
  for (const pod of world.pods) {
    pod.answering = (query) => [{ bytes: reply(query, { flags: TRUNCATED }) }]
    pod.answeringTcp = likeCoreDns
  }
  const endpoints: DnsObjects['endpoints'] = async (...of) =>
    (await world.objects.endpoints(...of)).map((one) => ({ ...one, udpPort }))
  assert.deepEqual(await found({ objects: { ...world.objects, endpoints } }), ['ServiceWrong kube-system/kube-dns'])
})

test('a server that answers at another port and does not know the cluster is not the pod', async (t) => {
  const other = await FakeDnsServer.of(t)
  other.answering = (query) => [{ bytes: reply(query, { rcode: 5 }) }]
  const { objects, pods } = await dnsWorld(t)
  pods[1]?.stopUdp()
  const withOther: DnsObjects['pods'] = async (...of) =>
    (await objects.pods(...of)).map((pod) => ({ ...pod, udpPorts: [other.port] }))
  assert.deepEqual(said(await checked({ objects: { ...objects, pods: withOther } })), ['UdpDead coredns-2'])
  assert.ok(other.asked.length > 0)
})

test('of a pod that has the address of its node no other port is asked: another server of the node may answer there', async (t) => {
  const { objects, pods } = await dnsWorld(t)
  pods[1]?.stopUdp()
  const cache = await FakeDnsServer.of(t)
  cache.answering = likeCoreDns
  const withOther: DnsObjects['pods'] = async (...of) =>
    (await objects.pods(...of)).map((pod) => ({ ...pod, udpPorts: [cache.port] }))
  const nodes: DnsObjects['nodes'] = async () => [{ name: 'n2', ready: true, addresses: ['127.0.0.1'] }]
  assert.deepEqual(said(await checked({ objects: { ...objects, pods: withOther, nodes } })), ['UdpDead coredns-2'])
})

test('a silent pod is asked once more from a place that hears another one: the way out of a place may drop UDP', async () => {
  const replies: DnsAsker = {
    ask: async () => ({ kind: 'reply', reply: LATE_REPLY, afterMs: 2 }),
    canary: () => assert.fail('no canary is needed'),
  }
  const drops: DnsAsker = { ...replies, ask: async () => ({ kind: 'timeout' }) }
  const { scene } = await askedOnceMore(
    aScene({ pods: { a: DEAD, b: { v1: SILENT } } }),
    {
      vantages: [
        { inScene: V1, asker: drops },
        { inScene: V2, asker: replies },
      ],
      askedZone: ZONE,
      dnsPorts: new Map(),
      random: new SeededRandom(1),
      timeoutMs: 1,
    },
    never,
  )
  assert.deepEqual(
    scene.pods.map(({ name, answersAfterMs }) => [name, answersAfterMs]),
    [
      ['a', 2],
      ['b', undefined],
    ],
  )
})

test('where very many pods are silent, a few are enough to tell why, and a check ends in time', async () => {
  const pods = Array.from({ length: 300 }, (_, at) => aPodOfDns(`a${at}`))
  const silent = Object.fromEntries(pods.map(({ name }) => [name, SILENT]))
  const asker: DnsAsker = { ask: async () => ({ kind: 'timeout' }), canary: () => assert.fail('no canary is needed') }
  const { scene, queries } = await askedOnceMore(
    aScene({ pods: silent, change: { pods, vantages: [V1] } }),
    {
      vantages: [{ inScene: V1, asker }],
      askedZone: ZONE,
      dnsPorts: new Map(),
      random: new SeededRandom(1),
      timeoutMs: 1,
    },
    never,
  )
  assert.deepEqual([scene.pods.length, queries], [300, 384])
})

test('where very many pods are silent beside one that answers, a few are asked around', async () => {
  const [first, ...pods] = Array.from({ length: 101 }, (_, at) => aPodOfDns(`a${at}`))
  const { scene, queries } = await withSurroundings(
    aScene({
      pods: Object.fromEntries(pods.map(({ name }) => [name, DEAD])),
      change: { pods: first === undefined ? pods : [first, ...pods], vantages: [V1] },
    }),
    {
      objects: { addressesOfPodsOn: async () => [] },
      vantages: [],
      loopback: { ask: async () => ({ kind: 'timeout' }) },
      askedZone: ZONE,
      timeoutMs: 1,
    },
    never,
  )
  assert.deepEqual([scene.pods.filter(({ process }) => process === 'silent').length, queries], [16, 32])
})
