import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SERVICES } from '../../../src/sim/world/api-resource.ts'
import { readManifests, shipped } from '../../support/agent-chart.ts'
import { ControllerPlace, leaderOf, until } from '../../support/controller/controller-place.ts'
import { dnsInWorld } from '../../support/dns/dns-in-world.ts'
import { grantedBy } from '../../support/granted-rights.ts'
import { isGranted } from '../../support/requested-rights.ts'
import { evenkeel } from '../evenkeel-process.ts'

const KUBE_DNS = { namespace: 'kube-system', name: 'kube-dns' }

/** As the chart gives them with dns.enabled, which its own test shows. */
const GRANTED = [
  ...grantedBy(readManifests(shipped('evenkeel.yaml')).filter(({ metadata }) => !metadata.name.includes('ingress'))),
  ...grantedBy(readManifests(shipped('dns-rbac.yaml'))).filter((right) => !right.includes(' namespaces ')),
  ...['patch  services/status kube-system *', 'create  events kube-system *'],
]

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
}

/** `evenkeel.dev/DNSHealthy False UdpDead`, of the Service of DNS. */
const conditionsIn = ({ world }: ControllerPlace): readonly string[] => {
  const { conditions = [] } = (world.store.get(SERVICES, KUBE_DNS)?.status ?? {}) as Status
  return conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)
}

test('the leader of two controllers says of the Service that a pod is dead over UDP, by a condition, an Event and its page', async (t) => {
  const place = await ControllerPlace.of(t, 2)
  const [, second] = await dnsInWorld(t, place.world)
  second?.stopUdp()
  const words = ['--dns', '--dns-interval', '5s', '--node-name', 'n1']
  const controllers = [await place.controller(...words), await place.controller(...words)]
  const ill = ['evenkeel.dev/DNSHealthy False UdpDead']
  await until('the condition', () => conditionsIn(place).join() === ill.join(), 30_000)
  const told = () => place.events().filter((event) => event.startsWith('kube-dns'))
  await until('the Event', () => told().length === 1)
  assert.match(told()[0] ?? '', /^kube-dns: UdpDead: Pod coredns-2: the pod answers over TCP but not over UDP\./)
  const leader = await leaderOf(controllers)
  const standby = controllers.find((controller) => controller !== leader)
  const { dns } = await leader.health()
  assert.deepEqual([dns?.health?.reason, dns?.repair, dns?.state === 'standby'], ['UdpDead', null, false])
  assert.match(await leader.page('/metrics'), /^evenkeel_dns_finding\{code="UdpDead",subject="pod\/coredns-2"\} 1$/m)
  const { state, checks } = (await standby?.health())?.dns ?? {}
  assert.deepEqual([state, checks], ['standby', 0])
  assert.equal(await leader.end('SIGTERM'), 0)
  assert.ok(standby)
  await leaderOf([standby])
  await until(
    'the next leader to check',
    async () => (await standby.health()).dns?.health?.reason === 'UdpDead',
    30_000,
  )
  // It is there already.
  assert.equal(told().length, 1)
  assert.ok(place.needed.has('patch  services/status kube-system kube-dns'))
  assert.deepEqual(
    [...place.needed].filter((right) => !isGranted(right, GRANTED)),
    [],
  )
})

test('a cluster without a Service of DNS is said to be one, and the controller goes on', async (t) => {
  const place = await ControllerPlace.of(t, 2)
  const controller = await place.controller('--dns', '--dns-interval', '5s')
  await until('the trouble to be told', async () => (await controller.health()).trouble.length > 0, 30_000)
  const why = 'no Service of this cluster looks like its DNS: none has a UDP port for DNS'
  assert.deepEqual((await controller.health()).trouble, [why])
  await until('grants', () => place.grants() !== undefined)
  await dnsInWorld(t, place.world)
  await until('the condition', () => conditionsIn(place).length > 0, 30_000)
  assert.equal(controller.said.filter((line) => line.includes(why)).length, 1)
})

test('options of DNS without what they take end with exit code 2', async () => {
  const wrong = await evenkeel('controller', '--namespace', 'edge', '--dns', '--dns-repair')
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /^error: --dns-repair needs --dns-image/)
})
