import type { CliContext } from '../../../cli/cli-context.ts'
import type { OutputModes } from '../../../cli/output-options.ts'
import { shownJson } from '../../../ground/model/foreign-text.ts'
import { toIso, type WallMs } from '../../../ground/model/time.ts'
import { LivePainter, type PaintedLine, paintedLine } from '../../../ground/text/terminal/live-painter.ts'
import { type Line, paintLine } from '../../../ground/text/terminal/style.ts'
import { timeText } from '../../../ground/text/time-text.ts'
import type { Histogram } from '../../decide/availability/histogram.ts'
import { OutageTeller } from '../outage-teller.ts'
import { type ProbeOutcome, probeDocument, windowDocument } from './probe-document.ts'
import { liveLine, outageLine, type ProbeNews } from './probe-lines.ts'
import type { ProbeReading } from './probe-reading.ts'
import { probeSummary } from './probe-summary.ts'
import { WindowTeller } from './window-news.ts'

interface ProbePrinterParts {
  readonly context: Pick<CliContext, 'out' | 'err' | 'clock'>
  readonly modes: OutputModes
  readonly output: 'text' | 'json' | 'jsonl'
}

/** After this time without a line, a log gets one that shows that the probe lives. */
const HEARTBEAT_MS = 60_000
const TICK_MS = 1_000

/** Shows what a probe measures: live or line by line, and as events where asked. */
export class ProbePrinter {
  readonly #parts: ProbePrinterParts
  readonly #painter: LivePainter
  readonly #teller = new WindowTeller()
  readonly #lines = new OutageTeller<ProbeNews['windows'][0]>()
  /** The live line, if there is one. */
  #live: readonly PaintedLine[] = []
  #seq = 0
  #lastLineAt: WallMs
  #lastTickAt: WallMs

  constructor(parts: ProbePrinterParts) {
    this.#parts = parts
    this.#painter = new LivePainter(parts.context.err)
    const now = parts.context.clock.wallMs()
    this.#lastLineAt = now
    this.#lastTickAt = now
  }

  started(targets: readonly string[]): void {
    this.#event('probe.started', { targets })
  }

  /** Shows what is new; called several times a second. */
  tick(reading: ProbeReading, latency: Histogram): void {
    const now = this.#parts.context.clock.wallMs()
    this.#windows(reading, now, false)
    if (now - this.#lastTickAt >= TICK_MS) {
      this.#lastTickAt = now
      const { sent, failed, retried, skipped } = reading
      this.#event('probe.tick', { sent, failed, retried, skipped, p99Ms: latency.quantileMs(0.99) })
    }
    const { progress, level } = this.#parts.modes
    if (level === 0) return
    if (progress === 'live') this.#draw(liveLine(reading, latency))
    if (progress === 'plain' && now - this.#lastLineAt >= HEARTBEAT_MS) {
      this.#line([`${timeText(now)}  `, ...liveLine(reading, latency)])
    }
  }

  warn(text: string): void {
    const now = this.#parts.context.clock.wallMs()
    this.#event('warning', { text })
    this.#write([`${timeText(now)}  `, { text: 'warning', tone: 'hold' }, `  ${text}`])
  }

  ended(reading: ProbeReading, outcome: ProbeOutcome, failedAt1Hz: number): void {
    const { context, modes, output } = this.#parts
    this.#windows(reading, context.clock.wallMs(), true)
    this.restore()
    const document = probeDocument(reading, outcome, failedAt1Hz)
    if (output === 'json') context.out.write(`${shownJson(document)}\n`)
    this.#event('probe.ended', document)
    if (output !== 'text') return
    const lines = probeSummary(reading, failedAt1Hz).map((text) => paintLine([text], modes.outStyle))
    context.out.write(`${lines.join('\n')}\n`)
  }

  /** Restores the terminal. */
  restore(): void {
    this.#live = []
    this.#painter.close()
  }

  /** Each window is an event; people see outages. */
  #windows(reading: ProbeReading, now: WallMs, ended: boolean): void {
    const open = reading.status.windows.filter(({ firstOkAt }) => firstOkAt === undefined)
    for (const window of ended ? [] : open) this.#lines.note({ window, closed: false }, now)
    for (const news of this.#teller.news(reading.status.windows, now, ended)) {
      this.#event(`window.${news.type}`, { number: news.number, ...windowDocument(news.window) })
      if (news.type === 'closed') this.#lines.note({ window: news.window, closed: true }, now)
    }
    const due = ended ? undefined : this.#lines.due(now)
    for (const news of ended ? this.#lines.rest() : []) this.#line(outageLine(news))
    if (due !== undefined) this.#line(outageLine(due))
  }

  #draw(line: Line): void {
    const { context, modes } = this.#parts
    const cells = Math.max(1, context.err.size().columns - 1)
    const live = [paintedLine(paintLine(line, modes.errStyle, cells))]
    if (live[0]?.text === this.#live[0]?.text) return
    this.#live = live
    this.#painter.draw([], live)
  }

  #line(line: Line): void {
    if (this.#parts.modes.progress !== 'none') this.#write(line)
  }

  #write(line: Line): void {
    const { context, modes } = this.#parts
    this.#lastLineAt = context.clock.wallMs()
    const text = paintLine(line, modes.errStyle)
    if (this.#live.length > 0) this.#painter.draw([text], this.#live)
    else context.err.write(`${text}\n`)
  }

  #event(type: string, fields: object): void {
    const { context, output } = this.#parts
    if (output !== 'jsonl') return
    this.#seq += 1
    const at = toIso(context.clock.wallMs())
    context.out.write(`${shownJson({ v: '1.0', seq: this.#seq, at, type, ...fields })}\n`)
  }
}
