import type { Untrusted } from '../model/untrusted.ts'

/**
 * The labels that a node needs to take the pod: spec.nodeSelector, and the required node affinity if it has the same meaning (a
 * single term, of `In` with a single value).
 */
export function parseNodeConstraint(podSpec: Untrusted): Readonly<Record<string, string>> {
  const terms = podSpec
    .at('affinity')
    .at('nodeAffinity')
    .at('requiredDuringSchedulingIgnoredDuringExecution')
    .at('nodeSelectorTerms')
    .each()
  const soleTerm = terms.length === 1 ? terms[0] : undefined
  const fromAffinity = soleTerm?.at('matchExpressions').each().flatMap(labelsOf) ?? []
  return Object.fromEntries([...fromAffinity, ...Object.entries(podSpec.at('nodeSelector').textMap())])
}

function labelsOf(expression: Untrusted): [string, string][] {
  const values = expression.at('values').each()
  const [value] = values
  if (expression.at('operator').textOr('') !== 'In' || values.length !== 1 || value === undefined) return []
  return [[expression.at('key').text(), value.textOr('')]]
}
