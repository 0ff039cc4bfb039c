import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { cellWidth, sliceCells } from '../../ground/text/cell-width.ts'
import { countText } from '../../ground/text/count-text.ts'
import { tableLines } from '../../ground/text/table-lines.ts'
import type { Line, Style } from '../../ground/text/terminal/style.ts'
import { targetName } from '../decide/scene.ts'
import type { PathStatus } from '../run/dns-metrics.ts'
import { DATA_WORDS, TCP_WORDS, UDP_WORDS } from './check-lines.ts'
import { sparkline } from './sparkline.ts'

interface Room {
  readonly cells: number
  readonly lines: number
  readonly style: Style
}

const GAP = 2
const SPARK_MIN = 10
const SPARK_MAX = 30
const TO_MIN = 12

/** The columns that a narrow terminal leaves out. */
const LEFT_OUT: readonly (readonly Name[])[] = [
  [],
  ['NODE'],
  ['NODE', 'MEDIAN'],
  ['NODE', 'MEDIAN', 'LOST'],
  ['NODE', 'MEDIAN', 'LOST', 'FROM'],
]

type Name = 'FROM' | 'TO' | 'NODE' | 'STATE' | 'LOST' | 'MEDIAN'
const NAMES: readonly Name[] = ['FROM', 'TO', 'NODE', 'STATE', 'LOST', 'MEDIAN']
type Row = Readonly<Record<Name, string>>

/** One row for each path, in a fixed order. If not all fit, the worst come first, and the last line counts the rest. */
export function watchTable(paths: readonly PathStatus[], { cells, lines, style }: Room): readonly Line[] {
  if (paths.length === 0 || lines < 2) return []
  const fits = paths.length + 1 <= lines
  const shown = fits ? paths : paths.toSorted((one, other) => rank(one) - rank(other)).slice(0, Math.max(1, lines - 2))
  const rest = paths.filter((path) => !shown.includes(path))
  const [titles = '', ...rows] = tableOf(shown, cells, style)
  const toned = rows.map((text, at): Line => {
    const tick = shown[at]?.history.at(-1)
    return tick === 'silent' ? [{ text, tone: 'stop' }] : tick === 'ill' ? [{ text, tone: 'hold' }] : [text]
  })
  return [[titles], ...toned, ...(rest.length === 0 ? [] : [[`  ${restText(rest)}`]])].slice(0, lines)
}

const isWell = ({ history }: PathStatus): boolean => typeof history.at(-1) === 'number'

function restText(rest: readonly PathStatus[]): string {
  const well = rest.filter(isWell).length
  const more = `and ${countText(rest.length)} more`
  if (well === rest.length) return `${more}, all well`
  return well === 0
    ? `${more}, none of them well`
    : `${more}: ${countText(well)} well, ${countText(rest.length - well)} not`
}

/** The rank of a path; 0 is the worst. */
function rank({ history, now }: PathStatus): number {
  const tick = history.at(-1)
  if (tick === 'silent') return now?.reading.tcp === 'silent' ? 0 : 1
  if (tick === 'ill') return 2
  if (tick === 'unknown') return 3
  return (now?.reading.lost ?? 0) > 0 ? 4 : 5
}

function tableOf(paths: readonly PathStatus[], cells: number, { symbols }: Style): readonly string[] {
  const rows = paths.map(rowOf)
  const widths = widthsOf(rows)
  const roomBeside = (names: readonly Name[]): number =>
    cells - names.reduce((sum, name) => sum + GAP + widths[name], 0) - GAP
  const choices = LEFT_OUT.map((left) => NAMES.filter((name) => !left.includes(name)))
  const narrowest: readonly Name[] = ['TO', 'STATE']
  const names = choices.find((some) => roomBeside(some) >= SPARK_MIN) ?? narrowest
  const tooMuch = Math.max(0, SPARK_MIN - roomBeside(names))
  const toCells = Math.max(TO_MIN, widths.TO - tooMuch)
  const sparkCells = Math.max(SPARK_MIN, Math.min(SPARK_MAX, roomBeside(names)))
  const columns = [
    ...names.map((name) => ({ title: name, align: name === 'LOST' || name === 'MEDIAN' ? 'right' : 'left' }) as const),
    { title: `LAST ${sparkCells}`, align: 'right' } as const,
  ]
  return tableLines(
    columns,
    rows.map((row, at) => [
      ...names.map((name) => (name === 'TO' ? endOf(row.TO, toCells, symbols) : row[name])),
      sparkline(paths[at]?.history ?? [], sparkCells, symbols),
    ]),
  )
}

const widthsOf = (rows: readonly Row[]): Readonly<Record<Name, number>> => {
  const widthOf = (name: Name): number => Math.max(name.length, ...rows.map((row) => cellWidth(row[name])))
  return {
    FROM: widthOf('FROM'),
    TO: widthOf('TO'),
    NODE: widthOf('NODE'),
    STATE: widthOf('STATE'),
    LOST: widthOf('LOST'),
    MEDIAN: widthOf('MEDIAN'),
  }
}

function rowOf({ vantage, target, node = '', now }: PathStatus): Row {
  const { lost, asked, medianMs } = now?.reading ?? {}
  return {
    FROM: escapeForeign(vantage),
    TO: escapeForeign(`${target.kind} ${targetName(target)}`),
    NODE: escapeForeign(node),
    STATE: stateText(now),
    LOST: asked === undefined ? '' : `${lost} of ${asked}`,
    MEDIAN: medianMs === undefined ? '' : `${medianMs.toFixed(1)} ms`,
  }
}

/** What is wrong, in the words of `dns check`. */
function stateText(now: PathStatus['now']): string {
  if (now === undefined) return 'not known'
  const { udp, tcp, data, upstream } = now.reading
  if (udp === tcp && udp !== 'answers') return UDP_WORDS[udp]
  const wrong = [
    ...(udp === 'answers' ? [] : [`UDP ${UDP_WORDS[udp]}`]),
    ...(now.canary === 'silent' ? ['one port silent'] : []),
    ...(tcp === 'silent' ? [`TCP ${TCP_WORDS[tcp]}`] : []),
    ...(data === 'right' || data === 'unknown' ? [] : [DATA_WORDS[data]]),
    ...(upstream === 'fails' ? ['not outside'] : []),
  ]
  return wrong.length === 0 ? UDP_WORDS[udp] : wrong.join(', ')
}

/** The kind and the end of the name: the names of pods of one Deployment differ only there. */
function endOf(text: string, cells: number, symbols: Style['symbols']): string {
  if (cellWidth(text) <= cells) return text
  const mark = symbols === 'unicode' ? '…' : '~'
  const kind = text.slice(0, text.indexOf(' ') + 1)
  const name = [...text.slice(kind.length)]
  const room = cells - cellWidth(kind) - 1
  while (name.length > 0 && cellWidth(name.join('')) > room) name.shift()
  return sliceCells(`${kind}${mark}${name.join('')}`, cells)
}
