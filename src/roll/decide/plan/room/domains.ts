import { selectorMatches } from '../../../../ground/model/label-selector.ts'
import type { Node } from '../../../../ground/model/node.ts'
import { isFinished, type Pod } from '../../../../ground/model/pod.ts'
import type { ApartTerm, SpreadRule } from '../../../../ground/model/pod-placement.ts'
import type { SelectedPods } from '../selected-pods.ts'

/** How many pods that a rule counts are in each domain of its topology. */
type Counts = ReadonlyMap<string, number>

/** Which pods keep others away, counted once for each rule, whatever the number of pods that have it. */
export class Domains {
  readonly #nodes: ReadonlyMap<string, Node>
  readonly #selected: SelectedPods
  readonly #counts = new Map<string, Counts>()
  readonly #domains = new WeakMap<readonly Node[], Map<string, ReadonlySet<string>>>()
  readonly #least = new WeakMap<readonly Node[], Map<string, number>>()

  constructor(nodes: readonly Node[], selected: SelectedPods) {
    this.#nodes = new Map(nodes.map((node) => [node.name, node]))
    this.#selected = selected
  }

  /** Whether the anti-affinity of a pod that leaves its node allows it on another node. */
  mayBeBeside(pod: Pod, term: ApartTerm, node: Node): boolean {
    const { topologyKey, selector, namespaces } = term
    const domain = node.labels[topologyKey]
    if (domain === undefined) return true
    const counts = this.#counted(term)
    const isMeant = selectorMatches(selector, pod.labels) && namespaces?.includes(pod.namespace) !== false
    const own = isMeant && this.#domainOf(pod, topologyKey) === domain ? 1 : 0
    return (counts.get(domain) ?? 0) - own <= 0
  }

  /**
   * Whether a topology spread constraint allows a pod that leaves its node on another node. A closed node, also the one that
   * the pod leaves, is still a domain (nodeTaintsPolicy: Ignore, the default).
   */
  mayGoTo(
    pod: Pod,
    rule: SpreadRule,
    { node, matching }: { readonly node: Node; readonly matching: readonly Node[] },
  ): boolean {
    const { topologyKey, maxSkew, selector } = rule
    const domain = node.labels[topologyKey]
    if (domain === undefined) return false
    const counts = this.#counted({ topologyKey, selector, namespaces: [pod.namespace] })
    const own = selectorMatches(selector, pod.labels) ? 1 : 0
    const left = this.#domainOf(pod, topologyKey)
    const leftBehind = left === undefined ? Number.POSITIVE_INFINITY : (counts.get(left) ?? 0) - own
    const least = Math.min(this.#leastOf(rule, pod.namespace, { counts, matching }), leftBehind)
    const here = (counts.get(domain) ?? 0) - (left === domain ? own : 0)
    return here + own - least <= maxSkew
  }

  #domainOf(pod: Pod, topologyKey: string): string | undefined {
    return this.#nodes.get(pod.nodeName ?? '')?.labels[topologyKey]
  }

  #counted({ topologyKey, selector, namespaces }: ApartTerm): Counts {
    const key = JSON.stringify([topologyKey, selector, namespaces])
    const known = this.#counts.get(key)
    if (known !== undefined) return known
    const counts = new Map<string, number>()
    for (const pod of this.#selected.by(selector, namespaces)) {
      const domain = isFinished(pod) || pod.terminating ? undefined : this.#domainOf(pod, topologyKey)
      if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1)
    }
    this.#counts.set(key, counts)
    return counts
  }

  #domainsOf(nodes: readonly Node[], topologyKey: string): ReadonlySet<string> {
    const ofNodes = this.#domains.get(nodes) ?? new Map<string, ReadonlySet<string>>()
    this.#domains.set(nodes, ofNodes)
    const known = ofNodes.get(topologyKey)
    if (known !== undefined) return known
    const domains = new Set(nodes.flatMap(({ labels }) => labels[topologyKey] ?? []))
    ofNodes.set(topologyKey, domains)
    return domains
  }

  #leastOf(
    { topologyKey, selector }: SpreadRule,
    namespace: string,
    { counts, matching }: { readonly counts: Counts; readonly matching: readonly Node[] },
  ): number {
    const ofNodes = this.#least.get(matching) ?? new Map<string, number>()
    this.#least.set(matching, ofNodes)
    const key = JSON.stringify([topologyKey, selector, namespace])
    const known = ofNodes.get(key)
    if (known !== undefined) return known
    let least = Number.POSITIVE_INFINITY
    for (const domain of this.#domainsOf(matching, topologyKey)) least = Math.min(least, counts.get(domain) ?? 0)
    ofNodes.set(key, least)
    return least
  }
}
