import { INGRESS_GROUPS } from '../../ground/model/ingress-keys.ts'
import { canonicalAddress } from '../../ground/model/ip-address.ts'
import { present } from '../../ground/model/present.ts'
import { FlagReader, flagsRefused, isNamespace, parsedFlags } from '../../ground/text/flag-reader.ts'
import { type DialectName, isDialectName } from '../decide/dialect.ts'
import type { PortRange } from '../decide/ingress-ports.ts'
import type { OneIngress } from '../run/ingress-deployments.ts'

export interface AgentOptions {
  readonly node: string
  readonly port: number
  readonly statusPort: number
  readonly agentCheckPort?: number
  readonly address?: string
  /** Checkers of HAProxy's agent-check behind each address. */
  readonly checkers: Readonly<Record<string, number>>
  readonly checkerIntervalMs: number
  readonly dialect: DialectName
  readonly memoryDir: string
  readonly keepDir: string
  /** Absent: the service account of the pod. */
  readonly kubeconfig?: string
  /** The namespace of the fleet's brake; absent: the pod's own. */
  readonly grantsNamespace?: string
  readonly dataPort?: { readonly address: string; readonly port: number }
  readonly dataEveryMs: number
  readonly fall: number
  readonly rise: number
  readonly upDelayMs: number
  readonly cordonGraceMs: number
  readonly drainLimitMs?: number
  /** How long it may take to be ready beside another agent of the node. */
  readonly takeoverLimitMs: number
  readonly stale?: { readonly afterMs: number; readonly answer: 'up' | 'down' }
  /** Health checks of IngressDaemonSets are answered at their own ports. */
  readonly ingress: boolean
  /** They may have no other ports; absent: any. */
  readonly ingressPorts?: PortRange
  /** Only those of one IngressDaemonSet, and nothing else of an agent: a pod of its `spec.healthChecker`. */
  readonly ingressOnly?: OneIngress
}

const TEXT = { type: 'string' } as const
const FLAGS = {
  node: TEXT,
  port: { ...TEXT, default: '8080' },
  'status-port': { ...TEXT, default: '8081' },
  'agent-check-port': TEXT,
  checker: { type: 'string', multiple: true },
  'checker-interval': { ...TEXT, default: '2s' },
  address: TEXT,
  dialect: { ...TEXT, default: 'plain' },
  'memory-dir': { ...TEXT, default: '/run/evenkeel' },
  'keep-dir': { ...TEXT, default: '/var/lib/evenkeel' },
  kubeconfig: TEXT,
  'grants-namespace': TEXT,
  'data-port': TEXT,
  'data-every': { ...TEXT, default: '2s' },
  fall: { ...TEXT, default: '3' },
  rise: { ...TEXT, default: '2' },
  'up-delay': { ...TEXT, default: '5s' },
  'cordon-grace': { ...TEXT, default: '0' },
  'drain-limit': TEXT,
  'takeover-limit': { ...TEXT, default: '8s' },
  'stale-after': TEXT,
  'stale-answer': TEXT,
  ingress: { type: 'boolean' },
  'ingress-ports': TEXT,
  'ingress-only': TEXT,
  help: { type: 'boolean', short: 'h' },
} as const

/** The address of the data port if none is given. */
export const MACHINE_ITSELF = '127.0.0.1'
const SHORTEST_INTERVAL_MS = 100
const NOT_OF_ONE_INGRESS = [
  ...['ingress', 'ingress-ports', 'data-port', 'agent-check-port', 'checker', 'grants-namespace'],
  ...['drain-limit', 'stale-after', 'stale-answer'],
]

const OWNER = { command: 'agent', code: 'AGENT_OPTIONS' } as const

export const AGENT_HELP = `Usage: evenkeel agent --node NAME [options]

Tells load balancers whether to send this node traffic.

Options:
  --node NAME            name of the Node object               ($NODE_NAME)
  --port N               health checks                         (8080)
  --status-port N        /healthz, /probers, /metrics          (8081)
  --agent-check-port N   HAProxy's agent-check                 (none)
  --checker A=N          N of its checkers ask from address A  (repeatable)
  --checker-interval T   their longest agent-inter             (2s)
  --address A            listen at one address                 (all)
  --dialect D            plain, disable-on-404, body or f5     (plain)
  --ingress              also healthCheckNodePorts of IngressDaemonSets
  --ingress-ports A-B    which ports these may have            (any)
  --ingress-only O       nothing but those of one, [GROUP/]NAMESPACE/NAME
  --data-port [A:]N      port of the node that must answer     (none)
  --data-every T         how often it is asked                 (2s)
  --fall N, --rise N     refusals and answers in a row         (3, 2)
  --up-delay T           how long all must be well before up   (5s)
  --cordon-grace T       how long a new cordon is ignored      (0)
  --drain-limit T        after this, drain becomes down        (none)
  --takeover-limit T     time to take over from another agent  (8s)
  --stale-after T        limit for an unreachable API server   (none)
  --stale-answer A       answer after that limit: up or down
  --memory-dir DIR       tmpfs, survives the agent             (/run/evenkeel)
  --keep-dir DIR         disk, survives a reboot          (/var/lib/evenkeel)
  --kubeconfig FILE      to run outside a cluster         (the pod's account)
  --grants-namespace NS  of the ConfigMap that grants cordons  (the pod's)

Example:
  evenkeel agent --node n1 --data-port 443
  curl http://n1:8080/nodecheck
  curl http://n1:8081/healthz
`

/** Undefined where help was asked for. Throws UserError AGENT_OPTIONS that names every fault. */
export function agentOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const values = parsedFlags(args, FLAGS, OWNER)
  if (values.help === true) return undefined
  const read = new Reader(values)
  const options = optionsOf(read, env)
  read.differ(options)
  if (read.wrong.length === 0) return options
  throw flagsRefused(read.wrong, OWNER)
}

function optionsOf(read: Reader, env: Readonly<Record<string, string | undefined>>): AgentOptions {
  const agentCheckPort = read.optional('agent-check-port', (flag) => read.port(flag))
  const address = read.text('address')
  const kubeconfig = read.text('kubeconfig')
  const grantsNamespace = read.optional('grants-namespace', (flag) => read.namespace(flag))
  const dataPort = read.optional('data-port', (flag) => read.place(flag))
  const drainLimitMs = read.optional('drain-limit', (flag) => read.duration(flag))
  const stale = staleOf(read)
  const ingressPorts = read.optional('ingress-ports', (flag) => read.range(flag))
  const ingressOnly = read.optional('ingress-only', (flag) => read.oneIngress(flag))
  return {
    node: read.name('node', env.NODE_NAME),
    port: read.port('port'),
    statusPort: read.port('status-port'),
    dialect: read.dialect('dialect'),
    checkers: read.counts('checker'),
    checkerIntervalMs: read.interval('checker-interval'),
    memoryDir: read.text('memory-dir') ?? '',
    keepDir: read.text('keep-dir') ?? '',
    dataEveryMs: read.interval('data-every'),
    fall: read.count('fall'),
    rise: read.count('rise'),
    upDelayMs: read.duration('up-delay'),
    cordonGraceMs: read.duration('cordon-grace'),
    takeoverLimitMs: read.interval('takeover-limit'),
    ingress: read.value('ingress') === true,
    ...present({ agentCheckPort, address, kubeconfig, grantsNamespace, dataPort, drainLimitMs, stale }),
    ...present({ ingressPorts, ingressOnly }),
  }
}

function staleOf(read: Reader): AgentOptions['stale'] {
  const afterMs = read.optional('stale-after', (flag) => read.duration(flag))
  const answer = read.text('stale-answer')
  if (afterMs === undefined && answer === undefined) return undefined
  if (afterMs === undefined || (answer !== 'up' && answer !== 'down')) {
    read.wrong.push('--stale-after and --stale-answer go together, and the answer is up or down')
    return undefined
  }
  return { afterMs, answer }
}

class Reader extends FlagReader {
  name(flag: string, fallback: string | undefined): string {
    const name = this.text(flag) ?? fallback ?? ''
    if (name !== '') return this.node(flag, name)
    this.wrong.push(`--${flag} is missing: name the Node, or set $NODE_NAME with the downward API`)
    return name
  }

  /** `PORT` of this machine, or `ADDRESS:PORT`; an IPv6 address in brackets. */
  place(flag: string): { readonly address: string; readonly port: number } {
    const text = this.text(flag) ?? ''
    const [, bracketed, plain, port = ''] = /^(?:\[([^\]]+)\]:|([^:]+):)?(\d+)$/.exec(text) ?? []
    const asked = this.port(flag, port === '' ? text : port)
    if (asked === 0) this.wrong.push(`--${flag}: nothing can be asked at port 0`)
    return { address: bracketed ?? plain ?? MACHINE_ITSELF, port: asked }
  }

  /** `10000-10199`. */
  range(flag: string): PortRange {
    const [, from = '', to = ''] = /^(\d{1,5})-(\d{1,5})$/.exec(this.text(flag) ?? '') ?? []
    const range = { from: Number(from), to: Number(to) }
    if (to === '' || range.from < 1 || range.to > 65_535 || range.from > range.to)
      this.wrong.push(`--${flag}: "${this.text(flag)}" is no range of ports: write one such as 10000-10199`)
    return range
  }

  /** Such a process does nothing else of an agent. */
  oneIngress(flag: string): OneIngress {
    for (const other of NOT_OF_ONE_INGRESS)
      if (this.value(other) !== undefined) this.wrong.push(`--${other} does not go with --${flag}`)
    const text = this.text(flag) ?? ''
    const [name = '', namespace = '', group = INGRESS_GROUPS[0], ...more] = text.split('/').toReversed()
    const isOne = [name, namespace].every(isNamespace) && INGRESS_GROUPS.some((known) => known === group)
    if (!isOne || more.length > 0)
      this.wrong.push(`--${flag}: "${text}" is not NAMESPACE/NAME, or GROUP/NAMESPACE/NAME`)
    return { group, namespace, name }
  }

  count(flag: string): number {
    const text = this.text(flag) ?? ''
    const count = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0
    if (count === 0) this.wrong.push(`--${flag}: "${text}" is no count: write 1 to 999`)
    return count
  }

  /** `ADDRESS=N`, any number of them. */
  counts(flag: string): Readonly<Record<string, number>> {
    const given = this.value(flag)
    const pairs = (Array.isArray(given) ? given : []).map(
      (text: string) => /^([0-9a-f.:]+)=([1-9]\d{0,3})$/.exec(text) ?? text,
    )
    for (const pair of pairs) if (typeof pair === 'string') this.wrong.push(`--${flag}: "${pair}" is not ADDRESS=N`)
    return Object.fromEntries(
      pairs.flatMap((pair) => (typeof pair === 'string' ? [] : [[canonicalAddress(pair[1] ?? ''), Number(pair[2])]])),
    )
  }

  /** Two doors at one port would each get some of the clients of the other. */
  differ({ port, statusPort, agentCheckPort }: Pick<AgentOptions, 'port' | 'statusPort' | 'agentCheckPort'>): void {
    const flags = { port, 'status-port': statusPort, 'agent-check-port': agentCheckPort }
    const seen = new Map<number, string>()
    for (const [flag, at] of Object.entries(flags)) {
      const other = at === undefined || at <= 0 ? undefined : seen.get(at)
      if (other !== undefined) this.wrong.push(`--${flag}: ${at} is the port of --${other}`)
      if (at !== undefined && other === undefined) seen.set(at, flag)
    }
  }

  /** The pause between two checks that take time themselves. */
  interval(flag: string): number {
    return this.duration(flag, SHORTEST_INTERVAL_MS, '100ms')
  }

  dialect(flag: string): DialectName {
    const text = this.text(flag) ?? ''
    if (isDialectName(text)) return text
    this.wrong.push(`--${flag}: "${text}" must be plain, disable-on-404, body or f5`)
    return 'plain'
  }
}
