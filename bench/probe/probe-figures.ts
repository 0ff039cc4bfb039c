import type { Figure } from '../report/figure.ts'
import type { ProbeDocument } from './probe-document.ts'

export function probeFigures({ ratePerSecond, prober, bare, skipped, goalP99Ms }: ProbeDocument): readonly Figure[] {
  const late = (name: string, value: number, besideMs: number): Figure => ({
    part: 'probe',
    name: `start error at ${ratePerSecond}/s, ${name}`,
    value,
    unit: 'ms',
    beside: { name: 'bare loop', value: besideMs },
  })
  return [
    late('p50', prober.p50Ms, bare.p50Ms),
    { ...late('p99', prober.p99Ms, bare.p99Ms), goal: goalP99Ms },
    { part: 'probe', name: `skipped of ${prober.samples + skipped} samples`, value: skipped, unit: '' },
  ]
}
