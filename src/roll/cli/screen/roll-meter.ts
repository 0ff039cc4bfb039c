import type { CliContext } from '../../../cli/cli-context.ts'
import { withDeadline } from '../../../ground/loop/deadline.ts'
import { steadyClock } from '../../../ground/loop/steady-clock.ts'
import { OVER } from '../../../ground/model/over.ts'
import { present } from '../../../ground/model/present.ts'
import type { Sample } from '../../../ground/model/probe.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { PageOf } from '../../../ground/ports/http-door.ts'
import { PROMETHEUS_CONTENT_TYPE } from '../../../ground/text/prometheus-text.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import { reduceRoll } from '../../report/view/reduce-roll.ts'
import { emptyRollView, type RollView } from '../../report/view/roll-view.ts'
import type { MetricsPlace, OpenMetrics, RollActions } from '../roll-actions.ts'
import type { MetricsFlags, PlaceFlags } from '../roll-options.ts'
import { countsOf, NO_COUNTS, rollMetrics } from './roll-metrics.ts'

/** The metrics of one process of a run, made from its events. They do not change the roll and never fail it. */
export class RollMeter {
  readonly #clock: Clock
  /** The clock that stamps the events. */
  readonly #steady: Clock
  readonly #before: readonly StampedEvent[]
  #fault: unknown
  /** Absent until this process has its first event: the last state of an earlier process is not that of this one. */
  #view: RollView | undefined
  #counts = NO_COUNTS
  #sentOf = new Map<string, number>()
  /** A resumed run has no baseline: a node may be out already, so every request counts. */
  #isAfterBaseline = false
  #isChanged = false

  constructor({ clock, before = [] }: { readonly clock: Clock; readonly before?: readonly StampedEvent[] }) {
    this.#clock = clock
    this.#steady = steadyClock(clock)
    this.#before = before
  }

  note(event: StampedEvent): void {
    try {
      this.#view = reduceRoll(this.#view ?? this.#before.reduce(reduceRoll, emptyRollView), event)
      this.#counts = countsOf(this.#view, this.#counts)
      this.#isChanged = true
      if (event.type === 'baseline.ended' && !this.#isAfterBaseline) this.#sentOf = new Map()
      if (event.type === 'baseline.ended' || this.#view.resumed) this.#isAfterBaseline = true
    } catch (error) {
      this.#fault ??= error
    }
  }

  /** Requests of the probe. Controls are not behind the balancers, and late requests were not sent. */
  count(samples: readonly Sample[]): void {
    for (const { target, control, verdict } of samples)
      if (!control && verdict !== 'skipped') this.#sentOf.set(target, (this.#sentOf.get(target) ?? 0) + 1)
  }

  /** Before the first event there is nothing to write: the file of an earlier roll is still true. */
  hasBegun(): boolean {
    return this.#view !== undefined
  }

  text(): string {
    if (this.#fault !== undefined) throw this.#fault
    const times = { at: this.#steady.wallMs(), updatedAt: this.#clock.wallMs() }
    const counts = this.#isAfterBaseline ? { ...this.#counts, sentOf: this.#sentOf } : this.#counts
    return rollMetrics(this.#view ?? emptyRollView, counts, times)
  }

  readonly pages: PageOf = ({ target }) => {
    if (target.split('?', 1)[0] !== '/metrics') return plainPage(404, 'there is no such page; see /metrics')
    try {
      return { status: 200, contentType: PROMETHEUS_CONTENT_TYPE, body: this.text() }
    } catch (error) {
      return plainPage(500, String(error))
    }
  }

  /** Writes what has changed, and regularly in any case: a file that grows old shows that the process is gone. */
  async keepWriting(write: OpenMetrics['write'], signal: AbortSignal): Promise<never> {
    for (let quietMs = 0; ; quietMs += LOOK_EVERY_MS) {
      await this.#clock.sleep(LOOK_EVERY_MS, signal)
      if (!this.hasBegun() || (!this.#isChanged && quietMs < WRITE_EVERY_MS)) continue
      this.#isChanged = false
      quietMs = 0
      await write(this.text())
    }
  }
}

const plainPage = (status: number, text: string) => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body: `${text}\n`,
})

const LOOK_EVERY_MS = 1_000
const WRITE_EVERY_MS = 15_000
/** A directory that hangs, such as a lost NFS server, must not delay the exit. */
const END_LIMIT_MS = 2_000

const NEVER = new AbortController().signal

interface Metered {
  readonly context: CliContext
  readonly actions: Pick<RollActions, 'openMetrics'>
  /** Events of earlier processes of the run. */
  readonly before?: readonly StampedEvent[]
}

/** Serves and writes the metrics of a roll while `work` goes on, where the flags ask for it. */
export async function metered(
  flags: MetricsFlags & Pick<PlaceFlags, 'quiet'>,
  { context, actions, before = [] }: Metered,
  work: (meter?: RollMeter) => Promise<number>,
): Promise<number> {
  const place = metricsPlace(flags)
  if (place === undefined) return work()
  const meter = new RollMeter({ clock: context.clock, before })
  const open = await actions.openMetrics(place, meter.pages)
  if (open.port !== undefined && flags.quiet !== true)
    context.err.write(`metrics: http://${shownHost(place)}:${open.port}/metrics\n`)
  const writing = new AbortController()
  const warn = (error: unknown): void => {
    if (error !== OVER) context.err.write(`warning: metrics are not written any more: ${String(error)}\n`)
  }
  const written = meter.keepWriting(open.write, writing.signal).catch(warn)
  try {
    return await work(meter)
  } finally {
    writing.abort(OVER)
    const limits = { clock: context.clock, limitMs: END_LIMIT_MS, signal: NEVER, what: 'the file of the metrics' }
    await withDeadline(limits, async () => {
      await written
      if (meter.hasBegun()) await open.write(meter.text())
    }).catch(warn)
  }
}

const LOOPBACK = '127.0.0.1'

function metricsPlace({ metricsPort, metricsAddress, metricsFile }: MetricsFlags): MetricsPlace | undefined {
  if (metricsAddress !== undefined && metricsPort === undefined)
    throw new UserError('--metrics-address is given without a port', {
      code: 'usage.metrics',
      fix: 'add --metrics-port PORT',
    })
  if (metricsPort === undefined && metricsFile === undefined) return undefined
  return {
    ...(metricsPort === undefined ? {} : { at: { host: metricsAddress ?? LOOPBACK, port: metricsPort } }),
    ...present({ file: metricsFile }),
  }
}

function shownHost({ at }: MetricsPlace): string {
  const host = at?.host ?? LOOPBACK
  return host.includes(':') ? `[${host}]` : host
}
