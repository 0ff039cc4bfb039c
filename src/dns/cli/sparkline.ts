import type { SymbolSet } from '../../ground/text/terminal/choose-symbols.ts'
import type { Tick } from '../run/dns-metrics.ts'

/** The lower limit of each mark. Every row uses the same scale at all times, so rows can be compared. */
const LEVELS_MS = [1, 2, 5, 10, 20, 50, 100]

const MARKS: Readonly<Record<SymbolSet, { readonly levels: string } & Readonly<Record<Tick & string, string>>>> = {
  unicode: { levels: '▁▂▃▄▅▆▇█', silent: '×', ill: '!', unknown: '·' },
  ascii: { levels: '_.-:=+*#', silent: 'x', ill: '!', unknown: '?' },
}

/** The newest `cells` ticks, the newest last: a mark for how long an answer took, or for what was wrong. */
export function sparkline(history: readonly Tick[], cells: number, symbols: SymbolSet): string {
  const marks = MARKS[symbols]
  return history
    .slice(-cells)
    .map((tick) =>
      typeof tick === 'number' ? marks.levels[LEVELS_MS.filter((from) => tick >= from).length] : marks[tick],
    )
    .join('')
}
