import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import process from 'node:process'
import { type Bed, openBed } from '../../../testbed/bed.ts'
import { runToEnd } from '../../../testbed/machine/run.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { KubeconfigPair } from '../../../testbed/owner/identities.ts'
import { imageOnBed } from '../image-on-bed.ts'
import { shippedProgram } from '../shipped-program.ts'
import { ResolverLoad } from './resolver-load.ts'

const PROGRAM = shippedProgram('evenkeel')
const root = new URL('../../..', import.meta.url).pathname
export const DNS_RBAC = readFileSync(`${root}deploy/dns-rbac.yaml`, 'utf8')
export const EPHEMERAL_RBAC = readFileSync(`${root}deploy/dns-ephemeral-rbac.yaml`, 'utf8')
export const EXEC_RBAC = readFileSync(`${root}deploy/dns-exec-rbac.yaml`, 'utf8')
export const REPAIR_RBAC = readFileSync(`${root}deploy/dns-repair-rbac.yaml`, 'utf8')
const REPAIR_POLICY = readFileSync(`${root}deploy/dns-repair-policy.yaml`, 'utf8')
/** On the node that asks. What is dropped on its way out is an error of the socket, and was not asked. */
export const REPLIES = ['INPUT', '-p', 'udp', '--sport', '53']
/** Until kubelets, kube-proxies and CoreDNS have heard of something, and until CoreDNS must have. */
const HEARD_WITHIN_MS = 120_000

/** A pod beside that of DNS, which listens nowhere. */
const NEIGHBOUR = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'neighbour', namespace: 'default' },
  spec: { nodeName: 'n2', containers: [{ name: 'pause', image: 'testbed.local/pause:1', imagePullPolicy: 'Never' }] },
}

/** That it is reached shows that no policy keeps the check from such pods. */
const ELSEWHERE = {
  ...NEIGHBOUR,
  metadata: { ...NEIGHBOUR.metadata, name: 'elsewhere' },
  spec: { ...NEIGHBOUR.spec, nodeName: 'n1' },
}

export const IMAGE = 'evenkeel.local/evenkeel:0.1.0'

/** A pod that has `node` and no shell. */
const WITH_NODE = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'with-node', namespace: 'default' },
  spec: {
    nodeName: 'n2',
    containers: [
      { name: 'relay', image: IMAGE, imagePullPolicy: 'Never', args: ['dns-relay', '--idle-limit', '24h'] },
      { name: 'pause', image: 'testbed.local/pause:1', imagePullPolicy: 'Never' },
    ],
  },
}

export const WELL = /^Healthy dns$/

export interface Checked {
  readonly code: number
  readonly verdict: string
  readonly findings: readonly {
    readonly code: string
    readonly row?: number
    readonly subjects: readonly { readonly name: string }[]
    readonly evidence: readonly string[]
  }[]
  readonly notes: readonly string[]
  readonly scene: {
    readonly pods: readonly {
      readonly name: string
      readonly node: string
      readonly addresses: readonly string[]
      readonly udpSeen?: { readonly state: string; readonly answered: number; readonly siblingsMean?: number }
    }[]
    readonly paths: readonly {
      readonly vantage: string
      readonly target: { readonly kind: string; readonly name: string }
      readonly reading: { readonly udp: string; readonly tcp: string; readonly data: string }
    }[]
  }
}

interface Repaired {
  readonly code: number
  readonly decision: {
    readonly kind: string
    readonly why?: string
    readonly step?: string
    readonly sick?: { readonly name: string; readonly code: string }
    readonly guards?: readonly { readonly guard: string; readonly holds: boolean; readonly text: string }[]
  }
  readonly outcome?: { readonly kind: string; readonly why?: string; readonly tookMs?: number }
}

/** The network namespace of a node, or of a pod there, as this machine has it: nothing else is entered. */
async function networkOf(bed: Bed, node: string, podUid?: string): Promise<string> {
  const ofPod = `readlink "$(dirname "$(grep -l "$0" /proc/[0-9]*/cgroup | head -n 1)")/ns/net"`
  const words = podUid === undefined ? ['readlink', '/proc/self/ns/net'] : ['sh', '-c', ofPod, podUid]
  const { stdout } = await bed.exec(node, words)
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

/** `hub` is the network that joins the nodes: from there nodes are reached, and neither pods nor Services. */
type PlaceName = 'n1' | 'podOnN2' | 'outside' | 'hub'

/** From where a check is made, and as whom. */
interface Place {
  /** Which one of an identity's. */
  readonly side: 'inside' | 'outside'
  readonly network?: string
  readonly node?: string
}

/** One rule of a packet filter: a chain and what it matches, of table `filter` and with target `DROP` unless it says more. */
interface Rule {
  readonly match: readonly string[]
  readonly table?: string
  readonly target?: string
}

/** A cluster of two nodes, whose DNS is asked from n1, or from a pod on n2, by the rights that are shipped. */
export class DnsBed {
  readonly bed: Bed
  readonly #places: Readonly<Record<PlaceName, Place>>
  readonly #shipped: KubeconfigPair
  #asking: PlaceName = 'n1'
  #identity: KubeconfigPair

  private constructor(bed: Bed, places: Readonly<Record<PlaceName, Place>>, shipped: KubeconfigPair) {
    this.bed = bed
    this.#places = places
    this.#shipped = shipped
    this.#identity = shipped
  }

  static async open(): Promise<DnsBed> {
    const bed = await openBed({ nodes: 2, fast: true })
    try {
      const shippedFiles = [DNS_RBAC, REPAIR_RBAC, REPAIR_POLICY, EPHEMERAL_RBAC, EXEC_RBAC]
      for (const file of [...shippedFiles, [NEIGHBOUR, ELSEWHERE]]) await bed.apply(file)
      const [shipped] = await Promise.all([
        bed.serviceAccountKubeconfig('evenkeel', 'evenkeel-dns'),
        imageOnBed(bed, IMAGE),
      ])
      await bed.apply([WITH_NODE])
      await bed.kubectl([
        'wait',
        'pod',
        'neighbour',
        'elsewhere',
        'with-node',
        '--for=condition=Ready',
        '--timeout=60s',
      ])
      const uid = await bed.kubectl(['get', 'pod', 'neighbour', '-o', 'jsonpath={.metadata.uid}'])
      const places = {
        n1: { side: 'inside', node: 'n1', network: await networkOf(bed, 'n1') },
        podOnN2: { side: 'inside', node: 'n2', network: await networkOf(bed, 'n2', uid.trim()) },
        outside: { side: 'outside' },
        hub: { side: 'inside', network: bed.network },
      } as const
      return new DnsBed(bed, places, shipped)
    } catch (error) {
      await bed.close()
      throw error
    }
  }

  /** The command of a check from there, or of a repair. */
  command(place: PlaceName, of: 'check' | 'repair', ...flags: readonly string[]): readonly [string, ...string[]] {
    const { side, network, node } = this.#places[place]
    const kubeconfig = this.#identity[side]
    const program = ['--disable-warning=ExperimentalWarning', PROGRAM, 'dns', of]
    const at = node === undefined ? [] : ['--node', node]
    const words = [...program, '--kubeconfig', kubeconfig, ...at, '--timeout', '500ms', '-o', 'json', ...flags]
    if (network === undefined) return [process.execPath, ...words]
    return ['nsenter', `--net=${network}`, '--', process.execPath, ...words]
  }

  async check(...flags: readonly string[]): Promise<Checked> {
    const { code, stdout, stderr } = await runToEnd(this.command(this.#asking, 'check', ...flags), { limitMs: 60_000 })
    assert.match(stdout, /"findings"/, stderr)
    return { code, ...JSON.parse(stdout) }
  }

  /** So many queries a second to the Service, from n1. */
  load(perSecond: number): ResolverLoad {
    return new ResolverLoad(this.#places.n1.network ?? '', '10.96.0.10', perSecond)
  }

  /** A repair from outside, by relays. */
  repair(...flags: readonly string[]): Promise<Repaired> {
    return this.repairFrom('outside', '--relay', '--image', IMAGE, ...flags)
  }

  async repairFrom(place: PlaceName, ...flags: readonly string[]): Promise<Repaired> {
    const argv = this.command(place, 'repair', ...flags)
    const { code, stdout, stderr } = await runToEnd(argv, { limitMs: 360_000 })
    assert.match(stdout, /"decision"/, stderr)
    return { code, ...JSON.parse(stdout) }
  }

  /**
   * Asks from there until `during` is over. From the pod: addresses of nodes are masqueraded, those of pods are not. From outside:
   * the API server alone is reached.
   */
  async from(place: PlaceName, during: () => Promise<void>): Promise<void> {
    this.#asking = place
    try {
      await during()
    } finally {
      this.#asking = 'n1'
    }
  }

  /** Asks as that identity until `during` is over. */
  async as(identity: KubeconfigPair, during: () => Promise<void>): Promise<void> {
    this.#identity = identity
    try {
      await during()
    } finally {
      this.#identity = this.#shipped
    }
  }

  /** Checks until that is said: the cluster hears of things in its own time. */
  async says(wanted: RegExp, ...flags: readonly string[]): Promise<Checked> {
    let last = ''
    return waitFor({ what: String(wanted), limitMs: HEARD_WITHIN_MS, everyMs: 200, explain: () => last }, async () => {
      const checked = await this.check(...flags)
      last = JSON.stringify(checked)
      return wanted.test(words(checked)) ? checked : undefined
    })
  }

  /** With these rules in the network namespace of a node, until `during` is over and DNS is healthy again. */
  async filtered(node: string, rules: readonly Rule[], during: () => Promise<void>): Promise<void> {
    await this.filteredInside(node, rules, during)
    await this.says(WELL)
  }

  /** With these rules in that network namespace beside others, until `during` is over. */
  async filteredInside(node: string, rules: readonly Rule[], during: () => Promise<void>): Promise<void> {
    const iptables = async (flag: '-I' | '-D', { match, table = 'filter', target = 'DROP' }: Rule): Promise<void> => {
      const [chain = '', ...rest] = match
      await this.mustExec(node, ['iptables', '-w', '-t', table, flag, chain, ...rest, '-j', target])
    }
    for (const rule of rules) await iptables('-I', rule)
    try {
      await during()
    } finally {
      for (const rule of rules) await iptables('-D', rule)
    }
  }

  /** In the network that joins the nodes. */
  async inHub(argv: readonly [string, ...string[]]): Promise<void> {
    const [file, ...words] = this.bed.enter(argv)
    const { code, stderr } = await runToEnd([file ?? '', ...words], { limitMs: 10_000 })
    assert.equal(code, 0, `${argv.join(' ')}: ${stderr}`)
  }

  async mustExec(node: string, argv: readonly string[], stdin?: string): Promise<string> {
    const { code, stdout, stderr } = await this.bed.exec(node, argv, stdin)
    assert.equal(code, 0, `${argv.join(' ')}: ${stderr}`)
    return stdout
  }

  /** The pod on that node. */
  async podOn(node: string): Promise<{ readonly name: string; readonly address: string }> {
    const { scene } = await this.check()
    const pod = scene.pods.find((one) => one.node === node)
    assert.ok(pod !== undefined, JSON.stringify(scene.pods))
    return { name: pod.name, address: pod.addresses[0] ?? '' }
  }

  /** Waits until there are so many pods of DNS. */
  async pods(count: number): Promise<Checked['scene']['pods']> {
    return waitFor({ what: `${count} pods of DNS`, limitMs: HEARD_WITHIN_MS, everyMs: 200 }, async () => {
      const { pods } = (await this.check()).scene
      return pods.length === count ? pods : undefined
    })
  }

  /** Nothing that an earlier repair has left holds the next one. */
  async forgetRepairs(): Promise<void> {
    const kept = ['-n', 'kube-system', '--selector=evenkeel.dev/quarantine=dns']
    await this.bed.kubectl(['delete', 'pod', ...kept, '--wait=true'])
    await this.bed.kubectl(['delete', 'configmap', '-n', 'evenkeel', 'evenkeel-dns-repairs', '--ignore-not-found'])
  }

  scale(replicas: number): Promise<string> {
    return this.bed.kubectl(['scale', 'deployment', 'coredns', '-n', 'kube-system', `--replicas=${replicas}`])
  }
}

const words = ({ findings }: Checked): string =>
  findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`).join('; ')

export const drop = (...match: readonly string[]): Rule => ({ match })

export const toPod = (address: string, protocol: 'udp' | 'tcp', port: number): Rule =>
  drop('FORWARD', '-d', address, '-p', protocol, '--dport', String(port))

/** The readiness port of a pod, on its node, whose kubelet asks it. */
export const readinessOf = (address: string): Rule => drop('OUTPUT', '-d', address, '-p', 'tcp', '--dport', '8181')
