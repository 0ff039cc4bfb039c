import type { Figure } from '../report/figure.ts'
import type { DeadPodDocument, DnsDocument, MemoryDocument, RandomLossDocument, SweepDocument } from './dns-document.ts'

const SWEEP_GOAL_S = 1
/** Of what there is after the first 100,000 queries. */
const MEMORY_GOAL = 1.1

export function dnsFigures(document: DnsDocument): readonly Figure[] {
  switch (document.bench) {
    case 'dns.sweep':
      return sweepFigures(document)
    case 'dns.deadPod':
      return deadPodFigures(document)
    case 'dns.randomLoss':
      return randomLossFigures(document)
    case 'dns.memory':
      return memoryFigures(document)
  }
}

function sweepFigures(document: SweepDocument): readonly Figure[] {
  const { targets, queries, failed, sweepMs, bareMs, dnsperfMs, queriesPerSecond, byDefault } = document
  const asked = `${targets} targets, ${queries} queries`
  const medianS = medianOf(sweepMs) / 1_000
  const perSecond = (ms: readonly number[]): number => Math.round((1_000 * queries) / medianOf(ms))
  const besides = [
    ['bare loop', bareMs] as const,
    ...(dnsperfMs === undefined ? [] : [['dnsperf', dnsperfMs] as const]),
  ]
  return [
    { name: `${asked} at --rate ${queriesPerSecond}, median of ${sweepMs.length}`, value: medianS, goal: SWEEP_GOAL_S },
    { name: `${asked} at --rate ${queriesPerSecond}, the first`, value: (sweepMs[0] ?? 0) / 1_000, goal: SWEEP_GOAL_S },
    { name: `${asked} at --rate ${byDefault.queriesPerSecond}, the default`, value: byDefault.ms / 1_000 },
  ]
    .map((figure): Figure => ({ part: 'dns', unit: 's', ...figure }))
    .concat(
      besides.map(([name, ms]) => ({
        part: 'dns',
        name: `queries a second, ${document.atOnce} at once`,
        value: perSecond(sweepMs),
        unit: '',
        beside: { name, value: perSecond(ms) },
      })),
      { part: 'dns', name: 'queries of these sweeps without a right answer', value: failed, unit: '', goal: 0 },
    )
}

function deadPodFigures({ timeoutMs, checks, missed, tookMs, waitsMs }: DeadPodDocument): readonly Figure[] {
  const took = (name: string, ms: number): Figure => ({
    part: 'dns',
    name: `a dead pod is named at --timeout ${timeoutMs}ms, ${name}`,
    value: ms / 1_000,
    unit: 's',
    beside: { name: 'its own waits', value: waitsMs / 1_000 },
  })
  return [
    took('least', Math.min(...tookMs)),
    took(`median of ${checks}`, medianOf(tookMs)),
    took('most', Math.max(...tookMs)),
    { part: 'dns', name: `of ${checks} checks, not named within two rounds`, value: missed, unit: '', goal: 0 },
  ]
}

function randomLossFigures({ path, loss, rounds, falseAlarms, ms }: RandomLossDocument): readonly Figure[] {
  const where = `${path}, ${100 * loss} % lost`
  return [
    { part: 'dns', name: `false alarms in ${rounds} rounds, ${where}`, value: falseAlarms, unit: '', goal: 0 },
    { part: 'dns', name: `simulated rounds a second, ${where}`, value: Math.round((1_000 * rounds) / ms), unit: '' },
  ]
}

function memoryFigures({ dropOneIn, looks }: MemoryDocument): readonly Figure[] {
  const [first, last] = [looks[0], looks.at(-1)]
  if (first === undefined || last === undefined) return []
  const which = dropOneIn === undefined ? 'all answered' : `one in ${dropOneIn} dropped`
  const figure = (name: string, value: number, besideMb: number): Figure => ({
    part: 'dns',
    name: `${name} after ${last.queries} queries, ${which}`,
    value,
    unit: 'MB',
    beside: { name: `after ${first.queries}`, value: besideMb },
    goal: hundredths(MEMORY_GOAL * besideMb),
  })
  return [figure('memory', last.residentMb, first.residentMb), figure('heap', last.heapMb, first.heapMb)]
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

const hundredths = (value: number): number => Math.round(100 * value) / 100
