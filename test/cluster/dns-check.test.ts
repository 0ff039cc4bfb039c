import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { nodePodRange, podRange } from '../../testbed/addresses.ts'
import { cacheRows } from '../support/dns/cache-rows.ts'
import { controllerRows } from '../support/dns/controller-rows.ts'
import { countersRows } from '../support/dns/counters-rows.ts'
import {
  DNS_RBAC,
  DnsBed,
  drop,
  EPHEMERAL_RBAC,
  EXEC_RBAC,
  REPAIR_RBAC,
  REPLIES,
  readinessOf,
  toPod,
  WELL,
} from '../support/dns/dns-bed.ts'
import { relayRows } from '../support/dns/relay-rows.ts'
import { repairRows } from '../support/dns/repair-rows.ts'
import { scenarioRows } from '../support/dns/scenario-rows.ts'
import { vantageRows } from '../support/dns/vantage-rows.ts'
import { wiringRows } from '../support/dns/wiring-rows.ts'
import { grantedBy, type RbacManifest } from '../support/granted-rights.ts'
import { requires } from '../support/requires.ts'
import { atNight, isNight } from '../support/roll-bed/at-night.ts'

const IDENTITY = 'system:serviceaccount:evenkeel:evenkeel-dns'

const resourceOf = ({ resource, subresource }: { readonly resource: string; readonly subresource?: string }): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`

const grantedTo = (rbac: string): Set<string> =>
  new Set(
    grantedBy(parseAllDocuments(rbac).map((document) => document.toJS() as RbacManifest))
      .map((right) => right.split(' '))
      .map(([verb, , resource]) => `${verb} ${resource}`),
  )

describe('DNS of a real cluster, asked from a node', {
  ...requires('testbed', 'strip'),
  timeout: isNight ? 2_400_000 : 900_000,
}, () => {
  let dns: DnsBed
  before(async () => {
    dns = await DnsBed.open()
  })
  after(() => dns?.bed.close())

  test('is ok, with the rights that are shipped', async () => {
    const { code, verdict } = await dns.says(WELL)
    assert.deepEqual([code, verdict], [0, 'ok'])
  })

  test('row 2: UDP to one pod is dropped and TCP is not', async () => {
    const { name, address } = await dns.podOn('n2')
    await dns.filtered('n2', [toPod(address, 'udp', 53)], async () => {
      const { code } = await dns.says(new RegExp(`^UdpDead ${name}$`))
      assert.equal(code, 1)
    })
  })

  test('row 3: nothing reaches one pod, and other pods of its node are reached', async () => {
    const { name, address } = await dns.podOn('n2')
    await dns.filtered('n2', [drop('FORWARD', '-d', address)], async () => {
      const { findings, notes } = await dns.says(new RegExp(`^PodNetworkDead ${name}$`))
      const { evidence = [] } = findings[0] ?? {}
      assert.ok(evidence.includes('other pods of n2 are reached'), JSON.stringify(findings))
      assert.ok(evidence.includes('on its own loopback it answers'), JSON.stringify({ evidence, notes }))
    })
  })

  atNight('row 5: the process of one pod stands still', {}, async () => {
    const { name } = await dns.podOn('n2')
    await dns.mustExec('n2', ['pkill', '-STOP', '-f', 'coredns -conf'])
    try {
      await dns.says(new RegExp(`^ProcessHung ${name}$`))
    } finally {
      await dns.mustExec('n2', ['pkill', '-CONT', '-f', 'coredns -conf'])
    }
    await dns.says(WELL)
  })

  atNight('row 4: nothing reaches any pod of one node', {}, async () => {
    const { name } = await dns.podOn('n2')
    await dns.filtered('n2', [drop('FORWARD', '-d', nodePodRange('n2'))], async () => {
      await dns.says(new RegExp(`^NodeNetworkDead ${name}, n2$`))
    })
  })

  atNight('row 7: the watch of one pod is cut, and it does not know a new Service', {}, async () => {
    const { name, address } = await dns.podOn('n2')
    const both = [
      drop('FORWARD', '-s', address, '-p', 'tcp', '--dport', '6443'),
      drop('FORWARD', '-d', address, '-p', 'tcp', '--sport', '6443'),
    ]
    await dns.filtered('n2', both, async () => {
      await dns.bed.kubectl(['create', 'service', 'clusterip', 'brand-new', '--tcp=80:80'])
      await dns.says(new RegExp(`^DataStale ${name}$`))
    })
  })

  test('row 10: names outside fail, since this CoreDNS forwards to none', async () => {
    const { code } = await dns.says(/^UpstreamDown /, '--outside', 'example.com')
    assert.equal(code, 1)
  })

  atNight(
    'row 11: a place that reaches neither pods nor Services hears of pods by port-forward, and knows nothing of UDP',
    {},
    async () => {
      const rules = [
        drop('INPUT', '-s', podRange),
        drop('INPUT', '-m', 'conntrack', '--ctorigdst', '10.96.0.10'),
        drop('INPUT', '-m', 'conntrack', '--ctorigdst', '10.96.0.1'),
      ]
      await dns.filtered('n1', rules, async () => {
        const wanted = /^UdpUnseen \S+, \S+; NotAsked kube-system\/kube-dns; VantageCutOff here, n1$/
        const { code, verdict, scene } = await dns.says(wanted)
        assert.deepEqual([code, verdict], [3, 'unverified'])
        const inside = scene.paths.filter(({ vantage }) => vantage === 'port-forward')
        assert.deepEqual(
          inside.map(({ reading: { udp, tcp, data } }) => [udp, tcp, data]),
          Array(2).fill(['notAsked', 'answers', 'right']),
        )
      })
    },
  )

  test('row 13: replies of the Service’s address are dropped on one node', async () => {
    await dns.filtered('n1', [drop(...REPLIES, '-m', 'conntrack', '--ctorigdst', '10.96.0.10')], async () => {
      await dns.says(/^ProxyStale n1$/)
    })
  })

  test('what the node that asks does not let out was not asked, and says nothing of DNS', async () => {
    await dns.filtered(
      'n1',
      [drop('OUTPUT', '-p', 'udp', '-m', 'conntrack', '--ctorigdst', '10.96.0.10')],
      async () => {
        const { code } = await dns.says(/^NotAsked kube-system\/kube-dns$/)
        assert.equal(code, 3)
      },
    )
  })

  test('row 16: the Service loses its UDP port', async () => {
    const patch = (ports: string): Promise<string> =>
      dns.bed.kubectl([
        'patch',
        'service',
        'kube-dns',
        '-n',
        'kube-system',
        '--type=json',
        '-p',
        `[{"op":"replace","path":"/spec/ports","value":${ports}}]`,
      ])
    const ports = await dns.bed.kubectl([
      'get',
      'service',
      'kube-dns',
      '-n',
      'kube-system',
      '-o',
      'jsonpath={.spec.ports}',
    ])
    await patch(
      JSON.stringify((JSON.parse(ports) as { protocol: string }[]).filter(({ protocol }) => protocol !== 'UDP')),
    )
    try {
      await dns.says(/^ServiceWrong kube-system\/kube-dns$/, '--service', 'kube-system/kube-dns')
    } finally {
      await patch(ports)
    }
    await dns.says(WELL)
  })

  atNight('row 20: TCP to one pod is dropped and UDP is not', {}, async () => {
    const { name, address } = await dns.podOn('n2')
    await dns.filtered('n2', [toPod(address, 'tcp', 53)], async () => {
      await dns.says(new RegExp(`^TcpDead ${name}$`))
    })
  })

  atNight('row 21: a pod that answers is not Ready, since its node does not reach its readiness port', {}, async () => {
    const { name, address } = await dns.podOn('n2')
    await dns.filtered('n2', [readinessOf(address)], async () => {
      await dns.says(new RegExp(`^NotReady ${name}$`))
    })
  })

  atNight('row 22: replies over UDP are dropped on the node that asks', {}, async () => {
    await dns.filtered('n1', [drop(...REPLIES)], async () => {
      await dns.says(/^UdpDropped /)
    })
  })

  countersRows(() => dns)
  wiringRows(() => dns)

  atNight('row 23: there is one pod, and UDP to it is dropped', {}, async () => {
    await dns.scale(1)
    const [pod] = await dns.pods(1)
    assert.ok(pod !== undefined)
    const address = pod.addresses[0] ?? ''
    const rule = pod.node === 'n1' ? drop(...REPLIES, '-s', address) : toPod(address, 'udp', 53)
    await dns.filtered(pod.node, [rule], async () => {
      await dns.says(new RegExp(`^OnlyPodDead ${pod.name}$`))
    })
    await dns.scale(2)
    await dns.pods(2)
    await dns.says(WELL)
  })

  vantageRows(() => dns)
  relayRows(() => dns)
  repairRows(() => dns)
  scenarioRows(() => dns)
  controllerRows(() => dns)

  // What they leave is there for all that follows: a cache on a node, and pods of n2 with other processes.
  cacheRows(() => dns)

  atNight('row 6: the node of one pod is off', {}, async () => {
    const { name } = await dns.podOn('n2')
    await dns.bed.powerOff('n2')
    await dns.says(new RegExp(`^NodeDown ${name}, n2`))
    await dns.bed.powerOn('n2')
    await dns.bed.waitReady()
    await dns.says(WELL)
  })

  test('each right that is shipped was used, and no other was asked for', () => {
    const lines = readFileSync(dns.bed.auditLog, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const ours = lines.filter(({ user }) => user.username === IDENTITY)
    const refused = ours.filter(({ responseStatus }) => (responseStatus?.code ?? 0) === 403)
    assert.deepEqual(
      refused.map(({ requestURI }) => requestURI),
      [],
    )
    const used = new Set(
      ours.flatMap(({ verb, objectRef }) => (objectRef === undefined ? [] : [`${verb} ${resourceOf(objectRef)}`])),
    )
    // Asked for within a get: the audit log has no entry of its own for it.
    for (const stream of ['pods/portforward', 'pods/exec']) if (used.has(`get ${stream}`)) used.add(`create ${stream}`)
    const rights = [DNS_RBAC, EPHEMERAL_RBAC, EXEC_RBAC].join('---\n')
    const [granted, ofRepair] = [grantedTo(rights), grantedTo(REPAIR_RBAC)]
    // By night alone a pod is repaired.
    for (const right of ofRepair) if (isNight || used.has(right)) granted.add(right)
    assert.deepEqual([...used].toSorted(), [...granted].toSorted())
  })
})
