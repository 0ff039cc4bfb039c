import type { DnsCheck } from '../../dns/run/check-dns.ts'
import type { RepairOrBusy } from '../../dns/run/repair-alone.ts'

export interface QueryTally {
  readonly sent: number
  /** No right answer came in time. */
  readonly lost: number
}

/** Resolvers that ask the Service all the time. Moments are those of the clock that a command has. */
export interface SentQueries {
  /** Of those that were sent from then on, and before `toMs`. */
  tally(fromMs?: number, toMs?: number): QueryTally
  /** When the last one was sent that was lost; undefined: none was. */
  lastLostAtMs(): number | undefined
  /** The longest time for which this process, and the cluster in it, got no turn. */
  readonly stalledMs: number
  /** Resolves when each of those that were sent before `toMs` is answered or lost. */
  settled(signal: AbortSignal, toMs?: number): Promise<void>
  /** No more are sent; resolves when each of them is answered or lost. */
  stop(signal: AbortSignal): Promise<void>
}

/** What is seen of the sick pod by others than those that ask over UDP. */
export interface PodReading {
  /** `GET /health` over TCP, as its liveness probe asks. */
  readonly health: boolean
  readonly dnsOverTcp: boolean
  /** As the API says. */
  readonly ready: boolean
  readonly runs: boolean
}

export interface RepairHearing {
  readonly onCheck: (check: DnsCheck) => void
  /** Right before the sick pod is touched. */
  readonly onTouch: () => void
  readonly onWord: (text: string) => void
}

/** An embedded cluster whose DNS is well. */
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
  /** Everything is gone afterwards. */
  end(): Promise<void>
}

export interface DnsDemoActions {
  /** Settles once every pod of DNS is Ready; leaves nothing behind where it rejects. */
  open(signal: AbortSignal): Promise<DnsDemoCluster>
  /** The command line of this program, for people to paste. */
  readonly program: string
}
