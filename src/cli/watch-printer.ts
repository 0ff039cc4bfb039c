import { OVER } from '../ground/model/over.ts'
import type { MonoMs, WallMs } from '../ground/model/time.ts'
import type { Clock } from '../ground/ports/clock.ts'
import { LivePainter, paintedLine } from '../ground/text/terminal/live-painter.ts'
import { type Line, padCells, paintLine, type Style } from '../ground/text/terminal/style.ts'
import type { TerminalSize, TextSink } from '../ground/text/terminal/text-sink.ts'
import { timeText } from '../ground/text/time-text.ts'

/** What shows each reading of a watch while it goes on. */
export interface WatchPrinter<T> {
  seen(reading: T): void
  /** Ends all drawing and gives the terminal back. Safe to call twice. */
  close(): Promise<void>
  /** The cursor alone, for a way out of the process that has no time for more. */
  restoreCursor(): void
}

interface PrinterParts {
  readonly sink: TextSink
  readonly clock: Clock
  readonly style: Style
}

interface Live<T> {
  /** From the top. `forMs`: since the watch began. */
  readonly frame: (
    reading: T,
    show: { readonly now: WallMs; readonly forMs: number; readonly size: TerminalSize },
  ) => readonly Line[]
  /**
   * Drawn until something is read. With it the screen is drawn anew each second, and its last frame stays. Absent: it is drawn at each
   * reading, and goes.
   */
  readonly first?: readonly Line[]
}

/** Ages are counted in seconds, and a terminal that was resized is drawn anew by then. */
const FRAME_MS = 1_000
/** So long silent, a log says that the watch goes on. */
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
    // One column stays free: a full line would fold, and the next frame would begin one row too low.
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
  /** Since the reading before; empty where nothing changed. */
  readonly news: (reading: T) => readonly Line[]
  readonly unchanged: (reading: T) => Line
}

/** Lines for what is news, and one a minute where nothing changes. */
export function plainPrinter<T>({ sink, clock, style }: PrinterParts, { news, unchanged }: Plain<T>): WatchPrinter<T> {
  let spokenAt: MonoMs | undefined
  return {
    seen: (reading) => {
      const lines = news(reading)
      const isDue = spokenAt !== undefined && clock.monoMs() - spokenAt >= HEARTBEAT_MS
      if (lines.length === 0 && !isDue) return
      spokenAt = clock.monoMs()
      const shown = lines.length === 0 ? [unchanged(reading)] : lines
      sink.write(shown.map((line) => `${paintLine(line, style)}\n`).join(''))
    },
    ...withoutScreen,
  }
}

interface Named<T> {
  /** What is said of each thing, by its name. */
  readonly said: (reading: T) => ReadonlyMap<string, string>
  /** What is said of one that is named no more; undefined: nothing. */
  readonly gone: (name: string) => string | undefined
  readonly unchanged: (reading: T) => string
}

/** A line for each thing of which something else is said than before. */
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
  seen: (reading) => sink.write(`${JSON.stringify(documentOf(reading))}\n`),
  ...withoutScreen,
})
