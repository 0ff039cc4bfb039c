import { OVER } from '../../ground/model/over.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { LivePainter, paintedLine } from '../../ground/text/terminal/live-painter.ts'
import { type Line, paintLine, type Style } from '../../ground/text/terminal/style.ts'
import type { TextSink } from '../../ground/text/terminal/text-sink.ts'
import type { DnsCheck } from '../run/check-dns.ts'
import type { DnsStatus } from '../run/dns-metrics.ts'
import type { CheckTrouble } from '../run/watch-dns.ts'
import { watchDocument } from './watch-document.ts'
import { changeLines, heartbeatLine } from './watch-lines.ts'
import { watchScreen } from './watch-screen.ts'

/** What shows a watch while it goes on. */
export interface WatchPrinter {
  seen(seen: DnsCheck | CheckTrouble, status: DnsStatus): void
  /** Ends all drawing and gives the terminal back. Safe to call twice. */
  close(): Promise<void>
  /** The cursor alone, for a way out of the process that has no time for more. */
  restoreCursor(): void
}

interface PrinterParts {
  readonly sink: TextSink
  readonly clock: Clock
  readonly style: Style
  readonly intervalMs: number
}

/** Ages are counted in seconds, and a terminal that was resized is drawn anew by then. */
const FRAME_MS = 1_000
/** So long silent, a log says that the watch goes on. */
const HEARTBEAT_MS = 60_000

const nothing = (): void => undefined

/** Draws the screen in place. What it showed last stays. */
export function livePrinter({ sink, clock, style, intervalMs }: PrinterParts, first: DnsStatus): WatchPrinter {
  const painter = new LivePainter(sink)
  const ticking = new AbortController()
  let status = first
  const frame = (): readonly string[] => {
    const size = sink.size()
    const lines = watchScreen(status, { now: clock.wallMs(), size, style, intervalMs })
    // One column stays free: a full line would fold, and the next frame would begin one row too low.
    return lines.map((line) => paintLine(line, style, size.columns - 1))
  }
  const draw = (): void => painter.draw([], frame().map(paintedLine))
  const tick = async (): Promise<void> => {
    for (;;) {
      draw()
      await clock.sleep(FRAME_MS, ticking.signal)
    }
  }
  const ticks = tick().catch((error: unknown) => {
    if (error !== OVER) throw error
  })
  return {
    seen: (_seen, now) => {
      status = now
      draw()
    },
    close: async () => {
      if (ticking.signal.aborted) return
      ticking.abort(OVER)
      await ticks
      painter.close(status.last === undefined ? [] : frame())
    },
    restoreCursor: () => painter.restoreCursor(),
  }
}

/** A line for the first check and for each change, and one a minute where nothing changes. */
export function plainPrinter({ sink, clock, style }: PrinterParts): WatchPrinter {
  let spokenAt = clock.monoMs()
  let changedAt: WallMs | undefined
  return {
    seen: (_seen, status) => {
      const at = status.changes.at(-1)?.at
      const isChange = at !== changedAt
      if (!isChange && clock.monoMs() - spokenAt < HEARTBEAT_MS) return
      changedAt = at
      spokenAt = clock.monoMs()
      const lines: readonly Line[] = isChange ? changeLines(status) : [heartbeatLine(status)]
      sink.write(lines.map((line) => `${paintLine(line, style)}\n`).join(''))
    },
    close: async () => undefined,
    restoreCursor: nothing,
  }
}

/** A JSON object a line, one for each check. */
export const jsonPrinter = ({ sink, clock }: PrinterParts, withScene: boolean): WatchPrinter => ({
  seen: (seen) => sink.write(`${JSON.stringify(watchDocument(seen, { at: clock.wallMs(), withScene }))}\n`),
  close: async () => undefined,
  restoreCursor: nothing,
})
