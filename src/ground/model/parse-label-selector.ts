import type { LabelRequirement, LabelSelector } from './label-selector.ts'
import { MalformedReply, type Untrusted } from './untrusted.ts'

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const

/** An absent selector matches nothing, an empty one everything (policy/v1, apps/v1): `In` no value at all never holds. */
const MATCHES_NOTHING: LabelSelector = {
  matchLabels: {},
  matchExpressions: [{ key: '', operator: 'In', values: [] }],
}

export function parseLabelSelector(selector: Untrusted): LabelSelector {
  if (selector.absent) return MATCHES_NOTHING
  return {
    matchLabels: selector.at('matchLabels').textMap(),
    matchExpressions: selector.at('matchExpressions').each().map(parseRequirement),
  }
}

function parseRequirement(requirement: Untrusted): LabelRequirement {
  const written = requirement.at('operator').text()
  const operator = OPERATORS.find((known) => known === written)
  if (operator === undefined) throw new MalformedReply(`${requirement.path}.operator is unknown`)
  return {
    key: requirement.at('key').text(),
    operator,
    values: requirement
      .at('values')
      .each()
      .map((value) => value.textOr('')),
  }
}
