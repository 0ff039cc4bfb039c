import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CliContext } from '../../cli/cli-context.ts'
import { duration } from '../../cli/flag-values.ts'
import { addStyleOptions, type OutputFlags, outputOption, resultStyle } from '../../cli/output-options.ts'
import type { Wired } from '../../cli/print-result.ts'
import { jsonPrinter, livePrinter, plainPrinter, type WatchPrinter } from '../../cli/watch-printer.ts'
import { withErrorDocument } from '../../cli/with-error-document.ts'
import { present } from '../../ground/model/present.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { PageOf } from '../../ground/ports/http-door.ts'
import { chooseProgress, type ProgressChoice } from '../../ground/text/terminal/choose-progress.ts'
import type { DnsVerdict } from '../decide/verdict.ts'
import type { DnsStatus } from '../run/dns-metrics.ts'
import { dnsPages } from '../run/dns-pages.ts'
import { EMPTY_DNS_STATUS } from '../run/fold-check.ts'
import type { WatchedDns } from '../run/watch-dns.ts'
import { addPlaceOptions, type DnsPlace, type PlaceFlags, placeOf } from './dns-place.ts'
import { type DnsSeen, runWatch } from './run-watch.ts'
import { watchDocument } from './watch-document.ts'
import { changeLines, heartbeatLine } from './watch-lines.ts'
import { BEFORE_FIRST, watchScreen } from './watch-screen.ts'

/** The address of the metrics pages. Without a host: all addresses of the machine. */
interface PagesPlace {
  readonly host?: string
  /** 0 means any free port. */
  readonly port: number
}

export interface WatchActions {
  /** Queries nothing before the first check. */
  readonly watch: (place: DnsPlace) => WatchedDns
  /** Rejects with UserError where nothing can listen there. */
  readonly openPages: (
    at: PagesPlace,
    pages: PageOf,
  ) => Promise<{ readonly port: number; readonly close: () => Promise<void> }>
}

interface WatchFlags extends PlaceFlags, Pick<OutputFlags, 'color' | 'ascii'> {
  readonly interval: number
  readonly for?: number
  readonly metrics?: PagesPlace
  readonly progress: ProgressChoice
  readonly output: 'text' | 'json'
  readonly scene?: true
}

const INTERVAL_MIN_MS = 1_000

const EXAMPLE = `
Example: watch from two nodes of the cluster until Ctrl-C, with metrics for Prometheus
  evenkeel dns watch --relay --image registry.example/evenkeel:1.0 --metrics 127.0.0.1:9153

Example: record each check of ten minutes, one JSON object per line
  evenkeel dns watch --for 10min -o json > dns.jsonl

On a terminal it draws a table with the last checks of each path: the higher a
mark, the slower the answer, from below 1 ms to 100 ms and more; x no answer, !
an answer with a fault, ? not asked. Elsewhere it writes a line for each change.

Exit codes: 0 each check was ok; 1 one was bad or degraded; 2 wrong usage, or
nothing can be asked; 3 none was bad or degraded, and the state of one is not
known; 130 interrupted.`

interface WatchWired extends Wired<WatchActions> {
  /** The exit code of a check with that verdict. */
  readonly exitOf: (verdict: DnsVerdict) => number
}

/** `evenkeel dns watch`. */
export function addWatch(dns: Command, { load, context, exitWith, exitOf }: WatchWired): void {
  const command = addPlaceOptions(dns.command('watch'))
    .summary('check again and again, and show what changes')
    .description('Checks DNS again and again, and shows the state, how long answers take, and what changes.')
    .addOption(
      new Option('--interval <duration>', 'time from one check to the next').argParser(duration).default(10_000, '10s'),
    )
    .addOption(new Option('--for <duration>', 'how long to watch (default: until Ctrl-C)').argParser(duration))
    .addOption(
      new Option('--metrics <address:port>', 'serve /metrics for Prometheus at this address').argParser(pagesPlace),
    )
    .addOption(
      new Option('--progress <form>', 'form of the text; plain suits screen readers and logs')
        .choices(['auto', 'live', 'plain'])
        .default('auto'),
    )
    .addOption(outputOption())
    .option('--scene', 'with -o json: all evidence of each check, for dns explain')
    .addHelpText('after', EXAMPLE)
  addStyleOptions(command).action(async (flags: WatchFlags) => {
    const code = await withErrorDocument(
      context,
      { ...flags, output: flags.output === 'json' ? 'jsonl' : 'text' },
      async () => {
        const place = watchedPlace(flags)
        const isLive = flags.output === 'text' && chooseProgress(flags.progress, context.terminal, 'stdout') === 'live'
        const actions = await load()
        let status: DnsStatus = EMPTY_DNS_STATUS
        const door =
          flags.metrics === undefined
            ? undefined
            : await actions.openPages(
                flags.metrics,
                dnsPages(() => status),
              )
        if (door !== undefined) context.err.write(`metrics: http://${shownHost(flags.metrics)}:${door.port}/metrics\n`)
        try {
          const { interval, for: forMs } = flags
          return await runWatch({
            checks: actions.watch(place),
            printer: printerOf(flags, context, isLive),
            context,
            intervalMs: interval,
            ...present({ forMs }),
            exitOf,
            onStatus: (now) => {
              status = now
            },
          })
        } finally {
          await door?.close()
        }
      },
    )
    exitWith(code)
  })
}

function printerOf(flags: WatchFlags, { out, clock, terminal }: CliContext, isLive: boolean): WatchPrinter<DnsSeen> {
  const style = resultStyle(flags, terminal)
  const parts = { sink: out, clock, style }
  const intervalMs = flags.interval
  if (flags.output === 'json')
    return jsonPrinter(out, ({ seen }) => watchDocument(seen, { at: clock.wallMs(), withScene: flags.scene === true }))
  if (isLive)
    return livePrinter(parts, {
      first: BEFORE_FIRST,
      frame: ({ status }, { now, size }) => watchScreen(status, { now, size, style, intervalMs }),
    })
  let changedAt: WallMs | undefined
  return plainPrinter(parts, {
    news: ({ status }) => {
      const at = status.changes.at(-1)?.at
      if (at === changedAt) return []
      changedAt = at
      return changeLines(status)
    },
    unchanged: ({ status }) => heartbeatLine(status),
  })
}

/** Throws UserError that names the flag. */
function watchedPlace(flags: WatchFlags): DnsPlace {
  const refuse = (message: string, fix: string): UserError => new UserError(message, { code: 'dns.usage', fix })
  if (flags.interval < INTERVAL_MIN_MS)
    throw refuse('--interval: at most one check a second', 'write a duration of 1s or more, as in 10s')
  if (flags.scene === true && flags.output !== 'json') throw refuse('--scene needs -o json', 'add -o json')
  const place = placeOf(flags)
  if (place.ephemeral !== undefined)
    throw refuse(
      '--ephemeral: each lost connection would leave one more container in the pod',
      'watch from relays: --relay',
    )
  return place
}

/** `127.0.0.1:9153`, `[::1]:9153`, or `:9153` for all addresses. */
function pagesPlace(text: string): PagesPlace {
  const [, bracketed, plain = '', digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^[\]:\s/]*)):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535)
    throw new InvalidArgumentError('Write ADDRESS:PORT, as in 127.0.0.1:9153, or :9153 for all addresses.')
  const host = bracketed ?? plain
  return { port, ...(host === '' ? {} : { host }) }
}

function shownHost({ host = 'localhost' }: Partial<PagesPlace> = {}): string {
  return host.includes(':') ? `[${host}]` : host
}
