import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { RollPlan } from '../../model/roll-plan.ts'

export interface PlanNotes {
  /** Node → the text of its last column: `may hold [1]`, `blocks [2]`. */
  readonly marks: ReadonlyMap<string, string>
  /** The notes themselves, numbered from 1, each with its fix. */
  readonly texts: readonly string[]
  /** How many nodes may hold the roll, or block it. */
  readonly holds: number
}

/** What may hold or block a node, numbered below the table; a text for several nodes appears once. */
export function planNotes({ findings }: RollPlan): PlanNotes {
  const texts: string[] = []
  const marked = new Map<string, { readonly numbers: Set<number>; blocks: boolean }>()
  for (const finding of findings) {
    const { severity } = finding
    if (severity !== 'hold' && severity !== 'block') continue
    const text = withFix(finding)
    if (!texts.includes(text)) texts.push(text)
    for (const node of nodesOf(finding)) {
      const mark = marked.get(node) ?? { numbers: new Set(), blocks: false }
      mark.numbers.add(texts.indexOf(text) + 1)
      mark.blocks ||= severity === 'block'
      marked.set(node, mark)
    }
  }
  const marks = [...marked].map(([node, { numbers, blocks }]): [string, string] => [
    node,
    `${blocks ? 'blocks' : 'may hold'} [${[...numbers].join(', ')}]`,
  ])
  return { marks: new Map(marks), texts, holds: marked.size }
}

export const withFix = ({ text, fix }: PlanFinding): string => (fix === undefined ? text : `${text} (${fix})`)

const nodesOf = ({ node, nodes = [] }: PlanFinding): readonly string[] => (node === undefined ? nodes : [node])
