import { InvalidArgumentError } from 'commander'
import type { OutputFlags } from '../../../cli/output-options.ts'
import { publicUrlFault } from '../../../ground/model/hold-url.ts'
import { present } from '../../../ground/model/present.ts'
import type { ProbeTarget } from '../../../ground/model/probe.ts'
import { UserError } from '../../../ground/model/user-error.ts'

export const OUTPUT_CHOICES = ['text', 'json', 'jsonl'] as const

/** As commander gives them, each value parsed by itself. */
export interface ProbeFlags extends OutputFlags {
  readonly rate: number
  readonly keptShare: number
  readonly kept: number
  readonly timeout: number
  readonly duration?: number
  readonly control?: string
  readonly expectStatus: readonly [low: number, high: number]
  readonly expectBody?: string
  readonly servedBy: string
  readonly insecure: boolean
  readonly maxFailed: number
  readonly output: (typeof OUTPUT_CHOICES)[number]
  readonly samples?: string
}

const HIGHEST_RATE = 5_000
const MOST_KEPT = 1_000
const HIGHEST_CONTROL_RATE = 10

export function rate(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value > 0 && value <= HIGHEST_RATE)) {
    throw new InvalidArgumentError(`Write a number of requests a second, above 0 and up to ${HIGHEST_RATE}.`)
  }
  return value
}

export function share(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('Write a share from 0 to 1.')
  return value
}

export function keptCount(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > MOST_KEPT) {
    throw new InvalidArgumentError(`Write a number of connections from 1 to ${MOST_KEPT}.`)
  }
  return value
}

/** `200-399` or `204`. */
export function statusRange(text: string): readonly [number, number] {
  const match = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/.exec(text)
  const low = Number(match?.[1])
  const high = Number(match?.[2] ?? match?.[1])
  if (match === null || low > high) throw new InvalidArgumentError('Write a status or a range, as in 200-399.')
  return [low, high]
}

/** The targets of a command line; throws UserError for a URL that cannot be probed. */
export function targetsOf(urls: readonly string[], flags: ProbeFlags): readonly ProbeTarget[] {
  const shared = {
    timeoutMs: flags.timeout,
    expectStatus: flags.expectStatus,
    servedByHeader: flags.servedBy,
    ...(flags.insecure ? { insecure: true } : {}),
  }
  const { expectBody } = flags
  const targets = urls.map((url): ProbeTarget => {
    const checked = checkedUrl(url)
    return {
      ...shared,
      ...checked,
      control: false,
      ratePerSecond: flags.rate,
      keptShare: flags.keptShare,
      keptConnections: flags.kept,
      ...present({ expectBody }),
    }
  })
  const names = new Set(targets.map((target) => target.name))
  if (names.size < targets.length) throw new UserError('a URL is given twice', { code: 'usage.url' })
  if (flags.control === undefined) return targets
  return [...targets, controlOf(flags.control, { ...shared, ratePerSecond: flags.rate })]
}

/** A few requests a second over new connections are enough to see whether this machine's own network works. */
function controlOf(
  url: string,
  shared: Pick<ProbeTarget, 'timeoutMs' | 'expectStatus' | 'servedByHeader' | 'ratePerSecond'>,
): ProbeTarget {
  const checked = checkedUrl(url)
  const ratePerSecond = Math.min(HIGHEST_CONTROL_RATE, shared.ratePerSecond)
  return {
    ...shared,
    ...checked,
    name: `control ${checked.name}`,
    control: true,
    ratePerSecond,
    keptShare: 0,
    keptConnections: 1,
  }
}

function checkedUrl(text: string): Pick<ProbeTarget, 'name' | 'url'> {
  const fault = publicUrlFault(text)
  if (fault === undefined) return { name: new URL(text).href, url: new URL(text).href }
  throw new UserError(fault, { code: 'usage.url', fix: 'write it as in https://app.example.com/' })
}
