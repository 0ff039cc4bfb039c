import { type CordonLimit, parseCordonLimit } from '../model/cordon-limit.ts'
import { FlagReader, flagsRefused, parsedFlags } from './flag-reader.ts'
import { parseLabelSelector } from './parse-label-selector.ts'

export interface ControllerOptions {
  /** Of the Lease. */
  readonly namespace: string
  /** Where the agents look for the grants. */
  readonly grantsNamespace: string
  readonly limit: CordonLimit
  /** A label selector, as kubectl takes it. */
  readonly selector?: string
  readonly returnMs: number
  readonly leaseDurationMs: number
  readonly statusPort: number
  readonly address?: string
  /** Absent: the service account of the pod. */
  readonly kubeconfig?: string
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
  help: { type: 'boolean', short: 'h' },
} as const

const OWNER = { command: 'controller', code: 'CONTROLLER_OPTIONS' } as const

export const CONTROLLER_HELP = `Usage: evenkeel controller [options]

Lets no more nodes of a fleet leave their load balancers by cordon than
may: it publishes which cordons are granted, and agents go by that.
Run two; one leads.

Options:
  --max-cordoned-out N|P%  how many may be out at once        (50%)
  --selector L             which nodes share load balancers   (all)
  --return-delay T         how long a node that is uncordoned
                           counts as out still                (10s)
  --namespace NS           of the Lease                       (the pod's)
  --grants-namespace NS    where the agents run               (--namespace)
  --lease-duration T       a dead leader is followed after it (15s)
  --status-port N          /healthz, /readyz, /metrics        (8081)
  --address A              listen at one address              (all)
  --kubeconfig FILE        outside of a cluster       (the pod's account)

Example:
  evenkeel controller --max-cordoned-out 2 --selector ingress=edge
  curl http://localhost:8081/healthz
`

/** `podNamespace`: of the pod that this is, where it is one. */
interface ControllerPlace {
  readonly podNamespace: string | undefined
}

/** Undefined where help was asked for. Throws UserError CONTROLLER_OPTIONS that names everything that is wrong. */
export function controllerOptions(args: readonly string[], place: ControllerPlace): ControllerOptions | undefined {
  const values = parsedFlags(args, FLAGS, OWNER)
  if (values.help === true) return undefined
  const read = new Reader(values)
  const options = optionsOf(read, place)
  if (read.wrong.length > 0) throw flagsRefused(read.wrong, OWNER)
  return options
}

function optionsOf(read: Reader, { podNamespace }: ControllerPlace): ControllerOptions {
  const namespace = read.namespaceOr('namespace', podNamespace)
  const selector = read.selector('selector')
  const address = read.text('address')
  const kubeconfig = read.text('kubeconfig')
  return {
    namespace,
    grantsNamespace: read.namespaceOr('grants-namespace', namespace),
    limit: read.limit('max-cordoned-out'),
    returnMs: read.duration('return-delay'),
    leaseDurationMs: read.duration('lease-duration', 1_000, '1s'),
    statusPort: read.port('status-port'),
    ...(selector === undefined ? {} : { selector }),
    ...(address === undefined ? {} : { address }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
  }
}

class Reader extends FlagReader {
  /** `fallback` is a name already, or none. */
  namespaceOr(flag: string, fallback: string | undefined): string {
    if (this.text(flag) !== undefined) return this.namespace(flag)
    if (fallback === undefined) this.wrong.push(`--${flag} is missing: outside of a pod, name one`)
    return fallback ?? ''
  }

  limit(flag: string): CordonLimit {
    const text = this.text(flag) ?? ''
    const limit = parseCordonLimit(text)
    if (limit === undefined) this.wrong.push(`--${flag}: "${text}" is no number of nodes: write 2, or 50%`)
    return limit ?? { kind: 'count', count: 1 }
  }

  selector(flag: string): string | undefined {
    const text = this.text(flag)
    if (text === undefined) return undefined
    const read = parseLabelSelector(text)
    if (!read.ok) this.wrong.push(`--${flag}: ${read.fault}: write it as for kubectl -l`)
    return text
  }
}
