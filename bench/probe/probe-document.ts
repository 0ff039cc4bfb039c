import type { Lateness } from './lateness.ts'

/** What `bench/probe.ts` found. */
export interface ProbeDocument {
  readonly bench: 'probe.startError'
  readonly ratePerSecond: number
  readonly sent: number
  readonly skipped: number
  readonly failed: number
  readonly prober: Lateness
  /** Of a loop of the same schedule that asks nothing, in turns with the prober. */
  readonly bare: Lateness
  readonly goalP99Ms: number
  readonly met: boolean
  readonly proberCpuShare: number
  readonly cores: number
  readonly loadAverage: number
}
