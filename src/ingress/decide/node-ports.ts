import type { Node } from '../../ground/model/node.ts'
import { Untrusted } from '../../ground/model/untrusted.ts'
import { eligibilityIn } from '../../service/decide/eligibility.ts'
import type { IngressSpec } from '../model/ingress-daemon-set.ts'
import { boundBy } from './schema/host-port-rules.ts'

/** A port that an IngressDaemonSet takes on each of its nodes, and the field that says so. */
interface TakenPort {
  readonly port: number
  readonly field: string
  readonly isHealth: boolean
}

export function takenPorts({ healthCheckNodePorts, template }: IngressSpec): readonly TakenPort[] {
  const health = healthCheckNodePorts.map((port, i) => ({
    port,
    field: `spec.healthCheckNodePorts[${i}]`,
    isHealth: true,
  }))
  const bound = new Set(boundBy(new Untrusted({ template: template.object }, 'spec')))
  return [...health, ...[...bound].map((port) => ({ port, field: 'spec.template.spec.containers', isHealth: false }))]
}

type Words = Readonly<Record<string, string>>

/** Both selectors that are in the object; of the same label, that of the template counts for what is compared here. */
const nodeSelectorOf = ({ nodeSelector, template }: IngressSpec): Words => ({
  ...nodeSelector,
  ...new Untrusted(template.object, 'template').at('spec').at('nodeSelector').textMap(),
})

/**
 * Some node has pods of both. While one of them has no node at all, as where a pool is scaled to zero, they share one unless their
 * selectors exclude each other.
 */
export function shareNode(one: IngressSpec, other: IngressSpec, nodes: readonly Node[]): boolean {
  const [first, second] = [nodeSelectorOf(one), nodeSelectorOf(other)]
  const areApart = Object.entries(first).some(([key, value]) => Object.hasOwn(second, key) && second[key] !== value)
  if (areApart) return false
  const [inOne, inOther] = [eligibilityIn(one), eligibilityIn(other)]
  const [ofOne, ofOther] = [nodes.filter(hasPods(inOne)), nodes.filter(hasPods(inOther))]
  return ofOne.length === 0 || ofOther.length === 0 || ofOne.some(hasPods(inOther))
}

const hasPods =
  (eligibility: ReturnType<typeof eligibilityIn>) =>
  (node: Node): boolean =>
    eligibility(node).kind !== 'Leave'

/** How many nodes have pods of it, or are to have them. */
export const nodeCount = (spec: IngressSpec, nodes: readonly Node[]): number =>
  nodes.filter(hasPods(eligibilityIn(spec))).length
