import type { Untrusted } from '../model/untrusted.ts'

/**
 * The labels that a node needs to take the pod: spec.nodeSelector, and the required node affinity if it has the same meaning (a
 * single term, of `In` with a single value). With the key `metadata.name`: the one node that each of its terms names.
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
  const fromSelector = Object.entries(podSpec.at('nodeSelector').textMap())
  return Object.fromEntries([...fromAffinity, ...fromSelector, ...nameOf(terms)])
}

function nameOf(terms: readonly Untrusted[]): readonly [string, string][] {
  const names = terms.map(
    (term) =>
      term
        .at('matchFields')
        .each()
        .flatMap(labelsOf)
        .find(([key]) => key === NAME)?.[1],
  )
  const [name] = names
  return name !== undefined && names.every((other) => other === name) ? [[NAME, name]] : []
}

/** The field of a node that terms may name, instead of a label. */
const NAME = 'metadata.name'

function labelsOf(expression: Untrusted): [string, string][] {
  const values = expression.at('values').each()
  const [value] = values
  if (expression.at('operator').textOr('') !== 'In' || values.length !== 1 || value === undefined) return []
  return [[expression.at('key').text(), value.textOr('')]]
}
