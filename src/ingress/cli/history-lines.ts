import { formatDuration } from '../../ground/model/duration.ts'
import { tableLines } from '../../ground/text/table-lines.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { HistoryRow } from '../decide/rollout/history.ts'

const left = (title: string) => ({ title, align: 'left' }) as const
const right = (title: string) => ({ title, align: 'right' }) as const

/** A table, the newest revision last, as `kubectl rollout history` has it. */
export const historyLines = (rows: readonly HistoryRow[], now: number): readonly Line[] =>
  tableLines(
    [right('REVISION'), left('NAME'), left('AGE'), right('NODES'), left('IMAGES'), left('')],
    rows.map((row) => [
      String(row.revision),
      row.name,
      ageText(row.createdAt, now),
      String(row.nodes),
      row.images.join(','),
      marksOf(row).join(', '),
    ]),
  ).map((text): Line => [text])

function ageText(createdAt: string, now: number): string {
  const at = Date.parse(createdAt)
  return Number.isNaN(at) ? '?' : formatDuration(Math.max(0, now - at))
}

const marksOf = ({ isWanted, isCurrent, isRejected }: HistoryRow): readonly string[] => [
  ...(isWanted ? ['wanted'] : []),
  ...(isCurrent ? ['the last that all nodes had'] : []),
  ...(isRejected ? ['failed'] : []),
]
