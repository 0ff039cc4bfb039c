import { STEPS } from '../../../../src/roll/model/step.ts'
import { CELLS, type Cell, FAULT_NAMES, WORLD_FAULT_NAMES, whyImpossible } from './cells.ts'
import type { CellCounts } from './fault-tally.ts'

/** All that many seeds have counted. */
export function added(all: readonly CellCounts[]): CellCounts {
  const sums: Record<string, number> = {}
  for (const counts of all) for (const [cell, count] of Object.entries(counts)) sums[cell] = (sums[cell] ?? 0) + count
  return sums
}

/** Cells that could be filled and are not. */
export const emptyCells = (counts: CellCounts): readonly Cell[] => CELLS.filter((cell) => countOf(counts, cell) === 0)

/** Kinds of faults that fell into no step. */
export const fellNowhere = (counts: CellCounts): readonly string[] =>
  [...FAULT_NAMES, ...WORLD_FAULT_NAMES].filter((fault) =>
    STEPS.every((step) => (counts[`${step} ${fault}`] ?? 0) === 0),
  )

/** In Markdown, a fault a line and a step a column; `-`: it cannot happen there. Below it, why. */
export function cellTable(counts: CellCounts): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rows = FAULT_NAMES.map((fault) => [
    fault,
    ...STEPS.map((step) => {
      const count = countOf(counts, { step, fault })
      return count === 0 && whyImpossible({ step, fault }) !== undefined ? '-' : String(count)
    }),
  ])
  const reasons = FAULT_NAMES.flatMap((fault) => STEPS.flatMap((step) => whyImpossible({ step, fault }) ?? []))
  return [
    line(['fault', ...STEPS]),
    line(['---', ...STEPS.map(() => '---:')]),
    ...rows.map(line),
    ...WORLD_FAULT_NAMES.map((fault) => line([fault, ...STEPS.map((step) => String(counts[`${step} ${fault}`] ?? 0))])),
    '',
    ...[...new Set(reasons)].map((reason) => `-: ${reason}`),
  ]
}

const countOf = (counts: CellCounts, { step, fault }: Cell): number => counts[`${step} ${fault}`] ?? 0
