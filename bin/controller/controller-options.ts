import { INGRESS_GROUPS, type IngressGroup } from '../../src/ground/model/ingress-keys.ts'
import { type OutLimit, parseOutLimit } from '../../src/ground/model/out-limit.ts'
import { present } from '../../src/ground/model/present.ts'
import { SLOTS_NAMESPACE } from '../../src/ground/model/slot.ts'
import { FlagReader, flagsRefused, parsedFlags } from '../../src/ground/text/flag-reader.ts'
import { parseLabelSelector } from '../../src/ground/text/parse-label-selector.ts'

export interface ControllerOptions {
  /** The namespace of the Lease. */
  readonly namespace: string
  /** The namespace in which the agents look for the grants. */
  readonly grantsNamespace: string
  readonly limit: OutLimit
  /** A label selector in kubectl's form. */
  readonly selector?: string
  readonly returnMs: number
  readonly leaseDurationMs: number
  readonly statusPort: number
  readonly address?: string
  /** Absent: the service account of the pod. */
  readonly kubeconfig?: string
  /** Absent: the DNS of the cluster is not checked. */
  readonly dns?: DnsLoopOptions
  /** Absent: IngressDaemonSets are left alone. */
  readonly ingress?: IngressLoopOptions
  /** Absent: NodeGuards are left alone. */
  readonly guard?: GuardLoopOptions
  /** Absent: Rolls are left alone. */
  readonly rolls?: RollLoopOptions
}

export interface RollLoopOptions {
  /** A directory with `job.yaml`, the Job of a run, and perhaps `allowed.yaml`, a list of values that Rolls may name. */
  readonly directory: string
  /** Absent: clients are not answered. */
  readonly fleetLock?: FleetLockOptions
}

export interface FleetLockOptions {
  readonly port: number
  /** The file with the token that clients send. */
  readonly tokenFile: string
}

export interface GuardLoopOptions {
  /** The namespace of the slots of the node budget and of its ConfigMap. */
  readonly slotsNamespace: string
}

export interface IngressLoopOptions {
  /** Groups whose CustomResourceDefinition is installed. */
  readonly groups: readonly IngressGroup[]
  /** The namespace of the slots of the node budget and of its ConfigMap. */
  readonly slotsNamespace: string
  /** Where each agent serves `/healthz`; absent: agents are not asked. */
  readonly agentPort?: number
}

export interface DnsLoopOptions {
  readonly intervalMs: number
  /** The image of this program: it is run on two nodes, and asks DNS from there. Absent: only this process asks. */
  readonly image?: string
  readonly repair: boolean
  /** The node of this process, where it is known. */
  readonly node?: string
}

const TEXT = { type: 'string' } as const
const FLAGS = {
  namespace: TEXT,
  'grants-namespace': TEXT,
  'max-cordoned-out': { ...TEXT, default: '50%' },
  selector: TEXT,
  'return-delay': { ...TEXT, default: '10s' },
  'lease-duration': { ...TEXT, default: '15s' },
  'status-port': { ...TEXT, default: '8081' },
  address: TEXT,
  kubeconfig: TEXT,
  dns: { type: 'boolean' },
  'dns-interval': TEXT,
  'dns-image': TEXT,
  'dns-repair': { type: 'boolean' },
  ingress: { type: 'boolean' },
  'ingress-groups': TEXT,
  'slots-namespace': TEXT,
  guard: { type: 'boolean' },
  rolls: TEXT,
  'fleetlock-port': TEXT,
  'fleetlock-token': TEXT,
  'ingress-agent-port': TEXT,
  // It is gone, and who still gives it is to hear why.
  'webhook-port': TEXT,
  'node-name': TEXT,
  help: { type: 'boolean', short: 'h' },
} as const

const DNS_INTERVAL_MS = 30_000
/** A check of many pods takes seconds itself. */
const DNS_INTERVAL_MS_MIN = 5_000

const NO_WEBHOOK =
  '--webhook-port is gone, and so is the webhook: remove the option and the ValidatingWebhookConfiguration evenkeel-ingress (docs/controller.md)'

const OWNER = { command: 'controller', code: 'CONTROLLER_OPTIONS' } as const

export const CONTROLLER_HELP = `Usage: evenkeel controller [options]

Limits how many nodes of a fleet leave their load balancers by cordon:
it publishes which cordons are granted, and agents follow that list.
Run two replicas; one leads. With --dns it also checks the cluster DNS,
with --ingress it rolls out IngressDaemonSets, and with --guard it lets
nodes be drained one by one, as NodeGuards say.

Options:
  --max-cordoned-out N|P%  how many may be out at a time      (50%)
  --selector L             which nodes share load balancers   (all)
  --return-delay T         how long an uncordoned node still
                           counts as out                      (10s)
  --namespace NS           of the Lease                       (the pod's)
  --grants-namespace NS    where the agents run               (--namespace)
  --lease-duration T       after it a dead leader is replaced (15s)
  --status-port N          /healthz, /readyz, /metrics        (8081)
  --address A              listen at one address              (all)
  --kubeconfig FILE        to run outside a cluster   (the pod's account)
  --dns                    the leader checks the cluster DNS         (off)
  --dns-interval T         between two checks, at least 5s            (30s)
  --dns-image IMAGE        also check from two nodes, by pods of
                           this image of evenkeel        (from here alone)
  --dns-repair             replace one unhealthy DNS pod if that
                           is safe; needs --dns-image                 (off)
  --ingress                the leader acts on IngressDaemonSets      (off)
  --ingress-groups LIST    the API groups that are installed, with
                           commas between them           (evenkeel.dev)
  --ingress-agent-port N   where agents serve /healthz: a node counts
                           as leaving once its agent says so (not asked)
  --guard                  the leader acts on NodeGuards             (off)
  --rolls DIR              the leader acts on Rolls in --namespace, by
                           pods of DIR/job.yaml (docs/rolls.md)      (off)
  --fleetlock-port N       answers clients that ask by FleetLock whether
                           they may reboot (docs/fleetlock.md)       (off)
  --fleetlock-token FILE   the token that these clients send
  --slots-namespace NS     of the node budget, for --ingress and
                           --guard                           (evenkeel)
  --node-name NAME         the node that this runs on        ($NODE_NAME)

Example:
  evenkeel controller --max-cordoned-out 2 --selector ingress=edge
  curl http://localhost:8081/healthz
`

/** `podNamespace`: that of the pod that this process runs in, if it does. */
interface ControllerPlace {
  readonly podNamespace: string | undefined
  /** From the downward API. */
  readonly nodeName?: string | undefined
}

/** Undefined where help was asked for. Throws UserError CONTROLLER_OPTIONS that names every fault. */
export function controllerOptions(args: readonly string[], place: ControllerPlace): ControllerOptions | undefined {
  const values = parsedFlags(args, FLAGS, OWNER)
  if (values.help === true) return undefined
  const read = new Reader(values)
  const options = optionsOf(read, place)
  if (values['webhook-port'] !== undefined) read.wrong.push(NO_WEBHOOK)
  if (read.wrong.length > 0) throw flagsRefused(read.wrong, OWNER)
  return options
}

function optionsOf(read: Reader, { podNamespace, nodeName }: ControllerPlace): ControllerOptions {
  const namespace = read.namespaceOr('namespace', podNamespace)
  const selector = read.selector('selector')
  const address = read.text('address')
  const kubeconfig = read.text('kubeconfig')
  const dns = read.dns(nodeName)
  const slotsNamespace = read.slotsNamespace()
  const rolls = read.rolls()
  const ingress = read.ingress(slotsNamespace)
  return {
    namespace,
    grantsNamespace: read.namespaceOr('grants-namespace', namespace),
    limit: read.limit('max-cordoned-out'),
    returnMs: read.duration('return-delay'),
    leaseDurationMs: read.duration('lease-duration', 1_000, '1s'),
    statusPort: read.port('status-port'),
    ...present({ selector, address, kubeconfig, dns, ingress, rolls }),
    ...(read.value('guard') === true ? { guard: { slotsNamespace } } : {}),
  }
}

class Reader extends FlagReader {
  /** `fallback` is a valid name, or absent. */
  namespaceOr(flag: string, fallback: string | undefined): string {
    if (this.text(flag) !== undefined) return this.namespace(flag)
    if (fallback === undefined) this.wrong.push(`--${flag} is missing: outside a pod it must be given`)
    return fallback ?? ''
  }

  limit(flag: string): OutLimit {
    const text = this.text(flag) ?? ''
    const limit = parseOutLimit(text)
    if (limit === undefined) this.wrong.push(`--${flag}: "${text}" is not a number of nodes: write 2, or 50%`)
    return limit ?? { kind: 'count', count: 1 }
  }

  dns(nodeName: string | undefined): DnsLoopOptions | undefined {
    const isOn = this.value('dns') === true
    const repair = this.value('dns-repair') === true
    const image = this.text('dns-image')
    const intervalMs = this.optional('dns-interval', (flag) => this.duration(flag, DNS_INTERVAL_MS_MIN, '5s'))
    const node = this.optional('node-name', (flag) => this.node(flag)) ?? nodeName
    if (image === '') this.wrong.push('--dns-image: name one, as in registry.example/evenkeel:1.0')
    for (const flag of ['dns-interval', 'dns-image', 'dns-repair'])
      if (!isOn && this.value(flag) !== undefined) this.wrong.push(`--${flag} needs --dns`)
    if (isOn && repair && image === undefined)
      this.wrong.push('--dns-repair needs --dns-image: a pod is replaced only if two nodes see that it is unhealthy')
    if (!isOn) return undefined
    return {
      intervalMs: intervalMs ?? DNS_INTERVAL_MS,
      repair,
      ...present({ image, node }),
    }
  }

  rolls(): RollLoopOptions | undefined {
    const directory = this.text('rolls')
    const port = this.optional('fleetlock-port', (flag) => this.port(flag))
    const tokenFile = this.text('fleetlock-token')
    if (directory === undefined && port !== undefined) this.wrong.push('--fleetlock-port needs --rolls')
    if (port !== undefined && !tokenFile)
      this.wrong.push('--fleetlock-port needs --fleetlock-token: who may ask takes nodes out of service')
    if (port === undefined && tokenFile !== undefined) this.wrong.push('--fleetlock-token needs --fleetlock-port')
    if (directory === undefined) return undefined
    return { directory, ...(port === undefined ? {} : { fleetLock: { port, tokenFile: tokenFile ?? '' } }) }
  }

  slotsNamespace(): string {
    const isUsed = this.value('ingress') === true || this.value('guard') === true
    if (!isUsed && this.value('slots-namespace') !== undefined)
      this.wrong.push('--slots-namespace needs --ingress or --guard')
    return this.optional('slots-namespace', (flag) => this.namespace(flag)) ?? SLOTS_NAMESPACE
  }

  ingress(slotsNamespace: string): IngressLoopOptions | undefined {
    const isOn = this.value('ingress') === true
    for (const flag of ['ingress-groups', 'ingress-agent-port'])
      if (!isOn && this.value(flag) !== undefined) this.wrong.push(`--${flag} needs --ingress`)
    const words = (this.text('ingress-groups') ?? 'evenkeel.dev').split(',').map((word) => word.trim())
    const groups = INGRESS_GROUPS.filter((group) => words.includes(group))
    const strangers = words.filter((word) => !groups.some((group) => group === word))
    if (strangers.length > 0)
      this.wrong.push(`--ingress-groups: "${strangers.join(',')}" is not among ${INGRESS_GROUPS.join(' and ')}`)
    const agentPort = this.optional('ingress-agent-port', (flag) => this.port(flag))
    if (!isOn) return undefined
    return { groups, slotsNamespace, ...present({ agentPort }) }
  }

  selector(flag: string): string | undefined {
    const text = this.text(flag)
    if (text === undefined) return undefined
    const read = parseLabelSelector(text)
    if (!read.ok) this.wrong.push(`--${flag}: ${read.fault}: write it as for kubectl -l`)
    return text
  }
}
