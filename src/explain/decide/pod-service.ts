import type { Pod } from '../../ground/model/pod.ts'
import { evenkeel, kubectl } from '../../ground/model/sentence.ts'
import { type ExplainFinding, finding } from './finding.ts'
import { type PodAround, type PodScene, refOf, volumesOf } from './pod-scene.ts'

/** Whether the pod is placed and Ready, and which Services send to it. */
export function podService(scene: PodScene, { slices, attachments, claims }: PodAround): readonly ExplainFinding[] {
  const { pod } = scene.seen
  return [
    ...placement(scene),
    ...elsewhere(scene, { attachments: attachments ?? [], claims: claims ?? [] }),
    ...readiness(scene),
    ...(slices ?? []).flatMap((slice) => endpointOf(scene, pod, slice)),
  ]
}

function placement(scene: PodScene): readonly ExplainFinding[] {
  const { pod } = scene.seen
  if (pod.nodeName !== undefined) return []
  return [
    finding({
      ...{ part: 'pod', is: 'waits', subject: refOf(scene), code: 'PodPending' },
      text: `${refOf(scene)} has no node: ${pod.unschedulable?.message ?? 'the scheduler has not placed it yet'}`,
      evidence: ['spec.nodeName is empty'],
      next: [{ command: kubectl`-n ${pod.namespace} describe pod ${pod.name}`, note: 'the words of the scheduler' }],
    }),
  ]
}

/** A volume that is still attached to another node keeps the pod from starting. */
function elsewhere(
  scene: PodScene,
  around: Required<Pick<PodAround, 'attachments' | 'claims'>>,
): readonly ExplainFinding[] {
  const { pod } = scene.seen
  if (pod.phase !== 'Pending' || pod.nodeName === undefined) return []
  const volumes = volumesOf(pod, around.claims)
  return around.attachments
    .filter(
      ({ nodeName, persistentVolumeName = '' }) => nodeName !== pod.nodeName && volumes.includes(persistentVolumeName),
    )
    .map(({ name, nodeName, persistentVolumeName, attacher }) =>
      finding({
        ...{ part: 'pod', is: 'waits', subject: refOf(scene), code: 'VolumeAttached' },
        text: `${refOf(scene)} waits for volume ${persistentVolumeName}, which is still attached to ${nodeName} (${attacher})`,
        evidence: [`VolumeAttachment ${name} names ${nodeName}`],
        next: [{ command: evenkeel`explain node ${nodeName}`, note: 'what that node waits for' }],
      }),
    )
}

function readiness(scene: PodScene): readonly ExplainFinding[] {
  const { pod, waiting } = scene.seen
  if (pod.nodeName === undefined || pod.ready || pod.ending !== undefined || isOver(pod)) return []
  return [
    finding({
      ...{ part: 'service', is: 'waits', subject: refOf(scene), code: 'PodNotReady' },
      text: `${refOf(scene)} is not Ready, so no Service sends to it${waiting[0] === undefined ? '' : `: ${waiting[0]}`}`,
      evidence: [`phase ${pod.phase}`, ...waiting],
      next: [{ command: kubectl`-n ${pod.namespace} describe pod ${pod.name}`, note: 'its events and its probes' }],
    }),
  ]
}

const isOver = ({ phase }: Pod): boolean => phase === 'Succeeded' || phase === 'Failed'

function endpointOf(
  scene: PodScene,
  { uid }: Pod,
  { namespace, serviceName, name, endpoints }: NonNullable<PodAround['slices']>[number],
): readonly ExplainFinding[] {
  const mine = endpoints.find(({ podUid }) => podUid === uid)
  if (mine === undefined) return []
  const service = `Service ${namespace}/${serviceName}`
  const how = mine.ready
    ? 'sends to it'
    : mine.terminating && mine.serving
      ? 'sends to it only where no other endpoint is ready, since it is leaving'
      : 'does not send to it'
  return [
    finding({
      ...{ part: 'service', is: 'fact', subject: refOf(scene), code: 'EndpointOfService' },
      text: `${service} ${how}`,
      evidence: [
        `EndpointSlice ${name}: ready ${mine.ready}, serving ${mine.serving}, terminating ${mine.terminating}`,
      ],
    }),
  ]
}
