import type { LabelRequirement, LabelSelector } from '../model/label-selector.ts'
import { labelKeyFault, labelValueFault } from './label-syntax.ts'

type ParsedSelector =
  | { readonly ok: true; readonly selector: LabelSelector }
  | { readonly ok: false; readonly fault: string }

const LIST = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/
const COMPARISON = /^([^\s=!]+)\s*(==|=|!=)\s*(\S*)$/
const PRESENCE = /^(!?)\s*([^\s=!()]+)$/

/**
 * A selector in the form of kubectl's `-l`: `a=b,c!=d,e in (f,g),h notin (i),j,!k` (apimachinery pkg/labels/selector.go;
 * without `>` and `<`). An empty selector is an error: it would select everything.
 */
export function parseLabelSelector(text: string): ParsedSelector {
  const requirements: LabelRequirement[] = []
  for (const term of termsOf(text)) {
    const requirement = requirementOf(term)
    if (typeof requirement === 'string') return { ok: false, fault: requirement }
    requirements.push(requirement)
  }
  return requirements.length === 0
    ? { ok: false, fault: 'the selector is empty' }
    : { ok: true, selector: joined(requirements) }
}

function termsOf(text: string): readonly string[] {
  if (text.trim() === '') return []
  return text.split(/,(?![^()]*\))/).map((term) => term.trim())
}

function requirementOf(term: string): LabelRequirement | string {
  if (term === '') return 'there is nothing between two commas'
  const requirement = shapeOf(term)
  if (requirement === undefined) return `"${term}" is not a condition`
  const keyFault = labelKeyFault(requirement.key)
  if (keyFault !== undefined) return `"${requirement.key}" is not a label key: ${keyFault}`
  for (const value of requirement.values) {
    const fault = labelValueFault(value)
    if (fault !== undefined) return `"${value}" is not a label value: ${fault}`
  }
  return requirement
}

function shapeOf(term: string): LabelRequirement | undefined {
  const list = LIST.exec(term)
  if (list !== null) {
    const values = (list[3] ?? '').split(',').map((value) => value.trim())
    return { key: list[1] ?? '', operator: list[2] === 'in' ? 'In' : 'NotIn', values }
  }
  const comparison = COMPARISON.exec(term)
  if (comparison !== null) {
    const operator = comparison[2] === '!=' ? 'NotIn' : 'In'
    return { key: comparison[1] ?? '', operator, values: [comparison[3] ?? ''] }
  }
  const presence = PRESENCE.exec(term)
  if (presence === null) return undefined
  return { key: presence[2] ?? '', operator: presence[1] === '!' ? 'DoesNotExist' : 'Exists', values: [] }
}

/** `a=b` becomes matchLabels; a second value for the same key stays a requirement, so that both must hold. */
function joined(requirements: readonly LabelRequirement[]): LabelSelector {
  const labels = new Map<string, string>()
  const matchExpressions: LabelRequirement[] = []
  for (const requirement of requirements) {
    const [only, ...more] = requirement.values
    const plain = requirement.operator === 'In' && only !== undefined && more.length === 0
    if (plain && !labels.has(requirement.key)) labels.set(requirement.key, only)
    else matchExpressions.push(requirement)
  }
  return { matchLabels: Object.fromEntries(labels), matchExpressions }
}
