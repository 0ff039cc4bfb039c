import { int64 } from './int64.ts'
import type { Node } from './node.ts'
import { MalformedReply, type Untrusted } from './untrusted.ts'

/** One requirement of a term: about a label, or about the name of the node where `key` is metadata.name in matchFields. */
interface NodeRequirement {
  readonly of: 'label' | 'name'
  readonly key: string
  readonly operator: Operator
  readonly values: readonly string[]
}

/** All requirements have to hold; a term without one matches no node. */
export type NodeTerm = readonly NodeRequirement[]

type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'

/** How many values each operator takes. */
const MAY_HAVE: Readonly<Record<Operator, (values: readonly string[]) => boolean>> = {
  In: ({ length }) => length > 0,
  NotIn: ({ length }) => length > 0,
  Exists: ({ length }) => length === 0,
  DoesNotExist: ({ length }) => length === 0,
  Gt: ({ length, 0: value = '' }) => length === 1 && int64(value) !== undefined,
  Lt: ({ length, 0: value = '' }) => length === 1 && int64(value) !== undefined,
}

/**
 * requiredDuringSchedulingIgnoredDuringExecution of a pod; undefined where it requires nothing. Throws MalformedReply where the
 * API server would refuse it.
 */
export function parseRequiredNodeAffinity(podSpec: Untrusted): readonly NodeTerm[] | undefined {
  const required = podSpec.at('affinity').at('nodeAffinity').at('requiredDuringSchedulingIgnoredDuringExecution')
  return required.absent ? undefined : parseNodeSelectorTerms(required)
}

/** corev1.NodeSelector, as pods and PersistentVolumes have it. */
export function parseNodeSelectorTerms(selector: Untrusted): readonly NodeTerm[] {
  const terms = selector.at('nodeSelectorTerms')
  if (terms.each().length === 0) throw new MalformedReply(`${terms.path} is empty`)
  return terms
    .each()
    .map((term) => [
      ...term.at('matchExpressions').each().map(parseExpression),
      ...term.at('matchFields').each().map(parseField),
    ])
}

function parseExpression(expression: Untrusted): NodeRequirement {
  const operator = expression.at('operator').text()
  const values = expression
    .at('values')
    .each()
    .map((value) => value.textOr(''))
  if (!isOperator(operator)) throw new MalformedReply(`${expression.path}.operator is ${operator}`)
  if (!MAY_HAVE[operator](values))
    throw new MalformedReply(`${expression.path} has values that ${operator} does not take`)
  return { of: 'label', key: expression.at('key').text(), operator, values }
}

const isOperator = (operator: string): operator is Operator => Object.hasOwn(MAY_HAVE, operator)

function parseField(field: Untrusted): NodeRequirement {
  const requirement: NodeRequirement = { ...parseExpression(field), of: 'name' }
  const { key, operator, values } = requirement
  if (key !== 'metadata.name' || (operator !== 'In' && operator !== 'NotIn') || values.length !== 1)
    throw new MalformedReply(`${field.path} is not metadata.name In or NotIn one name`)
  return requirement
}

/** Why no term matches; undefined where one does. */
export function whyNotMatched(terms: readonly NodeTerm[], node: Node): string | undefined {
  const failing: string[] = []
  for (const term of terms) {
    const first = term.find((requirement) => !holds(requirement, node))
    if (first === undefined && term.length > 0) return undefined
    failing.push(first === undefined ? 'a term without requirements' : inWords(first))
  }
  return listOf(failing, ', nor ')
}

function holds({ of, key, operator, values }: NodeRequirement, { name, labels }: Node): boolean {
  const value = of === 'name' ? name : Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return compares(value, values, (is, than) => is > than)
    case 'Lt':
      return compares(value, values, (is, than) => is < than)
  }
}

function compares(
  value: string | undefined,
  [wanted = '']: readonly string[],
  order: (is: bigint, than: bigint) => boolean,
): boolean {
  const is = int64(value ?? '')
  const than = int64(wanted)
  return is !== undefined && than !== undefined && order(is, than)
}

const inWords = ({ key, operator, values }: NodeRequirement): string =>
  values.length === 0 ? `${key} ${operator}` : `${key} ${operator} ${listOf(values, ' ')}`

const NAMED_AT_MOST = 3

const listOf = (words: readonly string[], between: string): string =>
  words.length <= NAMED_AT_MOST
    ? words.join(between)
    : `${words.slice(0, NAMED_AT_MOST).join(between)} and ${words.length - NAMED_AT_MOST} more`
