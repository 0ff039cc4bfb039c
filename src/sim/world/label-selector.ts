import { badRequest } from './api-failure.ts'

type Labels = Readonly<Record<string, string>>

/** `metav1.LabelSelector`, as objects carry it. */
export interface LabelSelector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

export type LabelTest = (labels: Labels | undefined) => boolean

const KEY = '[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?'
const EQUAL = new RegExp(String.raw`^(${KEY})\s*(==|=|!=)\s*([A-Za-z0-9._-]*)$`)
const IN = new RegExp(String.raw`^(${KEY})\s+(in|notin)\s+\(([^()]*)\)$`)
const EXISTS = new RegExp(String.raw`^(!?)\s*(${KEY})$`)

/** `a=b,c in (d,e),!f`: the query parameter. Throws ApiFailure 400 (Labels and Selectors, "API"). */
export function parseLabelSelector(text: string): LabelTest {
  const tests = requirementsOf(text).map(requirementTest)
  return (labels = {}) => tests.every((test) => test(labels))
}

/** Of an object's own selector: empty matches everything, absent nothing. */
export function labelTest(selector: LabelSelector | undefined): LabelTest {
  if (selector === undefined) return () => false
  const equal = Object.entries(selector.matchLabels ?? {})
  const others = selector.matchExpressions ?? []
  return (labels = {}) =>
    equal.every(([key, value]) => labels[key] === value) &&
    others.every(({ key, operator, values = [] }) => operatorHolds(labels[key], operator, values))
}

function operatorHolds(value: string | undefined, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      throw badRequest(`"${operator}" is not a valid label selector operator`)
  }
}

/** Cut at the commas that are in no parentheses. */
function requirementsOf(text: string): readonly string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function requirementTest(text: string): (labels: Labels) => boolean {
  const [, key = '', sign, value = ''] = EQUAL.exec(text) ?? []
  if (sign !== undefined) return (labels) => (labels[key] === value) === (sign !== '!=')
  const [, member = '', word, list = ''] = IN.exec(text) ?? []
  if (word !== undefined) {
    const values = list.split(',').map((each) => each.trim())
    return (labels) => operatorHolds(labels[member], word === 'in' ? 'In' : 'NotIn', values)
  }
  const [, not, name = ''] = EXISTS.exec(text) ?? []
  if (not !== undefined) return (labels) => (labels[name] === undefined) === (not === '!')
  throw badRequest(`unable to parse requirement: found '${text}'`)
}
