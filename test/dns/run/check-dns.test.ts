import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { decode } from 'dns-packet'
import { queryMessage, readReply } from '../../../src/dns/io/message.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsOutcome } from '../../../src/dns/model/dns.ts'
import type { DnsAsker } from '../../../src/dns/ports/dns-asker.ts'
import type { DnsObjects } from '../../../src/dns/ports/dns-objects.ts'
import type { PodLoopback } from '../../../src/dns/ports/pod-loopback.ts'
import { checkDns, type DnsCheck } from '../../../src/dns/run/check-dns.ts'
import type { Sought } from '../../../src/dns/run/deployment.ts'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { answerOf, type DnsWorld, dnsWorld, likeCoreDns } from '../../support/dns/dns-world.ts'
import { reply } from '../../support/dns/fake-dns-server.ts'
import { userError } from '../../support/plain.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const never = new AbortController().signal

interface Asked {
  readonly sought?: Sought
  readonly isReached?: boolean | (() => Promise<boolean>)
  readonly asker?: DnsAsker
  readonly loopback?: PodLoopback
}

const NO_WAY: PodLoopback = { ask: async () => ({ kind: 'notAsked', text: 'get pods/portforward: forbidden' }) }

const check = (
  { objects }: Pick<DnsWorld, 'objects'>,
  { sought = {}, isReached = true, asker = new SocketAsker(systemClock, systemRandom), loopback = NO_WAY }: Asked = {},
): Promise<DnsCheck> =>
  checkDns(
    {
      objects,
      asker,
      loopback,
      control: { reaches: typeof isReached === 'function' ? isReached : async () => isReached },
      clock: systemClock,
      random: new SeededRandom(1),
      sought,
      timeoutMs: 100,
    },
    never,
  )

const said = ({ findings }: DnsCheck): readonly string[] =>
  findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)

test('a cluster whose DNS is healthy is asked in one round, on every path', async (t) => {
  const world = await dnsWorld(t)
  const checked = await check(world, { sought: { outside: 'example.com' } })
  assert.deepEqual([checked.verdict, said(checked), checked.rounds], ['ok', ['Healthy dns'], 1])
  assert.deepEqual(
    checked.scene.paths.map(({ target, reading: { udp, tcp, data, upstream } }) => [
      target.name,
      udp,
      tcp,
      data,
      upstream,
    ]),
    [
      ['coredns-1', 'answers', 'answers', 'right', 'answers'],
      ['coredns-2', 'answers', 'answers', 'right', 'answers'],
      ['127.0.0.1', 'answers', 'answers', 'right', 'answers'],
    ],
  )
  assert.equal(checked.queries, [...world.pods, world.service].flatMap(({ asked }) => asked).length + 2)
  assert.ok(checked.queries < 240, `${checked.queries} queries`)
})

test('UDP of one pod is dead and its TCP alive: that pod is named, after a second round', async (t) => {
  const world = await dnsWorld(t)
  world.pods[1]?.stopUdp()
  const checked = await check(world)
  assert.deepEqual([checked.verdict, said(checked), checked.rounds], ['bad', ['UdpDead coredns-2'], 2])
  assert.match(
    checked.findings[0]?.evidence[0] ?? '',
    /^here → coredns-2: UDP 0 of 6 answered \(no answer\); TCP answers/,
  )
})

describe('a pod is silent over UDP and TCP', () => {
  const neighbour = { uid: 'other', address: '127.0.0.9' }
  async function world(t: TestContext, change: Partial<DnsObjects>): Promise<DnsWorld> {
    const made = await dnsWorld(t, 2, change)
    made.pods[1]?.stop()
    return made
  }

  test('another pod of its node is reached, where nothing listens: the pod’s own network is dead', async (t) => {
    const checked = await check(await world(t, { addressesOfPodsOn: async () => [neighbour] }))
    assert.deepEqual(said(checked), ['PodNetworkDead coredns-2'])
    assert.ok(checked.findings[0]?.evidence.includes('other pods of n2 are reached'), JSON.stringify(checked.findings))
  })

  const sockets = new SocketAsker(systemClock, systemRandom)
  /** From where these addresses are silent. `asked`: which of them were asked, and over what. */
  const without = (addresses: readonly string[], asked: string[] = []): DnsAsker => ({
    ask: async (query, signal) => {
      if (!addresses.includes(query.at.address)) return sockets.ask(query, signal)
      asked.push(`${query.at.address} ${query.over}`)
      return { kind: 'timeout' }
    },
    canary: (at) => sockets.canary(at),
  })
  const elsewhere = { uid: 'elsewhere', address: '127.0.0.8' }
  const siblings = [
    { uid: 'uid-1', address: '127.0.0.1' },
    { uid: 'uid-2', address: '127.0.0.1' },
  ]
  const addressesOfPodsOn = async (node: string) => (node === 'n2' ? [...siblings, neighbour] : [elsewhere])

  test('no other pod of its node is reached, and those of another node are: the node’s network is dead', async (t) => {
    const asked: string[] = []
    const asker = without([neighbour.address], asked)
    const checked = await check(await world(t, { addressesOfPodsOn }), { asker })
    assert.deepEqual(said(checked), ['NodeNetworkDead coredns-2, n2'])
    assert.deepEqual(asked, Array(2).fill(`${neighbour.address} tcp`), 'pods of DNS are no neighbours')
  })

  test('policies keep everybody from other pods, on each node: that blames no node', async (t) => {
    const asker = without([neighbour.address, elsewhere.address])
    const checked = await check(await world(t, { addressesOfPodsOn }), { asker })
    assert.deepEqual(said(checked), ['PodNetworkDead coredns-2'])
  })

  test('another pod of DNS answers on its node: the node’s network works, whoever else is silent there', async (t) => {
    const made = await dnsWorld(t, 3, { addressesOfPodsOn })
    made.pods[1]?.stop()
    const pods: DnsObjects['pods'] = async (...of) =>
      (await made.objects.pods(...of)).map((pod, at) => (at === 2 ? { ...pod, node: 'n2' } : pod))
    const asker = without([neighbour.address])
    const checked = await check({ objects: { ...made.objects, pods } }, { asker })
    assert.deepEqual(said(checked), ['PodNetworkDead coredns-2'])
    assert.ok(checked.findings[0]?.evidence.includes('other pods of n2 are reached'))
  })

  test('a place without IPv6 could not ask one of its addresses: it is silent all the same, and is asked around', async (t) => {
    const [v6, ofService] = ['fd01::2', 'fd00::a']
    const made = await world(t, { addressesOfPodsOn })
    const pods: DnsObjects['pods'] = async (...of) =>
      (await made.objects.pods(...of)).map((pod, at) =>
        at === 1 ? { ...pod, addresses: [...pod.addresses, v6] } : pod,
      )
    const services: DnsObjects['services'] = async (...of) =>
      (await made.objects.services(...of)).map((one) =>
        one.name === 'kube-dns' ? { ...one, addresses: [...one.addresses, ofService] } : one,
      )
    const alone = without([neighbour.address])
    const asker: DnsAsker = {
      ...alone,
      ask: async (query, signal) => {
        if (query.at.address !== v6 && query.at.address !== ofService) return alone.ask(query, signal)
        return query.over === 'udp'
          ? { kind: 'notAsked', text: 'there is no route from here' }
          : { kind: 'unreachable', text: 'ENETUNREACH' }
      },
    }
    const checked = await check({ objects: { ...made.objects, services, pods } }, { asker })
    assert.deepEqual(said(checked), ['NodeNetworkDead coredns-2, n2'])
  })

  test('it is silent on its own loopback as well: its process hangs; it answers there: its network is dead', async (t) => {
    const made = await world(t, { addressesOfPodsOn: async () => [neighbour] })
    const asked: string[] = []
    const says = (outcome: DnsOutcome): PodLoopback => ({
      ask: async ({ pod }) => {
        asked.push(`${pod.namespace}/${pod.name}`)
        return outcome
      },
    })
    const hung = await check(made, { loopback: says({ kind: 'timeout' }) })
    assert.deepEqual([said(hung), asked], [['ProcessHung coredns-2'], Array(2).fill('kube-system/coredns-2')])
    const alive = await check(made, { loopback: says({ kind: 'mismatch', what: 'id', count: 1 }) })
    assert.deepEqual(said(alive), ['PodNetworkDead coredns-2'])
    assert.ok(alive.findings[0]?.evidence.includes('on its own loopback it answers'))
    const { notes } = await check(made)
    assert.match(notes.join('\n'), /whether coredns-2 answers on its own loopback is not known: get pods\/portforward/)
  })

  test('pods of the node cannot be listed: it is noted, and no node is blamed', async (t) => {
    const addressesOfPodsOn = (): Promise<never> =>
      Promise.reject(new WorldError('list pods: forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' }))
    const checked = await check(await world(t, { addressesOfPodsOn }))
    assert.deepEqual(said(checked), ['PodNetworkDead coredns-2'])
    assert.match(checked.notes.join('\n'), /other pods of n2 are reached is not known: list pods: forbidden/)
  })

  test('the node of the other pod is down: it alone is left, and is asked around', async (t) => {
    const nodes = async () => ['n1', 'n2'].map((name) => ({ name, ready: name === 'n2', addresses: [] }))
    const made = await world(t, { nodes })
    made.pods[0]?.stop()
    const hung: PodLoopback = { ask: async () => ({ kind: 'timeout' }) }
    assert.deepEqual(said(await check(made, { loopback: hung })), ['NodeDown coredns-1, n1', 'ProcessHung coredns-2'])
  })

  test('all pods are silent: nothing around them is asked', async (t) => {
    const made = await world(t, { addressesOfPodsOn: () => assert.fail('asked') })
    for (const pod of made.pods) pod.stop()
    assert.deepEqual(said(await check(made)), ['AllPodsSilent dns, here'])
  })
})

test('what one round alone lost is not reported', async (t) => {
  const world = await dnsWorld(t)
  const [pod] = world.pods
  assert.ok(pod !== undefined)
  let dropped = 0
  pod.answering = (query) => {
    dropped += 1
    return dropped <= 3 ? [] : likeCoreDns(query)
  }
  const checked = await check(world)
  assert.deepEqual([checked.verdict, checked.rounds], ['ok', 2])
})

test('a pod that does not know a new Service is named, and all of them are not', async (t) => {
  const stale = (query: Buffer) =>
    query.includes('cart') ? [{ bytes: reply(query, { rcode: 3 }) }] : likeCoreDns(query)
  const one = await dnsWorld(t)
  if (one.pods[0] !== undefined) one.pods[0].answering = stale
  assert.deepEqual(said(await check(one)), ['DataStale coredns-1'])
  const all = await dnsWorld(t)
  for (const pod of [...all.pods, all.service]) pod.answering = stale
  assert.deepEqual(said(await check(all)), ['DataStaleEverywhere coredns-1, coredns-2'])
})

for (const directive of ['namespaces shop', 'labels team in (shop)', 'namespace_labels team=shop'])
  test(`a Corefile with "${directive}" hides the API server: that its name is not known is no fault`, async (t) => {
    const Corefile = `.:53 {\n  kubernetes cluster.local in-addr.arpa {\n    ${directive}\n  }\n}\n`
    const world = await dnsWorld(t, 2, { configMap: async () => ({ Corefile }) })
    const hides = (query: Buffer) =>
      decode(query).questions?.[0]?.name.startsWith('kubernetes.default')
        ? [{ bytes: reply(query, { rcode: 3 }) }]
        : likeCoreDns(query)
    for (const server of [world.service, ...world.pods]) server.answering = hides
    const checked = await check(world)
    assert.deepEqual([checked.verdict, said(checked), checked.rounds], ['ok', ['Healthy dns'], 1])
  })

test('DNS refuses the only place that asks: nothing is called bad, and it is said where to ask', async (t) => {
  const world = await dnsWorld(t)
  for (const server of [world.service, ...world.pods])
    server.answering = (query) => [{ bytes: reply(query, { rcode: 5 }) }]
  const checked = await check(world, { sought: { outside: 'example.com' } })
  assert.deepEqual([checked.verdict, said(checked)], ['unverified', ['PlaceRefused here']])
})

test('replies of the Service that come from elsewhere are seen', async (t) => {
  const world = await dnsWorld(t)
  world.service.answering = (query) => likeCoreDns(query).map((reply) => ({ ...reply, fromElsewhere: true }))
  const checked = await check(world)
  assert.deepEqual(said(checked), ['ReplyFromElsewhere here'])
})

test('replies of a pod that come from elsewhere are no reason to replace it', async (t) => {
  const world = await dnsWorld(t)
  const [pod] = world.pods
  assert.ok(pod !== undefined)
  pod.answering = (query) => likeCoreDns(query).map((reply) => ({ ...reply, fromElsewhere: true }))
  pod.answeringTcp = likeCoreDns
  assert.deepEqual(said(await check(world)), ['ReplyFromElsewhere coredns-1, n1'])
})

describe('servers limit their replies over UDP to truncated ones', () => {
  const TRUNCATED = 0x600
  const limited = (query: Buffer) => [{ bytes: reply(query, { flags: TRUNCATED }) }]

  test('they answer rightly over TCP: nothing is wrong', async (t) => {
    const world = await dnsWorld(t)
    for (const server of [world.service, ...world.pods])
      Object.assign(server, { answering: limited, answeringTcp: likeCoreDns })
    const checked = await check(world, { sought: { outside: 'example.com' } })
    assert.deepEqual([checked.verdict, said(checked), checked.rounds], ['ok', ['Healthy dns'], 1])
  })

  test('one of them knows old data alone, as it says over TCP: it is named', async (t) => {
    const world = await dnsWorld(t)
    for (const server of [world.service, ...world.pods])
      Object.assign(server, { answering: limited, answeringTcp: likeCoreDns })
    const [pod] = world.pods
    assert.ok(pod !== undefined)
    pod.answeringTcp = (query) =>
      query.includes('cart') ? [{ bytes: reply(query, { rcode: 3 }) }] : likeCoreDns(query)
    assert.deepEqual(said(await check(world)), ['DataStale coredns-1'])
  })

  test('the zone is read from a reply over TCP', async (t) => {
    const world = await dnsWorld(t, 2, { configMap: async () => undefined })
    for (const server of [world.service, ...world.pods])
      Object.assign(server, { answering: limited, answeringTcp: (query: Buffer) => answerOf(query, 'k8s.example') })
    const checked = await check(world)
    assert.deepEqual([said(checked), checked.askedZone.zone], [['Healthy dns'], 'k8s.example'])
  })
})

describe('one of two pods is dead over UDP', () => {
  async function world(t: TestContext): Promise<DnsWorld> {
    const made = await dnsWorld(t)
    made.pods[1]?.stopUdp()
    return made
  }

  test('the first three queries to the Service met it: it alone is named', async (t) => {
    const made = await world(t)
    let asked = 0
    made.service.answering = (query) => {
      asked += 1
      return (asked - 1) % 7 < 3 ? [] : likeCoreDns(query)
    }
    assert.deepEqual(said(await check(made)), ['UdpDead coredns-2'])
  })

  test('the Service answers no query at all: that is a fault of its own', async (t) => {
    const made = await world(t)
    made.service.stopUdp()
    assert.deepEqual(said(await check(made)), ['UdpDead coredns-2', 'ProxyStale here'])
  })
})

test('a place that does not reach the network of Services says nothing of DNS', async (t) => {
  const world = await dnsWorld(t)
  for (const server of [...world.pods, world.service]) server.stop()
  const checked = await check(world, { isReached: false })
  assert.deepEqual([checked.verdict, said(checked)], ['unverified', ['VantageCutOff here']])
})

test('a control that fails once is asked again: one of several API servers may be down', async (t) => {
  let asked = 0
  const isReached = async (): Promise<boolean> => {
    asked += 1
    return asked > 1
  }
  assert.deepEqual(said(await check(await dnsWorld(t), { isReached })), ['Healthy dns'])
  assert.equal(asked, 2)
})

describe('a place that reaches the API server alone', () => {
  async function world(t: TestContext): Promise<DnsWorld> {
    const made = await dnsWorld(t)
    for (const server of [...made.pods, made.service]) server.stop()
    return made
  }

  /** What pods say on their own loopbacks. */
  const inside = (answer: (name: string, query: Buffer) => Buffer | undefined): PodLoopback => ({
    ask: async ({ pod, question }) => {
      const message = queryMessage(question, 7)
      const bytes = answer(pod.name, message.bytes)
      const read = bytes === undefined ? 'format' : readReply(bytes, message)
      return typeof read === 'string' ? { kind: 'timeout' } : { kind: 'reply', reply: read, afterMs: 1 }
    },
  })
  const right = (query: Buffer): Buffer | undefined => likeCoreDns(query)[0]?.bytes

  test('pods answer rightly on their loopbacks: UDP is not verified, and nothing is called well or bad', async (t) => {
    const loopback = inside((_, query) => right(query))
    const checked = await check(await world(t), { isReached: false, loopback })
    assert.deepEqual(said(checked), ['UdpUnseen coredns-1, coredns-2', 'NotAsked kube-system/kube-dns'])
    assert.equal(checked.verdict, 'unverified')
    assert.match(checked.notes.join('\n'), /here was not used: it reaches neither pods nor Services/)
  })

  test('a network that answers all DNS in place of the pods is not taken for them', async (t) => {
    const made = await dnsWorld(t)
    for (const server of [...made.pods, made.service]) {
      server.answering = (query) => [{ bytes: reply(query, { rcode: 3, flags: 0x83 }) }]
      server.answeringTcp = () => []
    }
    const checked = await check(made, { isReached: false, loopback: inside((_, query) => right(query)) })
    assert.deepEqual(said(checked), ['UdpUnseen coredns-1, coredns-2', 'NotAsked kube-system/kube-dns'])
    assert.match(checked.notes.join('\n'), /here was not used: it reaches neither pods nor Services/)
  })

  test('a process that is silent on its loopback and a pod that knows old data alone are named', async (t) => {
    const hung = inside((name, query) => (name === 'coredns-2' ? undefined : right(query)))
    const one = await check(await world(t), { isReached: false, loopback: hung })
    assert.deepEqual(said(one).slice(0, 2), ['ProcessHung coredns-2', 'UdpUnseen coredns-1'])
    const old = inside((name, query) =>
      name === 'coredns-1' && query.includes('cart') ? reply(query, { rcode: 3 }) : right(query),
    )
    const two = await check(await world(t), { isReached: false, loopback: old })
    assert.deepEqual([two.verdict, said(two).slice(0, 2)], ['bad', ['UdpUnseen coredns-2', 'DataStale coredns-1']])
  })

  test('the right to forward ports is taken away between two pods: what was asked counts, and the right is named', async (t) => {
    const loopback: PodLoopback = {
      ask: (query, signal) =>
        query.pod.name === 'coredns-1'
          ? inside((_, bytes) => right(bytes)).ask(query, signal)
          : NO_WAY.ask(query, signal),
    }
    const checked = await check(await world(t), { isReached: false, loopback })
    assert.deepEqual(said(checked), ['UdpUnseen coredns-1', 'NotAsked coredns-2, kube-system/kube-dns'])
    assert.equal(checked.verdict, 'unverified')
    assert.ok(checked.notes.includes('port-forward was not used: get pods/portforward: forbidden'))
  })

  test('it may not forward ports: it is said why, and the verdict stays as it was', async (t) => {
    const checked = await check(await world(t), { isReached: false })
    assert.deepEqual([checked.verdict, said(checked)], ['unverified', ['VantageCutOff here']])
    assert.match(checked.notes.join('\n'), /port-forward was not used: get pods\/portforward: forbidden/)
  })
})

test('a place that reaches pods and not Services judges pods alone', async (t) => {
  const world = await dnsWorld(t)
  world.service.stop()
  const checked = await check(world, { isReached: false })
  assert.deepEqual([checked.verdict, said(checked)], ['unverified', ['NotAsked kube-system/kube-dns']])
  assert.match(checked.notes.join('\n'), /here reaches pods but no Services/)
  world.pods[0]?.stopUdp()
  assert.deepEqual(said(await check(world, { isReached: false })), [
    'UdpDead coredns-1',
    'NotAsked kube-system/kube-dns',
  ])
})

test('no Service, no rights and an API that is away are distinguished, with what to do', async (t) => {
  const refuse = (code: string): Partial<DnsObjects> => ({
    services: () => Promise.reject(new WorldError(`list services: ${code}`, { code, retry: 'backoff' })),
  })
  const none = await dnsWorld(t, 1, { services: async () => [] })
  await assert.rejects(check(none), userError('dns.no-service', /^no Service/, /--service/))
  await assert.rejects(check(none, { sought: { service: { namespace: 'a', name: 'b' } } }), {
    message: 'there is no Service a/b',
    code: 'dns.no-service',
  })
  await assert.rejects(
    check(await dnsWorld(t, 1, refuse('KUBE_FORBIDDEN'))),
    userError('dns.forbidden', /^this identity is not allowed to list services$/, /dns-rbac\.yaml/),
  )
  await assert.rejects(check(await dnsWorld(t, 1, refuse('KUBE_UNREACHABLE'))), { name: 'WorldError' })
})

test('rights that are missing for less are reported, and the check goes on', async (t) => {
  const forbidden = (): Promise<never> =>
    Promise.reject(new WorldError('get configmaps: forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' }))
  const world = await dnsWorld(t, 2, { configMap: forbidden, nodes: forbidden })
  const checked = await check(world)
  assert.equal(checked.verdict, 'ok')
  assert.match(checked.notes.join('\n'), /zone cluster\.local: DNS answers so for the cluster IP of the API/)
  assert.match(checked.notes.join('\n'), /nodes could not be read/)
})

test('without the right to the Corefile, an answer of another server is no fault: the zone may fall through', async (t) => {
  const configMap = (): Promise<never> =>
    Promise.reject(new WorldError('get configmaps: forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' }))
  const world = await dnsWorld(t, 2, { configMap })
  for (const server of [...world.pods, world.service])
    server.answering = (query) => {
      const [name = ''] = decode(query).questions?.map((question) => question.name) ?? []
      return name.startsWith('evenkeel-') ? [{ bytes: reply(query, { rcode: 3, flags: 3 }) }] : likeCoreDns(query)
    }
  const checked = await check(world)
  assert.deepEqual([checked.verdict, said(checked)], ['ok', ['Healthy dns']])
})

test('an API server that does not answer for a moment ends a check: a Corefile that was not read may hide what is asked for', async (t) => {
  const away = (): Promise<never> =>
    Promise.reject(new WorldError('the API server cannot be reached', { code: 'KUBE_UNREACHABLE', retry: 'backoff' }))
  for (const what of ['configMap', 'nodes'] as const)
    await assert.rejects(check(await dnsWorld(t, 2, { [what]: away })), { code: 'KUBE_UNREACHABLE' }, what)
})

test('the Service of DNS has lost its UDP port: the Service is named, whatever else has such a port', async (t) => {
  const world = await dnsWorld(t)
  const other = { namespace: 'games', name: 'server', createdAt: '2026-01-01T00:00:00Z', addresses: ['10.96.0.99'] }
  const ports = [{ name: 'dns', protocol: 'UDP', port: 53 }]
  const services: DnsObjects['services'] = async (signal) => [
    { ...other, ports, outsideAddresses: [], isUneven: false, selector: { app: 'game' } },
    ...(await world.objects.services(signal)).map((one) =>
      one.name === 'kube-dns' ? { ...one, ports: [{ name: 'dns-tcp', protocol: 'TCP', port: 53 }] } : one,
    ),
  ]
  const checked = await check({ objects: { ...world.objects, services } })
  assert.deepEqual([checked.verdict, said(checked)], ['bad', ['ServiceWrong kube-system/kube-dns']])
})
