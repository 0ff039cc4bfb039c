import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { type Column, tableLines } from '../../../ground/text/table-lines.ts'
import { markdownTable } from '../markdown-report.ts'
import { type ComparedRow, comparisonOf, type RunPair } from './run-comparison.ts'

interface Part {
  readonly heading: string
  readonly rows: readonly ComparedRow[]
}

const partsOf = (pair: RunPair): readonly Part[] => {
  const { verdicts, nodes, steps } = comparisonOf(pair)
  return [
    { heading: 'Figures', rows: verdicts },
    { heading: 'Time per node', rows: nodes },
    { heading: 'Time per step, the middle value of all nodes', rows: steps },
  ]
}

const cellsOf = ({ name, values, change }: ComparedRow): readonly string[] => [name, ...values, change]

/** Three tables for a terminal. */
export function compareLines(pair: RunPair): readonly string[] {
  const columns = ['', ...pair.map(({ run }) => escapeForeign(run)), 'change'].map(
    (title): Column => ({ title, align: 'left' }),
  )
  return partsOf(pair).flatMap(({ heading, rows }, index) => [
    ...(index === 0 ? [] : ['']),
    heading,
    ...tableLines(columns, rows.map(cellsOf)),
  ])
}

/** The same for a ticket. */
export function compareMarkdown(pair: RunPair): string {
  const head = ['', ...pair.map(({ run }) => run), 'change']
  const parts = partsOf(pair).map(({ heading, rows }) => `## ${heading}\n\n${markdownTable(head, rows.map(cellsOf))}`)
  return `${parts.join('\n\n')}\n`
}
