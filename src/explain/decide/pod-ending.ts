import { formatDuration } from '../../ground/model/duration.ts'
import type { PodEnding } from '../../ground/model/pod.ts'
import { present } from '../../ground/model/present.ts'
import { kubectl } from '../../ground/model/sentence.ts'
import {
  byForce,
  type StillThere,
  stillThere,
  stuckEnding,
  withoutFinalizers,
} from '../../roll/decide/drain/pod-ending.ts'
import { type ExplainFinding, finding } from './finding.ts'
import { type PodScene, refOf } from './pod-scene.ts'

/** Why a pod that is being deleted still exists; undefined: it is not being deleted. */
export function podEnding(scene: PodScene): ExplainFinding | undefined {
  const { now, nodeReady, seen } = scene
  const { ending } = seen.pod
  if (ending === undefined) return undefined
  const there = stillThere(ending, { now, ...present({ nodeReady }) })
  const stuck = stuckEnding(seen.pod, ending, there)
  if (stuck === undefined || there.kind === 'inGrace') return inGrace(scene, ending, -there.lateMs)
  const { code, text } = stuck
  return finding({ ...base(scene), is: 'stuck', code, text, ...DETAILS[there.kind](scene, ending) })
}

type Details = Pick<ExplainFinding, 'evidence' | 'next'>

const base = (scene: PodScene): Pick<ExplainFinding, 'part' | 'subject'> => ({ part: 'drain', subject: refOf(scene) })

function keptByFinalizer({ seen: { pod } }: PodScene, { finalizers, due }: PodEnding): Details {
  const names = finalizers.join(', ')
  return {
    evidence: [`deletionTimestamp ${due}, deletionGracePeriodSeconds 0, finalizers ${names}`],
    next: [
      { note: `the program that owns ${names} removes it: see whether that program runs` },
      {
        command: withoutFinalizers(pod),
        note: 'only if that program is gone for good: what it would have cleaned up stays',
      },
    ],
  }
}

function onSilentNode({ seen: { pod }, nodeReady }: PodScene, { due }: PodEnding): Details {
  const { nodeName = 'its node' } = pod
  return {
    evidence: [`deletionTimestamp ${due}, Ready of ${nodeName} is ${nodeReady ?? 'not known'}`],
    next: [
      { command: kubectl`describe node ${nodeName}`, note: 'its conditions; bring the kubelet back' },
      { command: byForce(pod), note: `only if the machine ${nodeName} is surely off: else the pod may run twice` },
    ],
  }
}

function overdue({ seen: { pod, waiting } }: PodScene, { due, graceSeconds, finalizers }: PodEnding): Details {
  const { namespace, name, claims } = pod
  return {
    evidence: [
      `deletionTimestamp ${due}, grace ${graceSeconds} s`,
      ...waiting,
      ...(claims.length === 0 ? [] : [`it mounts ${claims.join(', ')}: a mount that hangs keeps it`]),
      ...finalizerTexts(finalizers),
    ],
    next: [{ command: kubectl`-n ${namespace} describe pod ${name}`, note: 'its events, and those of its volumes' }],
  }
}

const DETAILS: Readonly<Record<Exclude<StillThere['kind'], 'inGrace'>, typeof overdue>> = {
  finalizer: keptByFinalizer,
  silentNode: onSilentNode,
  overdue,
}

function inGrace(scene: PodScene, { due, graceSeconds, finalizers }: PodEnding, leftMs: number): ExplainFinding {
  return finding({
    ...base(scene),
    is: 'waits',
    code: 'PodLeaving',
    text: `${refOf(scene)} is leaving, and may take ${formatDuration(Math.max(0, leftMs))} more`,
    evidence: [`deletionTimestamp ${due}, grace ${graceSeconds} s`, ...finalizerTexts(finalizers)],
    next: [{ note: `wait: ${refOf(scene)} ends by itself, at the end of its grace at the latest` }],
  })
}

const finalizerTexts = (finalizers: readonly string[]): readonly string[] =>
  finalizers.length === 0 ? [] : [`after that it is kept until ${finalizers.join(', ')} is removed`]
