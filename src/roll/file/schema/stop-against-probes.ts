import { formatDuration } from '../../../ground/model/duration.ts'
import { nearestName } from '../../../ground/text/nearest-name.ts'

type Fields = Readonly<Record<string, unknown>>

interface Complaint {
  readonly message: string
  readonly path: (string | number)[]
  readonly params: { readonly code: string; readonly hint?: string; readonly fix: string; readonly at?: 'key' }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks `stop` against the probes of the same file. Runs also where other fields are wrong, so it assumes nothing. */
export function stopAgainstProbes(spec: unknown): readonly Complaint[] {
  if (!isFields(spec) || !isFields(spec.stop) || !Array.isArray(spec.probes)) return []
  const probes = spec.probes.filter(isFields)
  if (probes.length === 0) return [noProbes]
  const { failedRequests, latency, errorBudget } = spec.stop
  return [
    ...countComplaints(failedRequests),
    ...rulesOf(latency).flatMap(([rule, index]) => ruleComplaints(rule, ['stop', 'latency', index], probes)),
    ...rulesOf(errorBudget).flatMap(([rule, index]) => nameComplaints(rule, ['stop', 'errorBudget', index], probes)),
  ]
}

const noProbes: Complaint = {
  message: 'a stop rule without a probe: nothing is measured',
  path: ['stop'],
  params: { code: 'config.stop', fix: 'add "probes", or remove "stop"', at: 'key' },
}

const rulesOf = (list: unknown): readonly (readonly [rule: Fields, index: number])[] =>
  Array.isArray(list) ? list.flatMap((rule: unknown, index) => (isFields(rule) ? [[rule, index] as const] : [])) : []

function countComplaints(limits: unknown): readonly Complaint[] {
  if (!isFields(limits)) return []
  const { inAll, perNode } = limits
  if (typeof inAll !== 'number' || typeof perNode !== 'number' || perNode <= inAll) return []
  return [
    {
      message: `"perNode" allows ${perNode} and "inAll" only ${inAll}`,
      path: ['stop', 'failedRequests', 'perNode'],
      params: { code: 'config.stop', hint: `at most ${inAll}`, fix: `perNode: ${inAll}` },
    },
  ]
}

type Path = (string | number)[]

function nameComplaints({ probe }: Fields, path: Path, probes: readonly Fields[]): readonly Complaint[] {
  if (typeof probe !== 'string') return []
  const found = probes.find(({ name }) => name === probe)
  if (found !== undefined && found.control !== true) return []
  const names = probes.flatMap(({ name, control }) => (typeof name === 'string' && control !== true ? [name] : []))
  const meant = nearestName(probe, names) ?? names[0]
  const message = found === undefined ? `there is no probe "${probe}"` : `"${probe}" is a control, which stops no roll`
  const fix = meant === undefined ? 'remove it' : `probe: ${meant}`
  return [
    { message, path: [...path, 'probe'], params: { code: 'config.stop', hint: `one of: ${names.join(', ')}`, fix } },
  ]
}

function ruleComplaints(rule: Fields, path: Path, probes: readonly Fields[]): readonly Complaint[] {
  const named = nameComplaints(rule, path, probes)
  if (named.length > 0) return named
  const meant = probes.filter(({ name, control }) => control !== true && (rule.probe ?? name) === name)
  return meant.flatMap((probe) => tooSlow(rule, path, probe) ?? tooFew(rule, path, probe) ?? []).slice(0, 1)
}

function tooSlow({ slowerThan }: Fields, path: Path, { name, timeout }: Fields): Complaint | undefined {
  if (typeof slowerThan !== 'number' || typeof timeout !== 'number' || slowerThan < timeout) return undefined
  return {
    message: `a request to ${String(name)} that takes ${formatDuration(slowerThan)} has failed already`,
    path: [...path, 'slowerThan'],
    params: {
      code: 'config.stop',
      hint: `shorter than the "timeout" of the probe (${formatDuration(timeout)})`,
      fix: `slowerThan: ${Math.max(1, Math.floor(timeout / 2))}ms`,
    },
  }
}

const OVER_MAX_MS = 600_000

/** If the share is less than one request, the first slow request would stop the roll. */
function tooFew({ share, over }: Fields, path: Path, { name, rate }: Fields): Complaint | undefined {
  if (typeof share !== 'number' || typeof over !== 'number' || typeof rate !== 'number') return undefined
  const sent = (rate * over) / 1000
  if (sent * share >= 1 - 1e-9) return undefined
  const neededMs = Math.ceil(1 / (rate * share)) * 1000
  const leastPercent = Math.ceil(10_000 / ((rate * OVER_MAX_MS) / 1000)) / 100
  return {
    message: `${share * 100} % of the ${Math.floor(sent)} requests to ${String(name)} in ${formatDuration(over)} is less than one`,
    path: [...path, 'share'],
    params: {
      code: 'config.stop',
      fix: neededMs <= OVER_MAX_MS ? `over: ${neededMs / 1000}s` : `over: 10min and share: ${leastPercent}%`,
    },
  }
}
