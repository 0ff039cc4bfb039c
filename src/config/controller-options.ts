import { parseArgs } from 'node:util'
import { type CordonLimit, parseCordonLimit } from '../model/cordon-limit.ts'
import { parseDuration } from '../model/duration.ts'
import { UserError } from '../model/user-error.ts'
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

type Flag = keyof typeof FLAGS
type Values = Readonly<Partial<Record<Flag, string | boolean>>>

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
export interface ControllerPlace {
  readonly podNamespace: string | undefined
}

/** Undefined where help was asked for. Throws UserError CONTROLLER_OPTIONS that names everything that is wrong. */
export function controllerOptions(args: readonly string[], place: ControllerPlace): ControllerOptions | undefined {
  const values = parsed(args)
  if (values.help === true) return undefined
  const wrong: string[] = []
  const options = optionsOf(new Reader(values, wrong), place)
  if (wrong.length > 0) throw refused(wrong)
  return options
}

function optionsOf(read: Reader, { podNamespace }: ControllerPlace): ControllerOptions {
  const namespace = read.namespace('namespace', podNamespace)
  const selector = read.selector('selector')
  const address = read.text('address')
  const kubeconfig = read.text('kubeconfig')
  return {
    namespace,
    grantsNamespace: read.namespace('grants-namespace', namespace),
    limit: read.limit('max-cordoned-out'),
    returnMs: read.duration('return-delay', 0),
    leaseDurationMs: read.duration('lease-duration', 1_000),
    statusPort: read.port('status-port'),
    ...(selector === undefined ? {} : { selector }),
    ...(address === undefined ? {} : { address }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
  }
}

/** Reads one flag after the other and notes what is wrong with each. */
class Reader {
  readonly #values: Values
  readonly #wrong: string[]

  constructor(values: Values, wrong: string[]) {
    this.#values = values
    this.#wrong = wrong
  }

  text(flag: Flag): string | undefined {
    const value = this.#values[flag]
    return typeof value === 'string' ? value : undefined
  }

  /** A DNS label (RFC 1123). */
  namespace(flag: Flag, fallback: string | undefined): string {
    const name = this.text(flag) ?? fallback
    if (name === undefined) this.#wrong.push(`--${flag} is missing: outside of a pod, name one`)
    else if (name !== fallback && !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
      this.#wrong.push(`--${flag}: "${name}" names no namespace`)
    }
    return name ?? ''
  }

  limit(flag: Flag): CordonLimit {
    const text = this.text(flag) ?? ''
    const limit = parseCordonLimit(text)
    if (limit === undefined) this.#wrong.push(`--${flag}: "${text}" is no number of nodes: write 2, or 50%`)
    return limit ?? { kind: 'count', count: 1 }
  }

  selector(flag: Flag): string | undefined {
    const text = this.text(flag)
    if (text === undefined) return undefined
    const read = parseLabelSelector(text)
    if (!read.ok) this.#wrong.push(`--${flag}: ${read.fault}: write it as for kubectl -l`)
    return text
  }

  duration(flag: Flag, leastMs: number): number {
    const found = parseDuration(this.text(flag) ?? '')
    if ('error' in found) {
      this.#wrong.push(`--${flag}: ${found.error}`)
      return leastMs
    }
    if (found.ms < leastMs) this.#wrong.push(`--${flag}: write ${leastMs / 1_000}s at least`)
    return found.ms
  }

  /** 0: any that is free. */
  port(flag: Flag): number {
    const text = this.text(flag) ?? ''
    const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
    if (port < 0 || port > 65_535) this.#wrong.push(`--${flag}: "${text}" is no port: write 1 to 65535`)
    return port
  }
}

function parsed(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: false }).values
  } catch (error) {
    if (error instanceof TypeError) throw refused([error.message.split('. ')[0] ?? error.message])
    throw error
  }
}

const refused = (wrong: readonly string[]): UserError =>
  new UserError(wrong.length === 1 ? (wrong[0] ?? '') : `${wrong.length} options of the controller are wrong`, {
    code: 'CONTROLLER_OPTIONS',
    fix: 'evenkeel controller --help lists them',
    ...(wrong.length === 1 ? {} : { details: wrong }),
  })
