import { formatDuration } from '../../model/duration.ts'
import type { PodEnding } from '../../model/seen-pod.ts'
import { type Finding, finding } from './finding.ts'
import { type PodScene, refOf } from './pod-scene.ts'

/** The clock of the API server and ours may differ by so much. */
const CLOCKS_DIFFER_MS = 5_000

/** Why a pod that is being deleted is still there; undefined: it is not being deleted. */
export function podEnding(scene: PodScene): Finding | undefined {
  const { ending } = scene.seen
  if (ending === undefined) return undefined
  if (ending.finalizers.length > 0 && ending.graceSeconds === 0) return keptByFinalizer(scene, ending)
  if (scene.nodeReady !== undefined && scene.nodeReady !== 'True') return onSilentNode(scene, ending)
  const overdueMs = scene.now - Date.parse(ending.due)
  return overdueMs > CLOCKS_DIFFER_MS ? overdue(scene, ending, overdueMs) : inGrace(scene, ending, -overdueMs)
}

const base = (scene: PodScene): Pick<Finding, 'part' | 'subject'> => ({ part: 'drain', subject: refOf(scene) })

function keptByFinalizer(scene: PodScene, { finalizers, due }: PodEnding): Finding {
  const { namespace, name } = scene.seen.pod
  const names = finalizers.join(', ')
  return finding({
    ...base(scene),
    is: 'stuck',
    code: 'PodFinalizer',
    text: `${refOf(scene)} has ended and is kept by its finalizer${finalizers.length === 1 ? '' : 's'} ${names}`,
    evidence: [`deletionTimestamp ${due}, deletionGracePeriodSeconds 0, finalizers ${names}`],
    next: [
      { note: `the program that owns ${names} removes it: see whether that program runs` },
      {
        command: `kubectl -n ${namespace} patch pod ${name} --type merge -p '{"metadata":{"finalizers":null}}'`,
        note: 'only if that program is gone for good: what it would have cleaned up stays',
      },
    ],
  })
}

function onSilentNode(scene: PodScene, { due }: PodEnding): Finding {
  const { namespace, name, nodeName = 'its node' } = scene.seen.pod
  return finding({
    ...base(scene),
    is: 'stuck',
    code: 'NodeUnreachable',
    text: `${refOf(scene)} is being deleted, and ${nodeName} is not Ready, so no kubelet says that it has ended`,
    evidence: [`deletionTimestamp ${due}, Ready of ${nodeName} is ${scene.nodeReady ?? 'not known'}`],
    next: [
      { command: `kubectl describe node ${nodeName}`, note: 'its conditions; bring the kubelet back' },
      {
        command: `kubectl -n ${namespace} delete pod ${name} --force --grace-period=0`,
        note: `only if the machine ${nodeName} is surely off: else the pod may run twice`,
      },
    ],
  })
}

function overdue(scene: PodScene, { due, graceSeconds, finalizers }: PodEnding, ms: number): Finding {
  const { namespace, name, claims, nodeName = 'its node' } = scene.seen.pod
  return finding({
    ...base(scene),
    is: 'stuck',
    code: 'PodOverdue',
    text: `${refOf(scene)} was to end ${formatDuration(ms)} ago, and the kubelet of ${nodeName} has not ended it`,
    evidence: [
      `deletionTimestamp ${due}, grace ${graceSeconds} s`,
      ...scene.seen.waiting,
      ...(claims.length === 0 ? [] : [`it mounts ${claims.join(', ')}: a mount that hangs keeps it`]),
      ...finalizerTexts(finalizers),
    ],
    next: [{ command: `kubectl -n ${namespace} describe pod ${name}`, note: 'its events, and those of its volumes' }],
  })
}

function inGrace(scene: PodScene, { due, graceSeconds, finalizers }: PodEnding, leftMs: number): Finding {
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
