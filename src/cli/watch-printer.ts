import { shownJson } from '../ground/model/foreign-text.ts'
import { OVER } from '../ground/model/over.ts'
import type { MonoMs, WallMs } from '../ground/model/time.ts'
import type { Clock } from '../ground/ports/clock.ts'
import { LivePainter, paintedLine } from '../ground/text/terminal/live-painter.ts'
import { type Line, padCells, paintLine, paintLines, type Style } from '../ground/text/terminal/style.ts'
import type { TerminalSize, TextSink } from '../ground/text/terminal/text-sink.ts'
import { timeText } from '../ground/text/time-text.ts'

/** Shows each reading of a watch while it goes on. */
export interface WatchPrinter<T> {
  seen(reading: T): void
  /** Ends all drawing and restores the terminal. Safe to call twice. */
  close(): Promise<void>
  /** Restores only the cursor, for an exit that has no time for more. */
  restoreCursor(): void
}

interface PrinterParts {
  readonly sink: TextSink
  readonly clock: Clock
  readonly style: Style
}

interface Live<T> {
  /** The whole frame. `forMs`: since the watch began. */
  readonly frame: (
    reading: T,
    show: { readonly now: WallMs; readonly forMs: number; readonly size: TerminalSize },
  ) => readonly Line[]
  /**
   * Drawn until the first reading. With it the screen is painted anew each second, and its last frame stays. Absent: it is
   * painted at each reading, and removed at the end.
   */
  readonly first?: readonly Line[]
}

/** Ages are counted in seconds, and a resized terminal is painted anew by then. */
const FRAME_MS = 1_000
/** After this time without a line, a log gets one that shows that the watch goes on. */
const HEARTBEAT_MS = 60_000

const nothing = (): void => undefined
const withoutScreen = { close: async () => undefined, restoreCursor: nothing }

export const silentPrinter: WatchPrinter<unknown> = { seen: nothing, ...withoutScreen }

/** Draws in place. */
export function livePrinter<T>({ sink, clock, style }: PrinterParts, { frame, first }: Live<T>): WatchPrinter<T> {
  const painter = new LivePainter(sink)
  const begunAt = clock.monoMs()
  const ticking = new AbortController()
  let last: { readonly reading: T } | undefined
  const painted = (): readonly string[] => {
    const size = sink.size()
    const show = { now: clock.wallMs(), forMs: clock.monoMs() - begunAt, size }
    const lines = last === undefined ? (first ?? []) : frame(last.reading, show)
    // One column stays free: a full line would wrap, and the next frame would begin one row too low.
    return lines.map((line) => paintLine(line, style, size.columns - 1))
  }
  const draw = (): void => painter.draw([], painted().map(paintedLine))
  const tick = async (): Promise<void> => {
    for (;;) {
      draw()
      await clock.sleep(FRAME_MS, ticking.signal)
    }
  }
  const isOver = (error: unknown): void => {
    if (error !== OVER) throw error
  }
  const ticks = first === undefined ? undefined : tick().catch(isOver)
  return {
    seen: (reading) => {
      last = { reading }
      draw()
    },
    close: async () => {
      if (ticking.signal.aborted) return
      ticking.abort(OVER)
      await ticks
      painter.close(first === undefined || last === undefined ? [] : painted())
    },
    restoreCursor: () => painter.restoreCursor(),
  }
}

interface Plain<T> {
  /** The news since the last reading; empty where nothing changed. */
  readonly news: (reading: T) => readonly Line[]
  readonly unchanged: (reading: T) => Line
}

/** Lines for news, and one a minute while nothing changes. */
export function plainPrinter<T>({ sink, clock, style }: PrinterParts, { news, unchanged }: Plain<T>): WatchPrinter<T> {
  let spokenAt: MonoMs | undefined
  return {
    seen: (reading) => {
      const lines = news(reading)
      const isDue = spokenAt !== undefined && clock.monoMs() - spokenAt >= HEARTBEAT_MS
      if (lines.length === 0 && !isDue) return
      spokenAt = clock.monoMs()
      const shown = lines.length === 0 ? [unchanged(reading)] : lines
      sink.write(paintLines(shown, style))
    },
    ...withoutScreen,
  }
}

interface Named<T> {
  /** The text about each thing, by its name. */
  readonly said: (reading: T) => ReadonlyMap<string, string>
  /** The text about a name that is gone; undefined: none. */
  readonly gone: (name: string) => string | undefined
  readonly unchanged: (reading: T) => string
}

/** A line for each thing whose text has changed. */
export function namedNews<T>(clock: Pick<Clock, 'wallMs'>, { said, gone, unchanged }: Named<T>): Plain<T> {
  let before: ReadonlyMap<string, string> = new Map()
  const line = (name: string, text: string): Line => [`${timeText(clock.wallMs())} ${padCells(name, 8)} ${text}`]
  return {
    news: (reading) => {
      const now = said(reading)
      const left = [...before.keys()].flatMap((name) => {
        const text = now.has(name) ? undefined : gone(name)
        return text === undefined ? [] : [line(name, text)]
      })
      const changed = [...now].filter(([name, text]) => before.get(name) !== text)
      before = now
      return [...left, ...changed.map(([name, text]) => line(name, text))]
    },
    unchanged: (reading) => line('-', unchanged(reading)),
  }
}

/** A JSON object a line, one for each reading. */
export const jsonPrinter = <T>(sink: TextSink, documentOf: (reading: T) => object): WatchPrinter<T> => ({
  seen: (reading) => sink.write(`${shownJson(documentOf(reading))}\n`),
  ...withoutScreen,
})
