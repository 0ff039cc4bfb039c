/** Of one program; times in milliseconds, memory in MB (10^6 bytes). */
export interface ProgramFigures {
  readonly startMs: readonly number[]
  /** Medians of the rounds. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failed: number
  readonly sent: number
  readonly apiRequestsPerProbe: number
  readonly memory: MemoryFigures
}

export interface MemoryFigures {
  readonly minutes: number
  readonly perSecond: number
  readonly residentMb: number
  readonly anonymousMb: number
  /** Growth of the anonymous memory over the second half, by least squares. */
  readonly slopeMb: number
}

/** What `bench/agent.ts` found. */
export interface AgentDocument {
  readonly bench: 'agent'
  readonly agent: ProgramFigures
  readonly article: ProgramFigures
  /** From the write of the request to the first answer `drain`, with as many agents' watches on the API server. */
  readonly watches: number
  readonly noticeMs: { readonly p50: number; readonly p99: number; readonly of: number }
  /** The image that pods run, its layers compressed. */
  readonly imageMb: number
  readonly cores: number
  readonly loadAverage: number
}
