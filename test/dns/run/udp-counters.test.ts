import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { queryMessage, readReply } from '../../../src/dns/io/message.ts'
import type { DnsAsker } from '../../../src/dns/ports/dns-asker.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import type { CountersAt, CountersReading, PodCounters } from '../../../src/dns/ports/pod-counters.ts'
import type { PodLoopback } from '../../../src/dns/ports/pod-loopback.ts'
import { checkDns, type DnsCheck } from '../../../src/dns/run/check-dns.ts'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { dnsWorld, likeCoreDns } from '../../support/dns/dns-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const never = new AbortController().signal
const FASTER = 20
/** Five seconds of it are a quarter of one. */
const clock = {
  ...systemClock,
  monoMs: () => monoMs(systemClock.monoMs() * FASTER),
  sleep: (ms: number, signal: AbortSignal) => systemClock.sleep(ms / FASTER, signal),
}

/** Pods answer rightly on their own loopbacks. */
const loopback: PodLoopback = {
  ask: async ({ question }) => {
    const message = queryMessage(question, 7)
    const read = readReply(likeCoreDns(message.bytes)[0]?.bytes ?? Buffer.alloc(0), message)
    return typeof read === 'string' ? { kind: 'timeout' } : { kind: 'reply', reply: read, afterMs: 1 }
  },
}

/** Nothing but the API server is reached. */
const asker: DnsAsker = {
  ask: async () => ({ kind: 'timeout' }),
  canary: () => ({ ask: async () => ({ kind: 'timeout' }), close: () => undefined }),
}

/** Pods that answer so many queries of others over UDP in a second. */
const counting = (perSecond: Readonly<Record<string, number>>): PodCounters => ({
  udpCounts: async ({ name }) => {
    const count = Math.floor((Number(clock.monoMs()) * (perSecond[name] ?? 0)) / 1_000)
    return { kind: 'counts', counts: { received: count, answered: count } }
  },
})

interface Asked {
  readonly counters: PodCounters
  readonly change?: Partial<DnsObjects>
  readonly node?: string
  readonly isReached?: boolean
  readonly signal?: AbortSignal
}

async function check(t: TestContext, asked: Asked): Promise<DnsCheck> {
  const { counters, change = {}, node, isReached = false, signal = never } = asked
  const { objects } = await dnsWorld(t, 2, change)
  const random = new SeededRandom(1)
  const parts = { objects, asker, loopback, counters, control: { reaches: async () => isReached }, clock, random }
  return checkDns({ ...parts, sought: {}, timeoutMs: 100, ...(node === undefined ? {} : { node }) }, signal)
}

const said = ({ findings }: DnsCheck): readonly string[] =>
  findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)
const seen = ({ scene }: DnsCheck) => scene.pods.map(({ udpSeen }) => udpSeen)

test('all pods answer others over UDP: it is observed, and not waited for longer', async (t) => {
  const checked = await check(t, { counters: counting({ 'coredns-1': 40, 'coredns-2': 40 }) })
  assert.deepEqual(
    [checked.verdict, said(checked), checked.rounds],
    ['observed', ['UdpObserved coredns-1, coredns-2'], 1],
  )
  assert.deepEqual(
    checked.scene.vantages.map(({ name }) => name),
    ['port-forward'],
  )
  assert.match(checked.notes.join('\n'), /here was not used: it reaches neither pods nor Services/)
  for (const one of seen(checked))
    assert.ok(one !== undefined && one.answered > 0 && one.overMs < 5_000, JSON.stringify(one))
})

test('one pod answers none while the other one answers many, in two rounds: it is suspect', async (t) => {
  const checked = await check(t, { counters: counting({ 'coredns-1': 40 }) })
  assert.deepEqual([checked.verdict, checked.rounds], ['degraded', 2])
  assert.deepEqual(said(checked), ['UdpSuspect coredns-2', 'UdpObserved coredns-1', 'NotAsked kube-system/kube-dns'])
  const [, second] = seen(checked)
  assert.ok(second !== undefined && second.overMs >= 5_000 && (second.siblingsMean ?? 0) >= 150, JSON.stringify(second))
})

test('no client asks them: five seconds are waited, and UDP is not verified', async (t) => {
  const checked = await check(t, { counters: counting({}) })
  assert.deepEqual([checked.verdict, checked.rounds], ['unverified', 1])
  assert.deepEqual(said(checked), ['UdpUnseen coredns-1, coredns-2', 'NotAsked kube-system/kube-dns'])
  for (const one of seen(checked)) assert.ok(one?.state === 'idle' && one.overMs >= 5_000, JSON.stringify(one))
})

test('where queries are led unevenly, or caches ask over TCP, no pod is suspect', async (t) => {
  const services = await (await dnsWorld(t)).objects.services(never)
  const uneven = services.map((service) => ({ ...service, isUneven: service.name === 'kube-dns' }))
  const upstream = services.flatMap((one) => (one.name === 'kube-dns' ? [{ ...one, name: 'kube-dns-upstream' }] : []))
  for (const all of [uneven, [...services, ...upstream]]) {
    const checked = await check(t, { counters: counting({ 'coredns-1': 40 }), change: { services: async () => all } })
    assert.deepEqual(said(checked).slice(0, 2), ['UdpObserved coredns-1', 'UdpUnseen coredns-2'])
  }
})

test('a place that is a node and is cut off is named, whatever pods count', async (t) => {
  const checked = await check(t, { counters: counting({ 'coredns-1': 40, 'coredns-2': 40 }), node: 'n1' })
  assert.deepEqual(
    [checked.verdict, said(checked)],
    ['unverified', ['UdpObserved coredns-1, coredns-2', 'VantageCutOff here, n1']],
  )
})

test('where the network of Services is reached no counters are read', async (t) => {
  const checked = await check(t, { counters: { udpCounts: () => assert.fail('read') }, isReached: true })
  assert.equal(checked.verdict, 'bad')
})

test('the port of metrics is that of the pod, else that of the Corefile, else 9153', async (t) => {
  const configMap = async () => ({
    Corefile: '.:53 {\n  kubernetes cluster.local\n  prometheus 127.0.0.1:9253 # own\n}\n',
  })
  const { objects } = await dnsWorld(t)
  const pods = async () =>
    (await objects.pods({ namespace: '', selector: {} }, never)).map((pod, at) =>
      at === 0 ? { ...pod, metricsPort: 9154 } : pod,
    )
  const asked = new Set<string>()
  const counts = counting({ 'coredns-1': 40, 'coredns-2': 40 })
  const at = (from: number): PodCounters => ({
    udpCounts: async (to: CountersAt, signal): Promise<CountersReading> => {
      asked.add(`${to.namespace}/${to.name} ${to.port}`)
      return to.port === from
        ? counts.udpCounts(to, signal)
        : { kind: 'elsewhere', text: `port ${to.port}: its metrics take a credential of their own (HTTP 401)` }
    },
  })
  const change = { configMap, pods }
  assert.equal((await check(t, { counters: at(9253), change })).verdict, 'observed')
  assert.deepEqual([...asked].toSorted(), [
    'kube-system/coredns-1 9154',
    'kube-system/coredns-1 9253',
    'kube-system/coredns-2 9253',
  ])
  assert.equal((await check(t, { counters: at(9153), change })).verdict, 'observed')
  const { verdict, notes } = await check(t, { counters: at(1), change })
  assert.equal(verdict, 'unverified')
  assert.match(
    notes.join('\n'),
    /counters of coredns-2 could not be read: port 9253: its metrics .*; port 9153: its metrics/,
  )
})

test('counters that cannot be read are noted once for all pods, and not tried at another port', async (t) => {
  let asked = 0
  const counters: PodCounters = {
    udpCounts: async () => {
      asked += 1
      return { kind: 'unknown', text: 'no answer' }
    },
  }
  const checked = await check(t, { counters })
  assert.deepEqual(said(checked), ['UdpUnseen coredns-1, coredns-2', 'NotAsked kube-system/kube-dns'])
  assert.equal(asked, 2)
  assert.ok(
    checked.notes.includes('counters of coredns-1, coredns-2 could not be read: no answer'),
    checked.notes.join(),
  )
  assert.ok(checked.tookMs < 5_000, 'there is nothing to wait for')
})

test('a pod that is started anew between the readings, or is not read again, is compared with none', async (t) => {
  const readings = new Map<string, number>()
  const counters: PodCounters = {
    udpCounts: async ({ name }) => {
      const before = readings.get(name) ?? 0
      readings.set(name, before + 1)
      if (name === 'coredns-2' && before > 0) return { kind: 'unknown', text: 'it is gone' }
      const count = before === 0 ? 1_000 : 3
      return { kind: 'counts', counts: { received: count, answered: count } }
    },
  }
  const checked = await check(t, { counters })
  assert.deepEqual(seen(checked), [undefined, undefined])
  assert.deepEqual(said(checked), ['UdpUnseen coredns-1, coredns-2', 'NotAsked kube-system/kube-dns'])
  assert.ok(checked.notes.includes('counters of coredns-2 could not be read: it is gone'), checked.notes.join())
})

test('a check that is given up while it waits ends at once', async (t) => {
  const stop = new AbortController()
  let read = 0
  const idle = counting({})
  const counters: PodCounters = {
    udpCounts: (at, signal) => {
      read += 1
      if (read === 3) setImmediate(() => stop.abort(new Error('enough')))
      return idle.udpCounts(at, signal)
    },
  }
  await assert.rejects(check(t, { counters, signal: stop.signal }), { message: 'enough' })
  assert.ok(read <= 4, `${read} readings`)
})
