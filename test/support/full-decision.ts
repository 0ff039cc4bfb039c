import { plainText } from '../../src/ground/model/sentence.ts'
import type { Decision } from '../../src/roll/model/decision.ts'

/** A decision in full, as people and the journal get it: what is done, then each reason with all that it says. */
export function fullDecision(decision: Decision): readonly string[] {
  const head = decision.kind === 'settled' ? 'settled' : `${decision.kind} ${decision.step}`
  const recheck = decision.kind === 'hold' ? ` for ${decision.recheckAfterMs} ms` : ''
  const actions =
    decision.kind === 'act' ? decision.actions.map(({ kind, ...rest }) => `${kind} ${JSON.stringify(rest)}`) : []
  const reasons = decision.reasons.map(({ code, object, text, next, never }) =>
    [
      code,
      object ?? '-',
      text,
      ...(next === undefined ? [] : [plainText(next)]),
      ...(never === true ? ['never'] : []),
    ].join(' | '),
  )
  return [`${head}${recheck}`, ...actions, ...reasons]
}
