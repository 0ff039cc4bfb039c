import type { DnsCheck } from '../../dns/run/check-dns.ts'
import type { RepairOrBusy } from '../../dns/run/repair-alone.ts'

export interface QueryTally {
  readonly sent: number
  /** No right answer came in time. */
  readonly lost: number
}

/** Resolvers that query the Service all the time. Times are those of the command's clock. */
export interface SentQueries {
  /** The queries that were sent from `fromMs` on, and before `toMs`. */
  tally(fromMs?: number, toMs?: number): QueryTally
  /** When the last lost query was sent; undefined: none was lost. */
  lastLostAtMs(): number | undefined
  /** The longest time for which this process, and the cluster in it, did not run. */
  readonly stalledMs: number
  /** Resolves when each query that was sent before `toMs` is answered or lost. */
  settled(signal: AbortSignal, toMs?: number): Promise<void>
  /** Sends no more queries; resolves when each is answered or lost. */
  stop(signal: AbortSignal): Promise<void>
}

/** How the sick pod looks to others than those that query it over UDP. */
export interface PodReading {
  /** `GET /health` over TCP, like its liveness probe. */
  readonly health: boolean
  readonly dnsOverTcp: boolean
  /** As the API says. */
  readonly ready: boolean
  readonly runs: boolean
}

export interface RepairHearing {
  readonly onCheck: (check: DnsCheck) => void
  /** Called right before the sick pod is changed. */
  readonly onTouch: () => void
  readonly onWord: (text: string) => void
}

/** An embedded cluster whose DNS works. */
export interface DnsDemoCluster {
  readonly nodes: readonly string[]
  readonly pods: readonly { readonly name: string }[]
  readonly service: { readonly address: string; readonly port: number }
  /** The pod that is to be broken. */
  readonly sick: { readonly name: string; readonly node: string }
  readonly kubeconfig: string
  sendQueries(): SentQueries
  /** To the sick pod alone; TCP goes on. */
  dropUdp(): void
  /** At the sick pod. */
  readPod(signal: AbortSignal): Promise<PodReading>
  /** `evenkeel dns repair`, from two nodes. */
  repair(hears: RepairHearing, signal: AbortSignal): Promise<RepairOrBusy>
  /** Nothing is left afterwards. */
  end(): Promise<void>
}

export interface DnsDemoActions {
  /** Settles once every pod of DNS is Ready; leaves nothing behind where it rejects. */
  open(signal: AbortSignal): Promise<DnsDemoCluster>
  /** The command line of this program, for people to paste. */
  readonly program: string
}
