import { hold, type StepRule } from '../step-rule.ts'

/**
 * Step 11: attached, and no failed request for the soak time (a failure is the stop rule's business and detaches
 * again). Its postcondition takes the record away, after which only the slot is left to release.
 */
export const soak: StepRule = {
  step: 'soak',
  next(s) {
    const leftMs = s.spec.soakMs - (s.now - (s.evidence.attachedAt ?? s.now))
    if (leftMs > 0 && s.run.verdict === undefined) {
      return hold([{ code: 'Soaking', text: 'traffic is watched for the soak time' }], Math.min(leftMs, 1000))
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
