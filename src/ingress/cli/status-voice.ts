import { formatMinSec } from '../../ground/model/duration.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { LivePainter, paintedLine } from '../../ground/text/terminal/live-painter.ts'
import { type Line, padCells, paintLine, type Style } from '../../ground/text/terminal/style.ts'
import type { TextSink } from '../../ground/text/terminal/text-sink.ts'
import { timeText } from '../../ground/text/time-text.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import type { RolloutStanding } from '../decide/rollout/standing.ts'
import type { RolloutSight } from '../run/commands/rollout-watch.ts'
import { countsText, nodeLines, shownNodes, whyOf } from './status-lines.ts'

/** One reading, with what it says. */
export interface Seen {
  readonly object: CheckedIngress
  readonly standing: RolloutStanding
  readonly sight: RolloutSight
}

/** What shows a rollout while it goes on. */
export interface StatusVoice {
  seen(seen: Seen): void
  close(): void
  /** The cursor alone, for a way out of the process that has no time for more. */
  restoreCursor(): void
}

interface VoiceParts {
  readonly sink: TextSink
  readonly clock: Clock
  readonly style: Style
}

const NODES_MAX = 12
const HEARTBEAT_MS = 60_000
const nothing = (): void => undefined

export const silentVoice = (): StatusVoice => ({ seen: nothing, close: nothing, restoreCursor: nothing })

/** Draws in place; what it showed goes, and the end says how things stand. */
export function liveVoice({ sink, clock, style }: VoiceParts): StatusVoice {
  const painter = new LivePainter(sink)
  const begunAt = clock.monoMs()
  return {
    seen: ({ object, standing, sight }) => {
      const { columns, rows } = sink.size()
      const head: Line = [
        { text: `rollout ${object.name}`, tone: 'name' },
        `    ${countsText(object)}    ${formatMinSec(clock.monoMs() - begunAt)}`,
      ]
      const most = Math.max(1, Math.min(NODES_MAX, rows - 6))
      const nodes = nodeLines(shownNodes(standing, sight), { now: clock.wallMs(), most })
      const lines = [head, ...doubtLines(sight), ...(nodes.length === 0 ? [[`  ${standing.why}`]] : nodes)]
      // One column stays free: a full line would fold, and the next frame would begin one row too low.
      painter.draw(
        [],
        lines.map((line) => paintedLine(paintLine(line, style, columns - 1))),
      )
    },
    close: () => painter.close(),
    restoreCursor: () => painter.restoreCursor(),
  }
}

const doubtLines = ({ trouble, unled }: RolloutSight): readonly Line[] => [
  ...(trouble === undefined ? [] : [[{ text: 'old news', tone: 'hold' } as const, `  ${trouble}`]]),
  ...(unled === undefined ? [] : [[{ text: 'held', tone: 'hold' } as const, `  ${unled}`]]),
]

/** A line for each change of a node and of the counts, and one a minute where nothing changes. */
export function plainVoice({ sink, clock, style }: VoiceParts): StatusVoice {
  let spokenAt: MonoMs | undefined
  let before = new Map<string, string>()
  const say = (about: string, text: string): void => {
    sink.write(`${paintLine([`${timeText(clock.wallMs())} ${padCells(about, 8)} ${text}`], style)}\n`)
  }
  return {
    seen: ({ object, standing, sight }) => {
      const now = linesOf(object, standing, sight)
      const news = [...now].filter(([about, text]) => before.get(about) !== text)
      const back = [...before.keys()].filter((about) => !now.has(about) && !about.startsWith('-'))
      const isDue = spokenAt !== undefined && clock.monoMs() - spokenAt >= HEARTBEAT_MS
      before = now
      if (news.length + back.length === 0 && !isDue) return
      spokenAt = clock.monoMs()
      for (const about of back) say(about, 'InService')
      for (const [about, text] of news) say(about, text)
      if (news.length + back.length === 0) say('-', `${countsText(object)}; ${standing.why}`)
    },
    close: nothing,
    restoreCursor: nothing,
  }
}

function linesOf(object: CheckedIngress, standing: RolloutStanding, sight: RolloutSight): Map<string, string> {
  const { trouble, unled } = sight
  return new Map([
    ['-', countsText(object)],
    ...(trouble === undefined ? [] : [['- ', `old news: ${trouble}`] as const]),
    ...(unled === undefined ? [] : [['-  ', `held: ${unled.replace(/ for \d+ s,/, ',')}`] as const]),
    ...standing.nodes.map((node) => [node.name, `${node.state}: ${whyOf(node)}`] as const),
  ])
}
