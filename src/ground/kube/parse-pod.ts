import { parseMetadata } from '../model/parse-metadata.ts'
import { parseWaiting } from '../model/parse-waiting.ts'
import { BLOCKED_ANNOTATION, NOT_SAFE_TO_EVICT, type Pod, type PodEnding, type Unschedulable } from '../model/pod.ts'
import { POLITE_ANNOTATION, parsePoliteMark } from '../model/polite-mark.ts'
import { present } from '../model/present.ts'
import type { Untrusted } from '../model/untrusted.ts'
import { findCondition } from './find-condition.ts'
import { parseNodeConstraint } from './parse-node-constraint.ts'
import { unschedulable } from './unschedulable.ts'

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror'
const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed'] as const

export function parsePod(object: Untrusted): Pod {
  const { namespace, name, uid, resourceVersion, labels, annotations, controller } = parseMetadata(object, 'namespaced')
  const mark = annotations[POLITE_ANNOTATION]
  const spec = object.at('spec')
  const volumes = spec.at('volumes').each()
  const phase = object.at('status').at('phase').textOr('')
  const unsafe = Object.keys(NOT_SAFE_TO_EVICT).filter((key) => annotations[key] === NOT_SAFE_TO_EVICT[key])
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    labels,
    phase: PHASES.find((known) => known === phase) ?? 'Unknown',
    ready: findCondition(object, 'Ready')?.status === 'True',
    terminating: !object.at('metadata').at('deletionTimestamp').absent,
    mirror: Object.hasOwn(annotations, MIRROR_ANNOTATION),
    claims: volumes.flatMap((volume) => claimOf(volume, name)),
    usesEmptyDir: volumes.some((volume) => !volume.at('emptyDir').absent),
    containerIds: parseContainerIds(object),
    createdAt: object.at('metadata').at('creationTimestamp').textOr(''),
    nodeSelector: parseNodeConstraint(spec),
    ...present({
      ending: endingOf(object),
      nodeName: spec.at('nodeName').optionalText() || undefined,
      controller,
      unschedulable: parseUnschedulable(object),
      waiting: parseWaiting(object),
    }),
    ...(spec.at('restartPolicy').textOr('Always') === 'Always' ? {} : { runsToEnd: true }),
    ...present({
      notSafeToEvict: unsafe.length === 0 ? undefined : unsafe,
      blockedAnswer: annotations[BLOCKED_ANNOTATION],
      polite: mark === undefined ? undefined : parsePoliteMark(mark),
    }),
  }
}

function endingOf(object: Untrusted): PodEnding | undefined {
  const metadata = object.at('metadata')
  const due = metadata.at('deletionTimestamp').optionalText()
  if (due === undefined) return undefined
  return {
    due,
    graceSeconds: metadata.at('deletionGracePeriodSeconds').integerOr(0),
    finalizers: metadata
      .at('finalizers')
      .each()
      .map((finalizer) => finalizer.text()),
  }
}

/** A generic ephemeral volume's claim is named after its pod and its volume (KEP-1698). */
function claimOf(volume: Untrusted, podName: string): string[] {
  if (!volume.at('persistentVolumeClaim').absent) return [volume.at('persistentVolumeClaim').at('claimName').text()]
  return volume.at('ephemeral').absent ? [] : [`${podName}-${volume.at('name').text()}`]
}

function parseContainerIds(object: Untrusted): Readonly<Record<string, string>> {
  const statuses = object.at('status').at('containerStatuses').each()
  return Object.fromEntries(
    statuses.map((status) => [status.at('name').text(), status.at('containerID').textOr('')] as const),
  )
}

function parseUnschedulable(object: Untrusted): Unschedulable | undefined {
  const scheduled = findCondition(object, 'PodScheduled')
  return scheduled?.status === 'False' ? unschedulable(scheduled.message || scheduled.reason) : undefined
}
