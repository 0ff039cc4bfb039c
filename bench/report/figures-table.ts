import { type Figure, isMissed, ratioOf } from './figure.ts'

const HEAD = ['part', 'figure', 'measured', 'compared with', 'ratio', 'goal']

/** All figures of one run as a table that Markdown reads too. */
export function figuresTable(figures: readonly Figure[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(HEAD), line(HEAD.map(() => '---')), ...figures.map((figure) => line(cellsOf(figure)))].join('\n')
}

function cellsOf(figure: Figure): readonly string[] {
  const { part, name, value, unit, beside, goal } = figure
  const amount = (number: number): string => (unit === '' ? String(number) : `${number.toFixed(2)} ${unit}`)
  return [
    part,
    name,
    amount(value),
    beside === undefined ? '' : `${beside.name} ${amount(beside.value)}`,
    ratioOf(figure)?.toFixed(2) ?? '',
    goal === undefined ? '' : `${amount(goal)}, ${isMissed(figure) ? '**missed**' : 'met'}`,
  ]
}
