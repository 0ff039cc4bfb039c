import { isFinished } from '../../ground/model/pod.ts'
import { guardOf } from '../../roll/decide/drain/guard-of.ts'
import { causeOf, type ExplainFinding, type Explanation, ordered, type Part, together } from './finding.ts'
import { podLeaving } from './pod-leaving.ts'
import { type PodAround, type PodScene, refOf } from './pod-scene.ts'
import { podService } from './pod-service.ts'

/** What was read of the pod's node and of its owner. */
interface PodOnNode {
  /** What wants the node out or drained, as the end of a sentence; absent: nothing that is known. */
  readonly asked?: string
  /** Findings of the guard pod's NodeGuard, of the roll that has the node, and of the node itself. */
  readonly findings: readonly ExplainFinding[]
}

const PARTS: readonly Part[] = ['pod', 'guard', 'drain', 'service', 'roll', 'node']

export function explainPod(scene: PodScene, around: PodAround, on: PodOnNode): Explanation {
  const isGuard = guardOf(scene.seen.pod) !== undefined
  const leaving = podLeaving(scene).map((one) => (isGuard && hasGuardCause(on.findings) ? asFact(one) : one))
  const findings = ordered(together([...leaving, ...podService(scene, around), ...on.findings]), PARTS)
  const cause = causeOf(findings)
  return { ...headOf(scene, { leaving, cause, asked: on.asked }), findings }
}

/** What its NodeGuard waits for explains more than the answer of the budget that the guard keeps shut. */
const hasGuardCause = (findings: readonly ExplainFinding[]): boolean =>
  findings.some(({ part, is }) => part === 'guard' && is !== 'fact')

const asFact = (one: ExplainFinding): ExplainFinding => (one.code === 'GuardNotGranted' ? { ...one, is: 'fact' } : one)

interface Head {
  readonly leaving: readonly ExplainFinding[]
  readonly cause: ExplainFinding | undefined
  readonly asked: string | undefined
}

function headOf(scene: PodScene, { leaving, cause, asked }: Head): Pick<Explanation, 'state' | 'verdict'> {
  const { pod } = scene.seen
  const ref = refOf(scene)
  const node = pod.nodeName
  const [first] = leaving
  if (node === undefined) return { state: 'Pending', verdict: cause?.text ?? `${ref} has no node yet` }
  if (pod.ending !== undefined) return { state: 'Leaving', verdict: first?.text ?? `${ref} is leaving` }
  if (isFinished(pod)) return { state: 'Ended', verdict: `${ref} has ended on ${node}, and holds nothing up` }
  if (first?.code === 'MirrorPod' || first?.code === 'DaemonSetPod') return { state: 'Stays', verdict: first.text }
  const isBlocked = cause !== undefined && (cause.part === 'drain' || cause.part === 'guard')
  const because = cause === undefined ? '' : `: ${cause.text}`
  if (asked !== undefined)
    return isBlocked
      ? { state: 'Blocked', verdict: `${ref} is to leave ${node}, which ${asked}, and is held up${because}` }
      : {
          state: 'MayLeave',
          verdict: `${ref} may leave ${node}, which ${asked}; no drain has evicted it yet${because}`,
        }
  return isBlocked
    ? { state: 'Runs', verdict: `${ref} runs on ${node}; nothing asks it to leave, and it could not${because}` }
    : { state: 'Runs', verdict: `${ref} runs on ${node}; nothing asks it to leave${because}` }
}
