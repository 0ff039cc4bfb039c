import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import process from 'node:process'
import { after, before, describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { nodePodRange } from '../../testbed/addresses.ts'
import { type Bed, openBed } from '../../testbed/bed.ts'
import { runToEnd } from '../../testbed/machine/run.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { grantedBy, type RbacManifest } from '../support/granted-rights.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'

const root = new URL('../..', import.meta.url).pathname
const RBAC = readFileSync(`${root}deploy/dns-rbac.yaml`, 'utf8')
const IDENTITY = 'system:serviceaccount:evenkeel:evenkeel-dns'
/** On the node that asks. What is dropped on its way out is an error of the socket, and was not asked. */
const REPLIES = ['INPUT', '-p', 'udp', '--sport', '53']
/** Until kubelets, kube-proxies and CoreDNS have heard of something. */
const HEARD_WITHIN_MS = 60_000

/** A pod beside that of DNS, which listens nowhere. */
const NEIGHBOUR = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'neighbour', namespace: 'default' },
  spec: { nodeName: 'n2', containers: [{ name: 'pause', image: 'testbed.local/pause:1', imagePullPolicy: 'Never' }] },
}

interface Checked {
  readonly code: number
  readonly verdict: string
  readonly findings: readonly {
    readonly code: string
    readonly row?: number
    readonly subjects: readonly { readonly name: string }[]
    readonly evidence: readonly string[]
  }[]
  readonly scene: {
    readonly pods: readonly { readonly name: string; readonly node: string; readonly addresses: readonly string[] }[]
  }
}

/** The network namespace of a node, as this machine has it: nothing else of the node is entered. */
async function networkOf(bed: Bed, node: string): Promise<string> {
  const { stdout } = await bed.exec(node, ['readlink', '/proc/self/ns/net'])
  const isIn = (pid: string): boolean => {
    try {
      return readlinkSync(`/proc/${pid}/ns/net`) === stdout.trim()
    } catch {
      return false
    }
  }
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isIn(name))
  assert.ok(pid !== undefined, `no process is in ${stdout}`)
  return `/proc/${pid}/ns/net`
}

describe('DNS of a real cluster, asked from a node', { ...requires('testbed'), timeout: 600_000 }, () => {
  let bed: Bed
  let kubeconfig: string
  let network: string
  before(async () => {
    bed = await openBed({ nodes: 2, fast: true })
    await bed.apply(RBAC)
    await bed.apply([NEIGHBOUR])
    kubeconfig = (await bed.serviceAccountKubeconfig('evenkeel', 'evenkeel-dns')).inside
    network = await networkOf(bed, 'n1')
  })
  after(() => bed?.close())

  async function check(...flags: readonly string[]): Promise<Checked> {
    const program = [process.execPath, '--disable-warning=ExperimentalWarning', `${root}bin/evenkeel.ts`]
    const words = [
      'dns',
      'check',
      '--kubeconfig',
      kubeconfig,
      '--node',
      'n1',
      '--timeout',
      '500ms',
      '-o',
      'json',
      ...flags,
    ]
    const { code, stdout, stderr } = await runToEnd(['nsenter', `--net=${network}`, '--', ...program, ...words], {
      limitMs: 60_000,
    })
    assert.match(stdout, /"findings"/, stderr)
    return { code, ...JSON.parse(stdout) }
  }

  const words = ({ findings }: Checked): string =>
    findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`).join('; ')

  /** Checks until that is said: the cluster hears of things in its own time. */
  async function says(wanted: RegExp, ...flags: readonly string[]): Promise<Checked> {
    let last = ''
    return waitFor({ what: String(wanted), limitMs: HEARD_WITHIN_MS, everyMs: 200, explain: () => last }, async () => {
      const checked = await check(...flags)
      last = JSON.stringify(checked)
      return wanted.test(words(checked)) ? checked : undefined
    })
  }

  /** With these rules of the packet filter in the network namespace of a node, until `during` is over. */
  async function filtered(
    node: string,
    rules: readonly (readonly string[])[],
    during: () => Promise<void>,
  ): Promise<void> {
    const iptables = async (flag: '-I' | '-D', [chain = '', ...rule]: readonly string[]): Promise<void> => {
      const { code, stderr } = await bed.exec(node, ['iptables', '-w', flag, chain, ...rule, '-j', 'DROP'])
      assert.equal(code, 0, stderr)
    }
    for (const rule of rules) await iptables('-I', rule)
    try {
      await during()
    } finally {
      for (const rule of rules) await iptables('-D', rule)
    }
    await says(/^Healthy dns$/)
  }

  /** The pod on that node. */
  async function podOn(node: string): Promise<{ readonly name: string; readonly address: string }> {
    const { scene } = await check()
    const pod = scene.pods.find((one) => one.node === node)
    assert.ok(pod !== undefined, JSON.stringify(scene.pods))
    return { name: pod.name, address: pod.addresses[0] ?? '' }
  }

  const toPod = (address: string, protocol: string, port: string): readonly string[] => [
    'FORWARD',
    '-d',
    address,
    '-p',
    protocol,
    '--dport',
    port,
  ]

  test('is ok, with the rights that are shipped', async () => {
    const { code, verdict } = await says(/^Healthy dns$/)
    assert.deepEqual([code, verdict], [0, 'ok'])
  })

  test('row 2: UDP to one pod is dropped and TCP is not', async () => {
    const { name, address } = await podOn('n2')
    await filtered('n2', [toPod(address, 'udp', '53')], async () => {
      const { code } = await says(new RegExp(`^UdpDead ${name}$`))
      assert.equal(code, 1)
    })
  })

  test('row 3: nothing reaches one pod, and other pods of its node are reached', async () => {
    const { name, address } = await podOn('n2')
    await filtered('n2', [['FORWARD', '-d', address]], async () => {
      const { findings } = await says(new RegExp(`^PodNetworkDead ${name}$`))
      assert.ok(findings[0]?.evidence.includes('other pods of n2 are reached'), JSON.stringify(findings))
    })
  })

  test('row 4: nothing reaches any pod of one node', async () => {
    const { name } = await podOn('n2')
    await filtered('n2', [['FORWARD', '-d', nodePodRange('n2')]], async () => {
      await says(new RegExp(`^NodeNetworkDead ${name}, n2$`))
    })
  })

  atNight('row 7: the watch of one pod is cut, and it does not know a new Service', {}, async () => {
    const { name, address } = await podOn('n2')
    const both = [
      ['FORWARD', '-s', address, '-p', 'tcp', '--dport', '6443'],
      ['FORWARD', '-d', address, '-p', 'tcp', '--sport', '6443'],
    ]
    await filtered('n2', both, async () => {
      await bed.kubectl(['create', 'service', 'clusterip', 'brand-new', '--tcp=80:80'])
      await says(new RegExp(`^DataStale ${name}$`))
    })
  })

  test('row 10: names outside fail, since this CoreDNS forwards to none', async () => {
    const { code } = await says(/^UpstreamDown /, '--outside', 'example.com')
    assert.equal(code, 1)
  })

  test('row 13: replies of the Service’s address are dropped on one node', async () => {
    await filtered('n1', [[...REPLIES, '-m', 'conntrack', '--ctorigdst', '10.96.0.10']], async () => {
      await says(/^ProxyStale n1$/)
    })
  })

  test('what the node that asks does not let out was not asked, and says nothing of DNS', async () => {
    await filtered('n1', [['OUTPUT', '-p', 'udp', '-m', 'conntrack', '--ctorigdst', '10.96.0.10']], async () => {
      const { code } = await says(/^NotAsked kube-system\/kube-dns$/)
      assert.equal(code, 3)
    })
  })

  test('row 16: the Service loses its UDP port', async () => {
    const patch = (ports: string): Promise<string> =>
      bed.kubectl([
        'patch',
        'service',
        'kube-dns',
        '-n',
        'kube-system',
        '--type=json',
        '-p',
        `[{"op":"replace","path":"/spec/ports","value":${ports}}]`,
      ])
    const ports = await bed.kubectl(['get', 'service', 'kube-dns', '-n', 'kube-system', '-o', 'jsonpath={.spec.ports}'])
    await patch(
      JSON.stringify((JSON.parse(ports) as { protocol: string }[]).filter(({ protocol }) => protocol !== 'UDP')),
    )
    try {
      await says(/^ServiceWrong kube-system\/kube-dns$/, '--service', 'kube-system/kube-dns')
    } finally {
      await patch(ports)
    }
    await says(/^Healthy dns$/)
  })

  test('row 20: TCP to one pod is dropped and UDP is not', async () => {
    const { name, address } = await podOn('n2')
    await filtered('n2', [toPod(address, 'tcp', '53')], async () => {
      await says(new RegExp(`^TcpDead ${name}$`))
    })
  })

  test('row 21: a pod that answers is not Ready, since its node does not reach its readiness port', async () => {
    const { name, address } = await podOn('n2')
    await filtered('n2', [['OUTPUT', '-d', address, '-p', 'tcp', '--dport', '8181']], async () => {
      await says(new RegExp(`^NotReady ${name}$`))
    })
  })

  test('row 22: replies over UDP are dropped on the node that asks', async () => {
    await filtered('n1', [[...REPLIES]], async () => {
      await says(/^UdpDropped /)
    })
  })

  atNight('row 6: the node of one pod is off', {}, async () => {
    const { name } = await podOn('n2')
    await bed.powerOff('n2')
    await says(new RegExp(`^NodeDown ${name}, n2`))
    await bed.powerOn('n2')
    await bed.waitReady()
    await says(/^Healthy dns$/)
  })

  test('row 23: there is one pod, and UDP to it is dropped', async () => {
    await bed.kubectl(['scale', 'deployment', 'coredns', '-n', 'kube-system', '--replicas=1'])
    const { scene } = await waitFor({ what: 'one pod', limitMs: HEARD_WITHIN_MS, everyMs: 200 }, async () => {
      const checked = await check()
      return checked.scene.pods.length === 1 ? checked : undefined
    })
    const [pod] = scene.pods
    assert.ok(pod !== undefined)
    const address = pod.addresses[0] ?? ''
    const rule = pod.node === 'n1' ? [...REPLIES, '-s', address] : toPod(address, 'udp', '53')
    await filtered(pod.node, [rule], async () => {
      await says(new RegExp(`^OnlyPodDead ${pod.name}$`))
    })
  })

  test('each right that is shipped was used, and no other was asked for', () => {
    const lines = readFileSync(bed.auditLog, 'utf8')
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
      ours.flatMap(({ verb, objectRef }) => (objectRef === undefined ? [] : [`${verb} ${objectRef.resource}`])),
    )
    const manifests = parseAllDocuments(RBAC).map((document) => document.toJS() as RbacManifest)
    const granted = new Set(
      grantedBy(manifests)
        .map((right) => right.split(' '))
        .map(([verb, , resource]) => `${verb} ${resource}`),
    )
    assert.deepEqual([...used].toSorted(), [...granted].toSorted())
  })
})
