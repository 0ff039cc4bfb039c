import type { RecordedSnapshot } from '../node-snapshot.ts'
import { hold, type StepRule } from '../step-rule.ts'

/**
 * Step 11: attached, and no failed request for the soak time (a failure is the stop rule's business and detaches
 * again). Its postcondition takes the record away, after which only the slot is left to release.
 */
export const soak: StepRule = {
  step: 'soak',
  next(s) {
    const leftMs = s.spec.soakMs - (s.now - (s.evidence.attachedAt ?? s.now))
    if (s.run.verdict === undefined && (leftMs > 0 || verdictsOwed(s))) {
      return hold(
        [{ code: 'Soaking', text: 'traffic is watched for the soak time' }],
        Math.min(Math.max(leftMs, 100), 1000),
      )
    }
    return {
      kind: 'act',
      actions: [{ kind: 'removeRecord', node: s.current.node.name }],
      reasons: [
        { code: 'BackInService', object: s.current.node.name, text: `${s.current.node.name} is back as it was` },
      ],
    }
  },
}

/** A request of the soak's last moment may take until its time-out to be judged. */
function verdictsOwed(s: RecordedSnapshot): boolean {
  const since = s.evidence.attachedAtWall
  if (s.probe === undefined || since === undefined) return false
  return (s.probe.lastVerdictAt ?? 0) < since + s.spec.soakMs
}
