import { kubectl } from '../../ground/model/sentence.ts'
import { volumesLeft } from '../../roll/decide/drain/attached-volumes.ts'
import { guardOf } from '../../roll/decide/drain/guard-of.ts'
import { type ExplainFinding, finding } from './finding.ts'
import type { NodeScene } from './node-scene.ts'
import { podLeaving } from './pod-leaving.ts'
import { refOf } from './pod-scene.ts'

/** The pods of the node, divided by whether they leave. */
export interface PodFindings {
  /** Pods that a drain waits for. */
  readonly left: number
  /** Of these, the pods that cannot leave now. */
  readonly blocked: number
  readonly findings: readonly ExplainFinding[]
}

/** How many names a line has at most. */
const NAMED_MAX = 8

export function nodePods(s: NodeScene, guards: readonly ExplainFinding[]): PodFindings {
  const pods = (s.pods ?? []).map((scene) => ({ scene, found: podLeaving(scene) }))
  const isGuardNamed = guards.some(({ is }) => is !== 'fact')
  const leave = pods.filter(({ found }) => !found.some(({ code }) => code === 'MirrorPod' || code === 'DaemonSetPod'))
  const blocked = leave.filter(({ found }) => found.some(({ is }) => is !== 'fact'))
  const findings = blocked.flatMap(({ scene, found }) => {
    // What its NodeGuard waits for explains more than the budget that the guard keeps shut.
    const isGuard = guardOf(scene.seen.pod) !== undefined && isGuardNamed
    return found.filter(({ is }) => is !== 'fact').map((one) => (isGuard ? { ...one, is: 'fact' as const } : one))
  })
  return {
    left: leave.length,
    blocked: blocked.length,
    findings: [...findings, ...counts(s, pods), ...volumes(s, isGuardNamed)],
  }
}

type PodsFound = readonly {
  readonly scene: Parameters<typeof podLeaving>[0]
  readonly found: readonly ExplainFinding[]
}[]

const COUNTED: readonly (readonly [code: string, one: string, many: string])[] = [
  ['MayLeave', 'pod may be evicted now', 'pods may be evicted now'],
  ['EvictionUnknown', 'pod may leave or not, which is not known', 'pods may leave or not, which is not known'],
  [
    'PodEmptyDir',
    'pod would lose data in an emptyDir (kubectl drain --delete-emptydir-data)',
    'pods would lose data in an emptyDir (kubectl drain --delete-emptydir-data)',
  ],
  [
    'DaemonSetPod',
    'pod stays, since its DaemonSet would start it again',
    'pods stay, since their DaemonSets would start them again',
  ],
  ['MirrorPod', 'static pod of the kubelet stays', 'static pods of the kubelet stay'],
]

/** Pods that block nothing, one line for each kind. */
const counts = (s: NodeScene, pods: PodsFound): readonly ExplainFinding[] =>
  COUNTED.flatMap(([code, one, many]) => {
    const refs = pods.filter(({ found }) => found.some((one) => one.code === code)).map(({ scene }) => refOf(scene))
    if (refs.length === 0) return []
    const more = refs.length - NAMED_MAX
    const names = `${refs.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
    const tried = pods.filter(
      ({ scene, found }) => scene.answer?.kind === 'accepted' && found.some((one) => one.code === code),
    )
    return [
      finding({
        ...{ part: 'drain', is: 'fact', subject: s.node.name, code },
        text: `${refs.length} ${refs.length === 1 ? one : many}: ${names}`,
        evidence:
          code === 'MayLeave' && tried.length > 0
            ? [`a dry run of ${tried.length} of these evictions was accepted`]
            : [],
      }),
    ]
  })

/** A drain waits for those that its own pods had, which an explanation cannot know. A NodeGuard that holds the node has more about them. */
const volumes = ({ node, pods = [], volumes: known }: NodeScene, isGuardNamed: boolean): readonly ExplainFinding[] =>
  known === undefined
    ? []
    : volumesLeft({ node: node.name, pods: pods.map(({ seen }) => seen.pod), ...known }).map(
        ({ name, persistentVolumeName, attacher, attached }) =>
          finding({
            ...{ part: 'drain', is: isGuardNamed ? 'fact' : 'waits', subject: node.name, code: 'VolumeAttached' },
            text: `volume ${persistentVolumeName} is still attached to ${node.name} (${attacher}), and no pod on ${node.name} uses it`,
            evidence: [`VolumeAttachment ${name}: attached ${attached}`],
            next: [{ command: kubectl`describe volumeattachment ${name}`, note: `what the driver ${attacher} says` }],
          }),
      )
