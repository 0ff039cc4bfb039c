import type { NodeTerm } from '../../../../ground/model/node-affinity.ts'
import type { PlanFinding } from '../../../../ground/model/plan-finding.ts'
import type { Pod } from '../../../../ground/model/pod.ts'
import { isDaemonSetPod } from '../../../../ground/model/pod.ts'
import { type Amount, bytesText, cpuText } from '../../../../ground/model/quantity.ts'
import { isGated } from '../../drain/guard-of.ts'
import { type GatheredPods, gatherPods } from '../gathered-pods.ts'
import type { PlanSnapshot } from '../plan-snapshot.ts'
import { SelectedPods } from '../selected-pods.ts'
import { Domains } from './domains.ts'
import { type FitParts, fitAll, largestFirst, type NoFit, type PlacedPod } from './fit.ts'
import { lastingTaint, Places } from './places.ts'

/**
 * Pods that no other node would take, by the reason. Each node is planned by itself, in the cluster as it is now. A pod that
 * would preempt others is reported as well, since that hurts the others.
 */
export function roomFindings(s: PlanSnapshot, moving: readonly Pod[]): readonly PlanFinding[] {
  const { cluster } = s
  const podsOf = Map.groupBy(cluster.pods, ({ nodeName = '' }) => nodeName)
  const parts: FitParts = {
    places: new Places(cluster.nodes, podsOf),
    domains: new Domains(cluster.nodes, new SelectedPods(cluster.pods)),
    termsOf: volumeTerms(s),
  }
  const placed = moving.filter(isPlaced)
  const unfit = [...Map.groupBy(placed, ({ nodeName }) => nodeName)].flatMap(([, pods]) => fitAll(parts, pods))
  const nodeOf = new Map(cluster.nodes.map((node) => [node.name, node]))
  const isShut = ({ pod }: (typeof unfit)[number]): boolean => {
    const own = nodeOf.get(pod.nodeName ?? '')
    return own !== undefined && lastingTaint(own, pod.placement) !== undefined
  }
  // Nothing but the words differs where no node is named.
  const kinds = [unfit.filter((each) => !isShut(each)), unfit.filter(isShut)]
  const byReason = kinds.flatMap((each, at) =>
    [...Map.groupBy(each, ({ why }) => why)].map((found) => ({ found, isShut: at === 1 })),
  )
  return byReason.map(({ found: [why, found], isShut }) => {
    const pods = found.map(({ pod }) => pod)
    return finding(why, {
      pods,
      isShut,
      gathered: gatherPods(pods, cluster.workloads),
      parts,
      alone: cluster.nodes.length === 1,
    })
  })
}

/** Pods of DaemonSets and of NodeGuards come back to their own node. Without a controller none comes back. */
const isPlaced = (pod: Pod): pod is PlacedPod =>
  pod.placement !== undefined &&
  pod.controller !== undefined &&
  !isDaemonSetPod(pod) &&
  !isGated(pod) &&
  !pod.terminating

function volumeTerms({ cluster, volumes = [] }: PlanSnapshot): (pod: Pod) => readonly (readonly NodeTerm[])[] {
  const ofVolume = new Map(volumes.flatMap(({ name, terms }) => (terms === undefined ? [] : [[name, terms] as const])))
  const ofClaim = new Map(
    cluster.claims.flatMap(({ namespace, name, volumeName = '' }) => {
      const terms = ofVolume.get(volumeName)
      return terms === undefined ? [] : [[`${namespace}/${name}`, terms] as const]
    }),
  )
  return ({ namespace, claims }) =>
    claims.map((claim) => ofClaim.get(`${namespace}/${claim}`)).filter((terms) => terms !== undefined)
}

interface Unfit {
  readonly pods: readonly PlacedPod[]
  /** Their own nodes would not take them again either: they are cordoned, or bear a taint that stays. */
  readonly isShut: boolean
  readonly gathered: GatheredPods
  readonly parts: FitParts
  /** The cluster has one node. */
  readonly alone: boolean
}

const AWAY = 'or accept that they are away while their node is'

/** Pods that are bound to their node are away as long as it is, which their owner chose. */
const BOUND: Readonly<
  Record<
    Exclude<NoFit, 'noOther' | 'room' | 'together'>,
    { readonly code: string; readonly why: string; readonly fix: string }
  >
> = {
  selector: {
    code: 'BoundBySelector',
    why: 'no other node has the labels that nodeSelector or node affinity ask for',
    fix: `label another node, ${AWAY}`,
  },
  volume: {
    code: 'BoundByVolume',
    why: 'no other node reaches the volume (node affinity of its PersistentVolume)',
    fix: `use storage that several nodes reach, ${AWAY}`,
  },
  hostPort: {
    code: 'BoundByHostPort',
    why: 'every other node has a pod with the same hostPort',
    fix: `keep one node more than replicas, ${AWAY}`,
  },
  apart: {
    code: 'BoundByAntiAffinity',
    why: 'every other node has a pod that its anti-affinity keeps away from',
    fix: `keep one node more than replicas, or make the rule preferred, ${AWAY}`,
  },
  spread: {
    code: 'BoundBySpread',
    why: 'topology spread (DoNotSchedule) allows no other node',
    fix: `raise maxSkew, or set whenUnsatisfiable: ScheduleAnyway, ${AWAY}`,
  },
}

function finding(why: NoFit, unfit: Unfit): PlanFinding {
  const { words, where } = unfit.gathered
  const subject = `no other node takes ${words}`
  switch (why) {
    case 'noOther':
      return {
        severity: unfit.alone ? 'warning' : 'block',
        code: 'NoOtherNode',
        ...where,
        text: `${subject}: ${unfit.alone ? 'there is none' : 'the others are cordoned, not Ready, or bear a taint that is not tolerated'}`,
        fix: unfit.alone
          ? 'add a node, or accept that nothing serves while it is away'
          : 'uncordon or repair another node, or add one',
      }
    case 'room':
      return { ...where, code: 'NoRoom', ...roomText(subject, unfit) }
    case 'together':
      return {
        severity: 'hold',
        code: 'RoomTight',
        ...where,
        text: `other nodes have room for each pod by itself, and may not have it for ${words} beside the others that leave the node`,
        fix: 'add a node, or lower what pods ask for',
      }
    default: {
      const { code, why: reason, fix } = BOUND[why]
      if (!unfit.isShut) return { severity: 'warning', code, ...where, text: `${subject}: ${reason}`, fix }
      const back = 'uncordon their node, or remove its taint, or leave it out'
      return {
        severity: 'block',
        code,
        ...where,
        text: `${subject}, nor would its own node after the reboot: ${reason}`,
        fix: back,
      }
    }
  }
}

/** A pod of a higher priority may get room by preemption, which a plan does not compute. */
function roomText(subject: string, { pods, parts }: Unfit): Pick<PlanFinding, 'severity' | 'text' | 'fix'> {
  const [pod] = pods.toSorted(largestFirst)
  const { reaching = [] } = pod === undefined ? {} : parts.places.for(pod.placement, parts.termsOf(pod))
  const rooms = reaching.flatMap(({ node, free }) => (free === undefined || node.name === pod?.nodeName ? [] : [free]))
  const asks = pod === undefined ? '' : amountText(pod.placement.requests)
  const why = rooms.every((room) => room.pods <= 0)
    ? 'each has as many pods as it may have'
    : `${pods.length === 1 ? 'it' : 'the largest'} asks for ${asks}, and another node has at most ${amountText(most(rooms))} free`
  return {
    severity: pods.some(({ placement }) => placement.priority <= 0) ? 'block' : 'hold',
    text: `${subject}, for lack of room: ${why}`,
    fix: 'add a node, or lower what pods ask for',
  }
}

const amountText = ({ cpuMilli, memoryBytes }: Amount): string =>
  `cpu ${cpuText(cpuMilli)} and memory ${bytesText(memoryBytes)}`

const most = (amounts: readonly Amount[]): Amount =>
  amounts.reduce(
    (best, each) => ({
      cpuMilli: Math.max(best.cpuMilli, each.cpuMilli),
      memoryBytes: Math.max(best.memoryBytes, each.memoryBytes),
    }),
    { cpuMilli: 0, memoryBytes: 0 },
  )
