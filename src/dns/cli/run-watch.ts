import type { CliContext } from '../../cli/cli-context.ts'
import { EXIT_INTERRUPTED } from '../../cli/exit-codes.ts'
import { InterruptedError } from '../../cli/interrupts.ts'
import type { WatchPrinter } from '../../cli/watch-printer.ts'
import { formatDuration } from '../../ground/model/duration.ts'
import { present } from '../../ground/model/present.ts'
import { countOf, countText } from '../../ground/text/count-text.ts'
import { plainLine } from '../../ground/text/terminal/style.ts'
import type { DnsVerdict } from '../decide/verdict.ts'
import type { DnsCheck } from '../run/check-dns.ts'
import type { DnsStatus } from '../run/dns-metrics.ts'
import { EMPTY_DNS_STATUS, foldCheck } from '../run/fold-check.ts'
import { type CheckTrouble, type WatchedDns, watchDns } from '../run/watch-dns.ts'

/** One check, and the status after it. */
export interface DnsSeen {
  readonly seen: DnsCheck | CheckTrouble
  readonly status: DnsStatus
}

interface WatchRun {
  readonly checks: WatchedDns
  readonly printer: WatchPrinter<DnsSeen>
  readonly context: CliContext
  readonly intervalMs: number
  readonly forMs?: number
  /** Called after each check, for the page of metrics. */
  readonly onStatus: (status: DnsStatus) => void
  readonly exitOf: (verdict: DnsVerdict) => number
}

const READER_GONE = new Error('the reader of the output is gone')
/** Exit codes by weight: bad or degraded, then unknown, then well. */
const BY_WEIGHT: readonly number[] = [1, 3, 0]

/**
 * Watches until the time is over, the person interrupts it, or the reader of the output is gone. It deletes the relays before it
 * settles, unless a second Ctrl-C ends it at once. Resolves with the exit code; rejects with UserError if nothing can be queried.
 */
export async function runWatch(run: WatchRun): Promise<number> {
  const { context, printer } = run
  const takeBack = context.onExit(() => printer.restoreCursor())
  try {
    return await Promise.race([watched(run), leftAtOnce(context)])
  } finally {
    // A second Ctrl-C skips `close`, so the cursor is restored here.
    printer.restoreCursor()
    takeBack()
  }
}

/** The second Ctrl-C. */
const leftAtOnce = ({ interrupts }: CliContext): Promise<number> =>
  new Promise((resolve) => {
    interrupts.now.addEventListener('abort', () => resolve(EXIT_INTERRUPTED), { once: true })
  })

async function watched({ checks, printer, context, intervalMs, forMs, onStatus, exitOf }: WatchRun): Promise<number> {
  const { clock, interrupts, out, err } = context
  const begunAtMs = clock.monoMs()
  const gone = new AbortController()
  const seen = new Map<DnsVerdict, number>()
  let status = EMPTY_DNS_STATUS
  const watch = watchDns(
    {
      checks,
      clock,
      intervalMs,
      ...present({ forMs }),
      onSeen: (one) => {
        status = foldCheck(status, one, clock.wallMs())
        const verdict = status.last?.verdict
        if (verdict !== undefined) seen.set(verdict, (seen.get(verdict) ?? 0) + 1)
        onStatus(status)
        printer.seen({ seen: one, status })
        if (out.failure !== undefined) gone.abort(READER_GONE)
      },
    },
    AbortSignal.any([interrupts.signal, gone.signal]),
  )
  const isInterrupted = await overBy(watch, async () => {
    await printer.close()
    for (const left of await checks.close()) err.write(`${plainLine([`warning: ${left}`])}\n`)
  })
  const sum = [...seen].map(([verdict, count]) => `${countText(count)} ${verdict}`).join(', ')
  const took = `${countOf(status.checks + status.failures, 'check')} in ${formatDuration(clock.monoMs() - begunAtMs)}`
  err.write(`${isInterrupted ? 'INTERRUPTED' : 'DONE'}  ${took}${sum === '' ? '' : `: ${sum}`}\n`)
  if (isInterrupted) return EXIT_INTERRUPTED
  const codes = new Set([...seen.keys()].map(exitOf))
  return BY_WEIGHT.find((code) => codes.has(code)) ?? 0
}

/** Whether a person ended the watch. `afterwards` runs in each case. */
async function overBy(watch: Promise<void>, afterwards: () => Promise<void>): Promise<boolean> {
  try {
    await watch
    return false
  } catch (error) {
    if (error === READER_GONE) return false
    if (error instanceof InterruptedError) return true
    throw error
  } finally {
    await afterwards()
  }
}
