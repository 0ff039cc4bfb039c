import type { CliContext } from '../../cli/cli-context.ts'
import { EXIT_FAILED } from '../../cli/exit-codes.ts'
import { type OutputFlags, outputModes } from '../../cli/output-options.ts'
import { findingLines } from '../../dns/cli/check-lines.ts'
import { guardLines } from '../../dns/cli/repair-result.ts'
import type { DnsCheck } from '../../dns/run/check-dns.ts'
import type { RepairOrBusy } from '../../dns/run/repair-alone.ts'
import { formatDuration } from '../../ground/model/duration.ts'
import { present } from '../../ground/model/present.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { countOf, countText } from '../../ground/text/count-text.ts'
import { type Line, padCells, paintLine } from '../../ground/text/terminal/style.ts'
import { DemoScreen } from '../demo-screen.ts'
import { keepUp } from '../keep-up.ts'
import type { DnsDemoActions, DnsDemoCluster, SentQueries } from './dns-demo-actions.ts'
import { type DnsDemoRun, dnsDemoDocument, dnsDemoLines, isSound, keptLines } from './dns-demo-result.ts'
import { PodWatch } from './pod-watch.ts'

interface DnsDemoFlags extends OutputFlags {
  readonly output: 'text' | 'json'
  readonly keep?: boolean
}

/** How long the healthy state is shown, and then the loss that only clients notice. */
const WELL_MS = 2_000
const BROKEN_MS = 4_000
const REFRESH_MS = 250
const WHO_CELLS = 10

/** Breaks one pod of DNS over UDP, lets it be found and repaired, and shows what was lost. Returns the exit code. */
export async function runDnsDemo(context: CliContext, actions: DnsDemoActions, flags: DnsDemoFlags): Promise<number> {
  const modes = outputModes(flags, context.terminal)
  const screen = new DemoScreen(context, modes)
  const takeBack = context.onExit(() => screen.restoreCursor())
  const { signal } = context.interrupts
  let cluster: DnsDemoCluster | undefined
  try {
    const show = new Show(screen)
    show.say('cluster', 'an embedded cluster comes up')
    cluster = await actions.open(signal)
    const run = await shown({ cluster, show, clock: context.clock, isLong: modes.level > 1 }, signal)
    screen.close()
    const result =
      flags.output === 'json'
        ? `${JSON.stringify(dnsDemoDocument(run), null, 2)}\n`
        : dnsDemoLines(run, actions.program)
            .map((line) => `${paintLine(line, modes.outStyle)}\n`)
            .join('')
    context.out.write(result)
    if (flags.keep === true) await keepUp(context, keptLines(cluster), flags.output === 'json')
    return isSound(run) ? 0 : EXIT_FAILED
  } finally {
    screen.close()
    takeBack()
    await cluster?.end()
  }
}

/** Lines that stay, each with its subject. */
class Show {
  readonly #screen: DemoScreen

  constructor(screen: DemoScreen) {
    this.#screen = screen
  }

  say(who: string, ...line: Line): void {
    this.#screen.say([{ text: padCells(who, WHO_CELLS), tone: 'name' }, ' ', ...line])
  }

  /** The lines below them, painted anew until `signal` is aborted. */
  async follow(queries: SentQueries, clock: Clock, signal: AbortSignal): Promise<void> {
    this.#screen.show(() => {
      const { sent, lost } = queries.tally()
      const lostPiece = lost === 0 ? '0 lost' : ({ text: `${countText(lost)} lost`, tone: 'stop' } as const)
      return [{ text: padCells('resolvers', WHO_CELLS), tone: 'name' }, ` ${countText(sent)} sent  `, lostPiece]
    })
    try {
      for (;;) {
        this.#screen.refresh()
        await clock.sleep(REFRESH_MS, signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

interface Showing {
  readonly cluster: DnsDemoCluster
  readonly show: Show
  readonly clock: Clock
  readonly isLong: boolean
}

async function shown(parts: Showing, signal: AbortSignal): Promise<DnsDemoRun> {
  const { cluster, show, clock } = parts
  const { nodes, pods, service, sick } = cluster
  const at = `${service.address} port ${service.port}`
  show.say('cluster', `${nodes.length} nodes, ${pods.length} pods of DNS behind Service kube-system/kube-dns at ${at}`)
  const queries = cluster.sendQueries()
  const watch = new PodWatch(cluster, clock)
  const over = new AbortController()
  const ended = AbortSignal.any([signal, over.signal])
  const beside = [show.follow(queries, clock, ended), watch.run(ended)]
  for (const one of beside) one.catch(() => undefined)
  try {
    await clock.sleep(WELL_MS, signal)
    show.say('resolvers', `100 queries a second to the Service: ${tallyText(queries.tally())}`)
    const brokenAtMs = clock.monoMs()
    // The break must not lose queries that were sent before it.
    await queries.settled(signal, brokenAtMs)
    cluster.dropUdp()
    show.say('break', `UDP to ${sick.name} on ${sick.node} is dropped, TCP is not`)
    await clock.sleep(BROKEN_MS, signal)
    show.say('resolvers', { text: tallyText(queries.tally(brokenAtMs)), tone: 'stop' }, ' since')
    show.say('health', `/health of ${sick.name}: ${goodText(watch, 'health')} good; the API says ${readyText(watch)}`)
    show.say('health', `DNS over TCP: ${goodText(watch, 'dnsOverTcp')} answered`)
    const repaired = await repairedIn(parts, signal)
    await queries.stop(signal)
    over.abort()
    await Promise.all(beside)
    return { ...repaired, cluster, queries, watch, brokenAtMs }
  } finally {
    over.abort()
  }
}

type Repaired = Pick<DnsDemoRun, 'repair' | 'beganAtMs' | 'foundAtMs' | 'touchedAtMs'>

async function repairedIn({ cluster, show, clock, isLong }: Showing, signal: AbortSignal): Promise<Repaired> {
  const beganAtMs = clock.monoMs()
  let foundAtMs: number | undefined
  let touchedAtMs: number | undefined
  show.say('repair', 'begins: it queries every pod and the Service from two nodes')
  const onCheck = (check: DnsCheck): void => {
    if (foundAtMs !== undefined) return
    foundAtMs = clock.monoMs()
    const cost = `${countText(check.queries)} queries in ${countOf(check.rounds, 'round')}`
    show.say('check', { text: check.verdict.toUpperCase(), tone: 'stop' }, `  ${cost}`)
    for (const line of findingLines(check.findings, isLong)) show.say('check', ...line)
  }
  const onTouch = (): void => {
    touchedAtMs ??= clock.monoMs()
  }
  const repair = await cluster.repair({ onCheck, onTouch, onWord: (text) => show.say('repair', text) }, signal)
  for (const line of endLines(repair, isLong)) show.say('repair', ...line)
  return {
    repair,
    beganAtMs,
    ...present({ foundAtMs, touchedAtMs }),
  }
}

/** The result, and why it is no cure, if it is not. */
function endLines(repair: RepairOrBusy, isLong: boolean): readonly Line[] {
  if ('busy' in repair) return [[repair.trouble ?? `another repair is under way: ${repair.busy}`]]
  const { decision, outcome } = repair
  if (decision.kind === 'nothing') return [[`nothing to repair: ${decision.why}`]]
  const guards = isLong || decision.kind === 'held' ? guardLines(decision.guards, (sentence) => sentence) : []
  if (decision.kind === 'held') return [[{ text: 'HELD', tone: 'hold' }], ...guards]
  if (outcome?.kind !== 'cured') return [...guards, [{ text: 'NOT CURED', tone: 'stop' }, `  ${outcome?.why ?? ''}`]]
  return [...guards, [{ text: 'CURED', tone: 'work' }, `  DNS was well after ${formatDuration(outcome.tookMs)}`]]
}

const tallyText = ({ sent, lost }: { readonly sent: number; readonly lost: number }): string =>
  `${countText(sent)} sent, ${countText(lost)} lost`

function goodText(watch: PodWatch, what: 'health' | 'dnsOverTcp'): string {
  const { asked, failed } = watch.seen(what)
  return `${asked - failed} of ${asked}`
}

const readyText = (watch: PodWatch): string => (watch.last?.ready === true ? 'Ready' : 'not Ready')
