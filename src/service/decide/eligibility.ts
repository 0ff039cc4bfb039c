import type { Node, Taint } from '../../ground/model/node.ts'
import { type NodeTerm, parseRequiredNodeAffinity, whyNotMatched } from '../../ground/model/node-affinity.ts'
import { REMOVAL_TAINTS } from '../../ground/model/node-reading.ts'
import { daemonTolerations, parseToleration, type Toleration, tolerates } from '../../ground/model/tolerations.ts'
import { MalformedReply, Untrusted } from '../../ground/model/untrusted.ts'

/**
 * `Run`: the node is to have pods. `Keep`: pods that are there stay, and none are made. `Leave`: the node is detached, then its
 * pods are removed. The text continues a sentence that begins with the node's name.
 */
interface Eligibility {
  readonly kind: 'Run' | 'Keep' | 'Leave'
  readonly text: string
  /** The node, or its pods, leave by themselves, whatever is decided. */
  readonly isGoing?: true
}

/** Pods for nodes: what selects the nodes, and the template of the pods. */
interface PodsForNodes {
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly template: {
    /** corev1.PodTemplateSpec. */
    readonly object: Readonly<Record<string, unknown>>
    readonly hostNetwork: boolean
  }
}

/** What the template requires of nodes, read once for all nodes. */
interface Placement {
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly terms: readonly NodeTerm[] | undefined
  readonly tolerations: readonly Toleration[]
}

/**
 * Nodes that are cordoned or not Ready keep their pods, however Kubernetes taints them: a cordon is a request for maintenance,
 * and a broken network must not remove pods that serve.
 */
const NEVER_COUNT: readonly string[] = ['not-ready', 'unreachable', 'unschedulable'].map(
  (condition) => `node.kubernetes.io/${condition}`,
)

/**
 * Which nodes are to have pods, as the DaemonSet controller decides it (NodeShouldRunDaemonPod), and which nodes are leaving.
 * The template is read once, for all nodes.
 */
export function eligibilityIn(spec: PodsForNodes): (node: Node) => Eligibility {
  const placement = readPlacement(spec)
  return (node) => leavesAlone(node, spec) ?? (typeof placement === 'string' ? keep(placement) : judge(node, placement))
}

/** The part that does not need the template. */
function leavesAlone(node: Node, { nodeSelector }: PodsForNodes): Eligibility | undefined {
  if (node.deleting === true) return going('is being deleted')
  const removal = node.taints.find(({ key }) => REMOVAL_TAINTS.includes(key))
  if (removal !== undefined) return going(`has the taint ${taintText(removal)} and is about to be removed`)
  const unlike = unlikeLabel(nodeSelector, node)
  return unlike === undefined ? undefined : leave(`${unlike}, which nodeSelector asks for`)
}

function judge(node: Node, { nodeSelector, terms, tolerations }: Placement): Eligibility {
  const unlike = unlikeLabel(nodeSelector, node)
  if (unlike !== undefined) return leave(`${unlike}, which the nodeSelector of the template asks for`)
  const unmatched = terms === undefined ? undefined : whyNotMatched(terms, node)
  if (unmatched !== undefined) return leave(`does not match the node affinity of the template: ${unmatched}`)
  const untolerated = node.taints.filter(
    (taint) => !NEVER_COUNT.includes(taint.key) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  )
  const evicting = untolerated.find(({ effect }) => effect === 'NoExecute')
  if (evicting !== undefined) return going(notTolerated(evicting))
  const refusing = untolerated.find(({ effect }) => effect === 'NoSchedule')
  return refusing === undefined ? RUN : keep(notTolerated(refusing))
}

/** A template that cannot be read changes nothing for any node. */
function readPlacement({ template }: PodsForNodes): Placement | string {
  const podSpec = new Untrusted(template.object, 'template').at('spec')
  try {
    return {
      nodeSelector: podSpec.at('nodeSelector').textMap(),
      terms: parseRequiredNodeAffinity(podSpec),
      tolerations: [
        ...podSpec.at('tolerations').each(),
        ...new Untrusted(daemonTolerations(template.hostNetwork), 'defaults').each(),
      ].map(parseToleration),
    }
  } catch (error) {
    if (error instanceof MalformedReply) return `cannot be judged: ${error.message}`
    throw error
  }
}

const RUN: Eligibility = { kind: 'Run', text: 'fits the selectors and the affinity, and its taints are tolerated' }
const keep = (text: string): Eligibility => ({ kind: 'Keep', text })
const leave = (text: string): Eligibility => ({ kind: 'Leave', text })
const going = (text: string): Eligibility => ({ ...leave(text), isGoing: true })

function unlikeLabel(selector: Readonly<Record<string, string>>, { labels }: Node): string | undefined {
  const unlike = Object.entries(selector).find(([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value)
  return unlike === undefined ? undefined : `lacks the label ${unlike.join('=')}`
}

const notTolerated = (taint: Taint): string => `has the taint ${taintText(taint)}, which the template does not tolerate`

/** As kubectl writes it. */
const taintText = ({ key, value = '', effect }: Taint): string => `${key}${value === '' ? '' : `=${value}`}:${effect}`
