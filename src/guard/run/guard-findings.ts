import { urlFault } from '../../ground/model/hold-url.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { type FieldFinding, findingReason } from '../../ground/model/schema/field-finding.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import type { HoldSource } from '../holds/hold-source.ts'
import type { ObjectRules } from '../holds/object-rules.ts'
import type { Hold } from '../model/holds/hold-kinds.ts'

interface Judges {
  readonly rules: Pick<ObjectRules, 'fault'>
  readonly source: Pick<HoldSource, 'pathFault'>
}

/** The findings of a NodeGuard, with those that no schema can see: expressions, paths and URLs that cannot be used. */
export const guardFindings = (guard: CheckedGuard, judges: Judges): readonly FieldFinding[] => [
  ...guard.findings,
  ...guard.spec.holds.flatMap((hold, at) => holdFindings(hold, `spec.holds[${at}]`, judges)),
]

function holdFindings(hold: Hold, at: string, { rules, source }: Judges): readonly FieldFinding[] {
  const found = (field: string, fault: string | undefined, fix: string): readonly FieldFinding[] =>
    fault === undefined ? [] : [{ code: 'unusableHold', field: `${at}.${field}`, severity: 'error', text: fault, fix }]
  switch (hold.kind) {
    case 'object':
      return found('object.clearWhen', rules.fault(hold.clearWhen), 'write an expression in CEL over object and node')
    case 'http':
      return [
        ...found('http.url', urlFault(hold.url), 'write a URL such as http://{address}:9500/drain/{node}'),
        ...found(
          'http.jsonPath',
          hold.jsonPath === undefined ? undefined : source.pathFault(hold.jsonPath),
          'write a path such as $.status',
        ),
      ]
    default:
      return []
  }
}

/** The errors for which the guard is refused. Empty: it is not refused. */
export const refusedReasons = ({ name }: CheckedGuard, findings: readonly FieldFinding[]): readonly Reason[] =>
  findings
    .filter(({ severity }) => severity === 'error')
    .map((finding) => findingReason({ code: 'GuardRefused', object: name }, finding))
