import type { DisruptionBudget } from '../model/disruption-budget.ts'
import { parseLabelSelector } from '../model/parse-label-selector.ts'
import { parseMetadata } from '../model/parse-metadata.ts'
import { present } from '../model/present.ts'
import type { Untrusted } from '../model/untrusted.ts'
import { findCondition } from './find-condition.ts'

export function parseDisruptionBudget(object: Untrusted): DisruptionBudget {
  const { namespace, name, uid, controller } = parseMetadata(object, 'namespaced')
  const spec = object.at('spec')
  const status = object.at('status')
  const allowed = findCondition(object, 'DisruptionAllowed')
  return {
    namespace,
    name,
    uid,
    selector: parseLabelSelector(spec.at('selector')),
    ...present({
      controller,
      minAvailable: spec.at('minAvailable').optionalIntegerOrText(),
      maxUnavailable: spec.at('maxUnavailable').optionalIntegerOrText(),
    }),
    ...(spec.at('unhealthyPodEvictionPolicy').textOr('') === 'AlwaysAllow'
      ? { unhealthyPods: 'AlwaysAllow' as const }
      : {}),
    disruptionsAllowed: status.at('disruptionsAllowed').integerOr(0),
    currentHealthy: status.at('currentHealthy').integerOr(0),
    desiredHealthy: status.at('desiredHealthy').integerOr(0),
    expectedPods: status.at('expectedPods').integerOr(0),
    syncFailed: allowed?.status === 'False' && allowed.reason === 'SyncFailed',
  }
}
