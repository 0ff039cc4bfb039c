import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { distinct, plainText, type Sentence, say } from '../../../ground/model/sentence.ts'
import type { RollPlan } from '../../model/roll-plan.ts'

export interface PlanNotes {
  /** Node → the text of its last column: `may hold [1]`, `blocks [2]`. */
  readonly marks: ReadonlyMap<string, string>
  /** The notes themselves, numbered from 1, each with its fix. */
  readonly texts: readonly Sentence[]
  /** How many nodes may hold the roll, or block it. */
  readonly holds: number
}

/** What may hold or block a node, numbered below the table; a text for several nodes appears once. */
export function planNotes({ findings }: RollPlan): PlanNotes {
  const notes = findings.filter(({ severity }) => severity === 'hold' || severity === 'block')
  const texts = distinct(notes.map(withFix))
  const numbers = new Map(texts.map((text, at) => [plainText(text), at + 1]))
  const marked = new Map<string, { readonly numbers: Set<number>; blocks: boolean }>()
  for (const finding of notes) {
    for (const node of nodesOf(finding)) {
      const mark = marked.get(node) ?? { numbers: new Set(), blocks: false }
      mark.numbers.add(numbers.get(plainText(withFix(finding))) ?? 0)
      mark.blocks ||= finding.severity === 'block'
      marked.set(node, mark)
    }
  }
  const marks = [...marked].map(([node, mark]): [string, string] => [
    node,
    `${mark.blocks ? 'blocks' : 'may hold'} [${[...mark.numbers].join(', ')}]`,
  ])
  return { marks: new Map(marks), texts, holds: marked.size }
}

export const withFix = ({ text, fix }: PlanFinding): Sentence => (fix === undefined ? text : say`${text} (${fix})`)

const nodesOf = ({ node, nodes = [] }: PlanFinding): readonly string[] => (node === undefined ? nodes : [node])
