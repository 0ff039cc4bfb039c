import { type LabelRequirement, selectorMatches } from '../../ground/model/label-selector.ts'
import { badRequest } from './api-failure.ts'

type Labels = Readonly<Record<string, string>>

/** `metav1.LabelSelector`, as objects carry it: each part may be left out. */
export interface WrittenSelector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

type LabelTest = (labels: Labels | undefined) => boolean

const KEY = '[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?'
const EQUAL = new RegExp(String.raw`^(${KEY})\s*(==|=|!=)\s*([A-Za-z0-9._-]*)$`)
const IN = new RegExp(String.raw`^(${KEY})\s+(in|notin)\s+\(([^()]*)\)$`)
const EXISTS = new RegExp(String.raw`^(!?)\s*(${KEY})$`)

/** `a=b,c in (d,e),!f`: the query parameter. Throws ApiFailure 400 (Labels and Selectors, "API"). */
export function parseLabelSelector(text: string): LabelTest {
  const selector = { matchLabels: {}, matchExpressions: requirementsOf(text).map(parseRequirement) }
  return (labels = {}) => selectorMatches(selector, labels)
}

/** Of an object's own selector: empty matches everything, absent nothing. Throws ApiFailure 400 for an operator that is none. */
export function labelTest(written: WrittenSelector | undefined): LabelTest {
  if (written === undefined) return () => false
  const { matchLabels = {}, matchExpressions = [] } = written
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (isOperator(operator)) return { key, operator, values }
    throw badRequest(`"${operator}" is not a valid label selector operator`)
  })
  return (labels = {}) => selectorMatches({ matchLabels, matchExpressions: expressions }, labels)
}

const isOperator = (text: string): text is LabelRequirement['operator'] =>
  ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(text)

/** Cut at the commas that are in no parentheses. */
function requirementsOf(text: string): readonly string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function parseRequirement(text: string): LabelRequirement {
  const [, key = '', sign, value = ''] = EQUAL.exec(text) ?? []
  if (sign !== undefined) return { key, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] }
  const [, member = '', word, list = ''] = IN.exec(text) ?? []
  if (word !== undefined) {
    const values = list.split(',').map((each) => each.trim())
    return { key: member, operator: word === 'in' ? 'In' : 'NotIn', values }
  }
  const [, not, name = ''] = EXISTS.exec(text) ?? []
  if (not !== undefined) return { key: name, operator: not === '!' ? 'DoesNotExist' : 'Exists', values: [] }
  throw badRequest(`unable to parse requirement: found '${text}'`)
}
