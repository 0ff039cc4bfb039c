import { formatMinSec } from '../../ground/model/duration.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { LivePainter, paintedLine } from '../../ground/text/terminal/live-painter.ts'
import { type Line, padCells, paintLine, type Style } from '../../ground/text/terminal/style.ts'
import type { TextSink } from '../../ground/text/terminal/text-sink.ts'
import { timeText } from '../../ground/text/time-text.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import { guardStanding } from '../decide/told/guard-standing.ts'
import { toldGuard } from '../decide/told/told-guard.ts'
import { countsText, guardNodeLines, guardTable, nodeWhy } from './status-lines.ts'

/** One reading of what is watched. */
export interface GuardSight {
  readonly guards: readonly CheckedGuard[]
  /** One guard by its name, and not a list of them. */
  readonly isOne: boolean
  /** Of all namespaces. */
  readonly namespaced: boolean
  /** Why this may be old news; in words. */
  readonly trouble?: string
}

/** What shows guards while they are watched. */
export interface GuardVoice {
  seen(sight: GuardSight): void
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

export const silentGuardVoice = (): GuardVoice => ({ seen: nothing, close: nothing, restoreCursor: nothing })

/** Draws in place; what it showed goes, and the end says how things stand. */
export function liveGuardVoice({ sink, clock, style }: VoiceParts): GuardVoice {
  const painter = new LivePainter(sink)
  const begunAt = clock.monoMs()
  return {
    seen: (sight) => {
      const { columns, rows } = sink.size()
      const most = Math.max(1, Math.min(NODES_MAX, rows - 6))
      const body = frame(sight, { now: clock.wallMs(), most })
      const head: Line = [
        { text: sight.isOne ? `guard ${sight.guards[0]?.name ?? ''}` : 'guards', tone: 'name' },
        `    ${formatMinSec(clock.monoMs() - begunAt)}`,
      ]
      const doubt: readonly Line[] =
        sight.trouble === undefined ? [] : [[{ text: 'old news', tone: 'hold' }, `  ${sight.trouble}`]]
      // One column stays free: a full line would fold, and the next frame would begin one row too low.
      painter.draw(
        [],
        [head, ...doubt, ...body].map((line) => paintedLine(paintLine(line, style, columns - 1))),
      )
    },
    close: () => painter.close(),
    restoreCursor: () => painter.restoreCursor(),
  }
}

function frame(
  { guards, isOne, namespaced }: GuardSight,
  show: { readonly now: number; readonly most: number },
): readonly Line[] {
  const [one] = guards
  if (!isOne) return guardTable(guards, namespaced).slice(0, show.most + 1)
  if (one === undefined) return []
  const told = toldGuard(one)
  return [[`  ${countsText(told)}`], [`  ${guardStanding(one).why}`], ...guardNodeLines(told, show)]
}

/** A line for each change of a guard and of a node of it, and one a minute where nothing changes. */
export function plainGuardVoice({ sink, clock, style }: VoiceParts): GuardVoice {
  let spokenAt: MonoMs | undefined
  let before = new Map<string, string>()
  const say = (about: string, text: string): void => {
    sink.write(`${paintLine([`${timeText(clock.wallMs())} ${padCells(about, 8)} ${text}`], style)}\n`)
  }
  return {
    seen: (sight) => {
      const now = spoken(sight)
      const news = [...now].filter(([about, text]) => before.get(about) !== text)
      const back = [...before.keys()].filter((about) => !now.has(about))
      const isDue = spokenAt !== undefined && clock.monoMs() - spokenAt >= HEARTBEAT_MS
      before = now
      if (news.length + back.length === 0 && !isDue) return
      spokenAt = clock.monoMs()
      for (const about of back) say(about, about === TROUBLE ? 'the news is fresh again' : 'Armed, or gone')
      for (const [about, text] of news) say(about, text)
      if (news.length + back.length === 0) say('-', `no change of ${sight.guards.length} guards`)
    },
    close: nothing,
    restoreCursor: nothing,
  }
}

const TROUBLE = '- '

/** What is said of each guard and of each node that is not Armed. */
function spoken({ guards, isOne, namespaced, trouble }: GuardSight): Map<string, string> {
  const of = (guard: CheckedGuard): readonly (readonly [string, string])[] => {
    const told = toldGuard(guard)
    const name = namespaced ? `${guard.namespace}/${guard.name}` : guard.name
    return [
      [isOne ? '-' : name, `${guardStanding(guard).code}: ${countsText(told)}`],
      ...told.nodes.map(
        (node) => [isOne ? node.name : `${name} ${node.name}`, `${node.state}: ${nodeWhy(node)}`] as const,
      ),
    ]
  }
  return new Map([
    ...(trouble === undefined ? [] : [[TROUBLE, `old news: ${trouble}`] as const]),
    ...guards.flatMap(of),
  ])
}
