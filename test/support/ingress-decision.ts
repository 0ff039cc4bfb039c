import type { IngressAction } from '../../src/ingress/decide/action.ts'
import type { IngressDecision } from '../../src/ingress/decide/decide.ts'
import type { Rejection } from '../../src/ingress/decide/rejection.ts'

/** `n1 writeOp Updating r2`, `hold n1 DetachGrace`, `settled IngressAsWanted`: what was decided, in one line. */
export function shortIngressDecision(decision: IngressDecision): string {
  if (decision.kind === 'act') return decision.actions.map(shortAction).join('; ')
  return [decision.kind, ...decision.reasons.map(({ code, object = '' }) => `${object} ${code}`)].join(' ')
}

function shortAction(action: IngressAction): string {
  if (action.kind === 'rejectRevision') return `rejectRevision ${action.revision}`
  if (action.kind === 'removeFinalizer') return action.kind
  return [action.node, action.kind, ...detail(action)].join(' ')
}

function detail(action: Exclude<IngressAction, { kind: 'rejectRevision' | 'removeFinalizer' }>): readonly string[] {
  switch (action.kind) {
    case 'takeSlot':
    case 'releaseSlot':
      return [String(action.index)]
    case 'writeOp':
      return [action.op.phase, action.op.revision, ...(action.mark === undefined ? [] : ['marked'])]
    case 'createDeployment':
      return [action.revision]
    case 'applyTemplate':
      return [action.revision, action.atOnce ? 'at once' : 'in place']
    case 'scale':
      return [String(action.replicas), ...rejectedWord(action.rejected)]
    case 'setGate':
      return [action.isOpen ? 'open' : 'closed']
    case 'markNode':
      return [action.asked === undefined ? 'join' : 'set']
    case 'unmarkNode':
      return [action.removesKey ? 'removed' : 'left']
    case 'clearOp':
      return action.gaveUp === undefined ? [] : ['gave up']
    default:
      return []
  }
}

const rejectedWord = (rejected: Rejection | undefined): readonly string[] =>
  rejected === undefined ? [] : [rejected.triedAt === undefined ? 'rejected' : 'tried', `${rejected.count}`]
