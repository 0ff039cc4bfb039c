import type { ApiObject } from '../world/api-object.ts'

interface NodeRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** `v1.NodeSelectorTerm`: all of its requirements have to hold. */
interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeRequirement[]
  readonly matchFields?: readonly NodeRequirement[]
}

export interface NodeSelector {
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[]
}

/** One of the terms has to hold; an empty term holds for no node (component-helpers, nodeaffinity.go). */
export const nodeSelectorMatches = ({ nodeSelectorTerms = [] }: NodeSelector, node: ApiObject): boolean =>
  nodeSelectorTerms.some((term) => termHolds(term, node))

/** The only nodes that a selector can match, if it names them; undefined: it does not. */
export function namedNodes({ nodeSelectorTerms = [] }: NodeSelector): readonly string[] | undefined {
  const names = nodeSelectorTerms.map(({ matchFields = [] }) => matchFields.find(isNameIn)?.values)
  return names.length > 0 && names.every((each) => each !== undefined) ? [...new Set(names.flat())] : undefined
}

const isNameIn = ({ key, operator }: NodeRequirement): boolean => key === 'metadata.name' && operator === 'In'

function termHolds({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: ApiObject): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  return (
    matchExpressions.every((requirement) => holds(requirement, metadata.labels?.[requirement.key])) &&
    matchFields.every((requirement) => requirement.key === 'metadata.name' && holds(requirement, metadata.name))
  )
}

function holds({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean {
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
      return value !== undefined && Number(value) > Number(values[0])
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0])
    default:
      return false
  }
}
