import { runOfLock } from '../../ground/model/kured-lock.ts'
import type { Node } from '../../ground/model/node.ts'
import {
  KURED_IN_PROGRESS,
  SHUTDOWN_CONDITION,
  takenBy,
  type WorkMark,
  workMarksOf,
} from '../../ground/model/node-reading.ts'
import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { kubectl, say } from '../../ground/model/sentence.ts'
import { markKeys } from '../../service/actuators/actuator-of.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { NodeSnapshot } from './node-snapshot.ts'
import { rebootLocks } from './plan/reboot-lock-findings.ts'
import type { ClusterReading, RollSnapshot } from './snapshot.ts'

/**
 * Why no node is begun, and no reboot announced, now: another program works on the node, or is about to remove it, or kured has
 * another node drained or down. Each such program sets a mark, which the roll never changes.
 */
export const othersWork = (s: NodeSnapshot): readonly Reason[] => [
  ...marksOfOthers(s.current.node, s.spec),
  ...lockOfKured(s),
]

/**
 * The marks on the Node itself. A mark by which the file takes nodes out of a load balancer says nothing about other programs.
 */
export const marksOfOthers = (node: Node, spec: Pick<RollSpec, 'balancers' | 'reboot'>): readonly Reason[] =>
  [removal(node, markKeys(spec)), work(node, { ...spec, marks: markKeys(spec) })].filter(
    (reason) => reason !== undefined,
  )

function removal({ name, deleting, taints }: Node, marks: readonly string[]): Reason | undefined {
  const about = { code: 'NodeBeingRemoved', object: name } as const
  if (deleting === true) return { ...about, text: `${name} is being deleted` }
  const key = taints.map((taint) => taint.key).find((each) => takenBy(each) !== undefined && !marks.includes(each))
  if (key === undefined) return undefined
  const by = takenBy(key) ?? ''
  const next = say`if ${by} no longer removes it: ${kubectl`taint node ${name} ${key}-`}`
  return { ...about, text: `${name} is being removed by ${by}: it has the taint ${key}`, next }
}

/** Conditions of a node that others have drained, and left so, mean no work. */
const isWork = (type: string): boolean => type !== 'Drained'

interface Own extends Pick<RollSpec, 'reboot'> {
  readonly marks: readonly string[]
}

/**
 * kured's annotation says that the node needs a reboot, before kured has its lock for it. A roll that takes the lock goes by
 * the lock alone: the annotation stays for as long as the roll keeps kured waiting.
 */
function work(node: Node, { reboot: { kuredLock }, marks }: Own): Reason | undefined {
  const { name, lifecycle = [], shuttingDown } = node
  const about = { code: 'NodeInOthersWork', object: name } as const
  const types = [...lifecycle.filter(isWork), ...(shuttingDown ? [SHUTDOWN_CONDITION] : [])]
  if (types.length > 0) {
    const text = `another program is at work on ${name}: its condition ${types.join(', ')} is True`
    return { ...about, text, next: say`${kubectl`describe node ${name}`} shows who set it, and why` }
  }
  const isOwn = ({ key }: WorkMark): boolean =>
    marks.includes(key) || (key === KURED_IN_PROGRESS && kuredLock !== undefined)
  const mark = workMarksOf(node).find((one) => !isOwn(one))
  if (mark === undefined) return undefined
  const { by, does, key, end } = mark
  const text = `${by} ${does} ${name}: it has the ${mark.in} ${key}`
  const next =
    end === undefined
      ? say`if ${by} no longer does: ${kubectl`annotate node ${name} ${key}-`}`
      : `wait until ${end}, or leave the node out`
  return { ...about, text, next }
}

interface Locks extends Pick<RollSnapshot, 'wall' | 'run'> {
  readonly cluster: Pick<ClusterReading, 'workloads'> & Partial<Pick<ClusterReading, 'nodes'>>
}

/** If only other rolls hold the lock, no node is out for kured: the node budget orders the rolls. */
export const lockOfKured = ({ cluster, wall, run }: Locks): readonly Reason[] =>
  rebootLocks(cluster.workloads, { wall, run: run.id, ...present({ nodes: cluster.nodes }) })
    .filter(({ holders }) => holders.some((owner) => runOfLock(owner) === undefined))
    .map(({ finding: { text, fix } }) => ({
      code: 'KuredLockHeld',
      object: 'kured',
      text,
      ...present({ next: fix }),
    }))
