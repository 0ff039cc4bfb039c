import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import type { DnsRelays } from '../../../src/dns/ports/dns-relays.ts'
import { type CheckParts, type DnsCheck, DnsChecks } from '../../../src/dns/run/check-dns.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { dnsWorld, likeCoreDns } from '../../support/dns/dns-world.ts'
import { reply } from '../../support/dns/fake-dns-server.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const never = new AbortController().signal
const asker = new SocketAsker(clock, systemRandom)

const checksOf = (objects: DnsObjects, change: Partial<CheckParts> = {}): DnsChecks =>
  new DnsChecks({
    objects,
    asker,
    loopback: { ask: async () => ({ kind: 'notAsked', text: 'forbidden' }) },
    control: { reaches: async () => true },
    clock,
    random: new SeededRandom(1),
    sought: {},
    timeoutMs: 100,
    ...change,
  })

const check = (objects: DnsObjects): Promise<DnsCheck> => checksOf(objects).next({}, never)

const said = ({ findings }: DnsCheck): readonly string[] =>
  findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)

/** The API as it is at first, and from the second list on. */
function then(objects: DnsObjects, change: Partial<DnsObjects>): DnsObjects & { readonly lists: () => number } {
  let lists = 0
  const now = (): DnsObjects => (lists > 1 ? { ...objects, ...change } : objects)
  return {
    ...objects,
    services: (signal) => {
      lists += 1
      return now().services(signal)
    },
    pods: (at, signal) => now().pods(at, signal),
    endpoints: (service, signal) => now().endpoints(service, signal),
    lists: () => lists,
  }
}

/** Without the second pod and its endpoint. */
const scaledDown = (objects: DnsObjects): Partial<DnsObjects> => ({
  pods: async (at, signal) => (await objects.pods(at, signal)).slice(0, 1),
  endpoints: async (service, signal) => (await objects.endpoints(service, signal)).slice(0, 1),
})

test('a pod that went away while relays were opened is not asked', async (t) => {
  const world = await dnsWorld(t)
  const objects = then(world.objects, scaledDown(world.objects))
  const relays: DnsRelays = {
    open: async ([node = '']) => {
      world.pods[1]?.stop()
      const relay = { name: 'relay', node, asker, control: { reaches: async () => true }, isOpen: () => true }
      return { relays: [relay], notes: [], isLacking: false, close: async () => [] }
    },
  }
  const checks = checksOf(objects, { relays: [relays] })
  const checked = await checks.next({}, never)
  assert.deepEqual([checked.verdict, said(checked), checked.rounds], ['ok', ['Healthy dns'], 1])
  assert.equal(checked.scene.service.serving, 1)
  assert.equal(objects.lists(), 2)
  await checks.next({}, never)
  assert.equal(objects.lists(), 3, 'with relays that are open already it is listed once')
  await checks.close()
})

test('a check without relays that is well lists once', async (t) => {
  const world = await dnsWorld(t)
  const objects = then(world.objects, {})
  await check(objects)
  assert.equal(objects.lists(), 1)
})

test('what took long to find out from where to ask lists again', async (t) => {
  const world = await dnsWorld(t)
  const objects = then(world.objects, scaledDown(world.objects))
  let lateMs = 0
  const slow = { ...clock, monoMs: () => monoMs(clock.monoMs() + lateMs) }
  const reaches = async (): Promise<boolean> => {
    lateMs = 2_500
    return true
  }
  const { scene } = await checksOf(objects, { clock: slow, control: { reaches } }).next({}, never)
  assert.deepEqual(
    scene.pods.map(({ name }) => name),
    ['coredns-1'],
  )
})

test('a pod that is gone when the second round asks is not held against DNS', async (t) => {
  const world = await dnsWorld(t)
  world.pods[1]?.stop()
  const checked = await check(then(world.objects, scaledDown(world.objects)))
  assert.deepEqual([checked.verdict, said(checked), checked.rounds], ['ok', ['Healthy dns'], 2])
})

test('a new Service that is deleted before the second round is not held against DNS', async (t) => {
  const world = await dnsWorld(t)
  for (const server of [...world.pods, world.service])
    server.answering = (query) =>
      query.includes('cart') ? [{ bytes: reply(query, { rcode: 3 }) }] : likeCoreDns(query)
  const services: DnsObjects['services'] = async (signal) =>
    (await world.objects.services(signal)).flatMap((one) =>
      one.name === 'cart' ? [] : one.name === 'kubernetes' ? [{ ...one, createdAt: '2026-01-02T00:00:00Z' }] : [one],
    )
  const checked = await check(then(world.objects, { services }))
  assert.deepEqual([checked.verdict, checked.rounds], ['ok', 2])
  assert.equal(checked.askedZone.newest?.name, 'kubernetes')
})

test('of a pod that started between the rounds one round says nothing, and it is noted', async (t) => {
  const world = await dnsWorld(t, 3)
  for (const pod of world.pods.slice(1)) pod.stop()
  const without = (gone: string): Partial<DnsObjects> => ({
    pods: async (at, signal) => (await world.objects.pods(at, signal)).filter(({ name }) => name !== gone),
  })
  const first = { ...world.objects, ...without('coredns-3') }
  const checked = await check(then(first, without('coredns-2')))
  assert.deepEqual(said(checked), ['Healthy dns'])
  assert.ok(checked.notes.includes('the next check asks coredns-3, which started meanwhile'))
})

test('where every pod was replaced between the rounds, the new ones are asked', async (t) => {
  const world = await dnsWorld(t)
  world.pods[0]?.stop()
  const only = (name: string): Partial<DnsObjects> => ({
    pods: async (at, signal) => (await world.objects.pods(at, signal)).filter((pod) => pod.name === name),
  })
  const { scene } = await check(then({ ...world.objects, ...only('coredns-1') }, only('coredns-2')))
  assert.deepEqual(
    scene.paths.flatMap(({ target }) => (target.kind === 'pod' ? [target.name] : [])),
    ['coredns-2'],
  )
})

test('where DNS cannot be listed again, what was listed first is asked again, and it is noted', async (t) => {
  const world = await dnsWorld(t)
  world.pods[1]?.stopUdp()
  const services = (): Promise<never> =>
    Promise.reject(new WorldError('list services: HTTP 503', { code: 'KUBE_SERVER', retry: 'backoff' }))
  const checked = await check(then(world.objects, { services }))
  assert.deepEqual([said(checked), checked.rounds], [['UdpDead coredns-2'], 2])
  assert.match(checked.notes.join('\n'), /DNS could not be listed again, .*: list services: HTTP 503/)
})

test('a zone that DNS itself named is kept when DNS is listed again', async (t) => {
  const world = await dnsWorld(t)
  world.pods[1]?.stopUdp()
  const objects = { ...world.objects, configMap: async () => undefined }
  const { askedZone, notes, isZoneAssumed } = await check(objects)
  assert.deepEqual([askedZone.zone, isZoneAssumed], ['cluster.local', undefined])
  assert.equal(notes.filter((note) => note.startsWith('zone cluster.local: DNS answers so')).length, 1)
})
