import type { Reason } from '../../../ground/model/reason.ts'
import { isFor, type RequestScope } from '../../model/request-scope.ts'
import { type AnySnapshot, hasSubject, isBegun, placeOf, type SubjectSnapshot, subjectOf } from '../subject.ts'

export interface SilenceWant {
  readonly scope: RequestScope
  /** The name of the node, or of the machine. */
  readonly node: string
  readonly address?: string
}

/**
 * For which node or machine alerts are silenced: the one with a record of the run, until it is back, or is left out for a
 * person.
 */
export function silencesWanted(s: AnySnapshot): SilenceWant | undefined {
  if (!hasSubject(s) || !isBegun(s) || s.run.verdict?.keepOut === true) return undefined
  return { scope: subjectOf(s).scope, ...placeOf(s) }
}

/**
 * Before the first change that alerts could report. An Alertmanager that is away holds the node or machine only where the file
 * says so: a silence spares people a call, and no request fails without it.
 */
export function silencesHold(s: SubjectSnapshot): readonly Reason[] {
  const { silences: known, spec } = s
  const { scope, name: node } = subjectOf(s)
  const wanted = (spec.silences ?? []).filter((silence) => isFor(silence, scope))
  return wanted.flatMap(({ name, onFailure }): readonly Reason[] => {
    const state = known?.node === node ? known.states[name] : undefined
    if (state?.kind === 'standing') return []
    if (state?.kind === 'failed') {
      const text = `alerts of ${node} are not silenced in ${name}: ${state.text}`
      return onFailure === 'hold' ? [{ code: 'SilenceFailed', object: name, text }] : []
    }
    if (known === undefined && onFailure === 'ignore') return []
    return [{ code: 'SilenceAsked', object: name, text: `alerts of ${node} are being silenced in ${name}` }]
  })
}
