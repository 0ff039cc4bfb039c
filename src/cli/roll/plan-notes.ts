import type { RollPlan } from '../../model/roll-plan.ts'

export interface PlanNotes {
  /** Node → what stands in its last column: `may hold [1]`. */
  readonly marks: ReadonlyMap<string, string>
  /** The notes themselves, numbered from 1. */
  readonly texts: readonly string[]
  /** How many nodes may hold the roll. */
  readonly holds: number
}

/** What may hold a node, numbered below the table; the same text for several nodes stands once. */
export function planNotes({ findings }: RollPlan): PlanNotes {
  const texts: string[] = []
  const numbers = new Map<string, Set<number>>()
  for (const { severity, node, text } of findings) {
    if (severity !== 'hold') continue
    if (!texts.includes(text)) texts.push(text)
    if (node === undefined) continue
    numbers.set(node, (numbers.get(node) ?? new Set()).add(texts.indexOf(text) + 1))
  }
  const marks = [...numbers].map(([node, found]): [string, string] => [node, `may hold [${[...found].join(', ')}]`])
  return { marks: new Map(marks), texts, holds: numbers.size }
}
