import { findDnsService } from '../../dns/decide/find-dns-service.ts'
import { HEALTH_CONDITION } from '../../dns/decide/health-condition.ts'
import { scenePod } from '../../dns/run/scene-pod.ts'
import { claimsOf, MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import type { IngressGroup } from '../../ground/model/ingress-keys.ts'
import type { Node } from '../../ground/model/node.ts'
import { present } from '../../ground/model/present.ts'
import type { Sentence } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import { NODE_GUARDS } from '../../guard/decide/guard-kind.ts'
import { type CheckedIngress, ingressKind } from '../../ingress/decide/ingress-kind.ts'
import { servedOrAgain } from '../../ingress/run/commands/find-ingress.ts'
import { GRANTS_CONFIG_MAP, GRANTS_KEY, parseGrants } from '../../service/model/cordon-grants.ts'
import { lookAtBudget } from '../../service/run/look-at-budget.ts'
import type { DnsReading, NodeScene } from '../decide/node-scene.ts'
import type { ExplainPass } from './explain-sources.ts'
import { whyText } from './unknowns.ts'

/** Who is out, and who holds the slots. */
export async function readBudget({ sources, options, unknowns, signal }: ExplainPass): Promise<NodeScene['budget']> {
  const { slotsNamespace: namespace, grantsNamespace } = options
  try {
    const shared = await unknowns.read(
      'the node budget',
      rethrown(lookAtBudget(sources, { namespace, grantsNamespace, watchMs: 0 }, signal)),
    )
    for (const ref of shared?.unread ?? []) unknowns.add(`ConfigMap ${ref}`, 'this identity is not allowed to read it')
    return shared
  } catch (error) {
    if (error instanceof InvalidBudget) return { fault: error.message, next: error.fix }
    throw error
  }
}

class InvalidBudget extends Error {
  readonly fix: Sentence

  constructor({ message, fix = '' }: UserError) {
    super(message)
    this.fix = fix
  }
}

/** A limit that makes no sense is a finding, and no failed read. */
const rethrown = <T>(reading: Promise<T>): Promise<T> =>
  reading.catch((error: unknown) => {
    throw error instanceof UserError && error.code === 'budget.max-out' ? new InvalidBudget(error) : error
  })

/** Which cordons the brake has granted; undefined: not known. */
export async function readCordons({ sources, options, unknowns, signal }: ExplainPass): Promise<NodeScene['cordons']> {
  const ref = { namespace: options.grantsNamespace, name: GRANTS_CONFIG_MAP }
  const what = `ConfigMap ${ref.namespace}/${ref.name}`
  const found = await unknowns.read(
    what,
    sources.configMaps.read(ref, signal).then((object) => ({ object })),
  )
  if (found === undefined) return undefined
  if (found.object === undefined) return 'noBrake'
  const grants = parseGrants(found.object.data[GRANTS_KEY] ?? '')
  if (grants === undefined) unknowns.add(what, 'it makes no sense, so it is not known which cordons are granted')
  return grants
}

export const readGuards = ({ sources, unknowns, signal }: ExplainPass, namespace?: string) =>
  unknowns.read('NodeGuards', sources.objects.list({ kind: NODE_GUARDS, ...present({ namespace }) }, signal))

/** Static pods of the control plane, by which a plan counts members of etcd and API servers. */
export const readSystem = ({ sources, unknowns, signal }: ExplainPass) =>
  unknowns.read('the pods of kube-system', sources.reader.list('pods', 'kube-system', signal))

/** One of them may be kured, whose lock is an annotation of it. */
export const readDaemonSets = ({ sources, unknowns, signal }: ExplainPass) =>
  unknowns.read('DaemonSets', sources.reader.list('daemonsets', undefined, signal))

/** Of both groups; `areIngressesWhole` is false where a list of one is missing: an object that is not among them may be there. */
interface IngressesReading {
  readonly ingresses?: readonly CheckedIngress[]
  readonly areIngressesWhole: boolean
}

/** The group of the older controller is rarely installed: that it is missing is reported only where a claim may be of one of its objects. */
export async function readIngresses(pass: ExplainPass, node: Node): Promise<IngressesReading> {
  const { sources, unknowns, signal } = pass
  const list = (group: IngressGroup) => servedOrAgain(() => sources.objects.list({ kind: ingressKind(group) }, signal))
  const noneWhereAbsent = (error: unknown): readonly CheckedIngress[] => {
    if (!(error instanceof WorldError) || error.code !== 'KUBE_NO_PATH') throw error
    const isClaimed = claimsOf(node.annotations[MAINTENANCE_ANNOTATION]).some(({ owner }) =>
      owner.startsWith('ingress/'),
    )
    if (isClaimed) unknowns.add(OF_OLDER, whyText(error))
    return []
  }
  const [ours, first] = await Promise.all([
    unknowns.read('IngressDaemonSets', list('evenkeel.dev')),
    unknowns.read(OF_OLDER, list('ingressdaemonsets.mumoshu.github.io').catch(noneWhereAbsent)),
  ])
  const found = [...(ours ?? []), ...(first ?? [])]
  const areIngressesWhole = ours !== undefined && first !== undefined
  return areIngressesWhole || found.length > 0 ? { ingresses: found, areIngressesWhole } : { areIngressesWhole }
}

const OF_OLDER = 'IngressDaemonSets of ingressdaemonsets.mumoshu.github.io'

/** The pods of DNS, and the last result of the controller's check. */
export function readDns({ sources, unknowns, signal }: ExplainPass): Promise<DnsReading | undefined> {
  const read = async (): Promise<DnsReading | undefined> => {
    const found = findDnsService(await sources.dnsObjects.services(signal), {})
    if (found === undefined) {
      unknowns.add('the cluster DNS', 'no Service looks like it')
      return undefined
    }
    const { service } = found
    const { namespace, selector = {} } = service
    const [pods, endpoints, object] = await Promise.all([
      sources.dnsObjects.pods({ namespace, selector }, signal),
      sources.dnsObjects.endpoints(service, signal),
      sources.conditions.read(service, signal),
    ])
    const health = object?.conditions.find(({ type }) => type === HEALTH_CONDITION)
    const around = { endpoints, service, wallMs: sources.clock.wallMs(), downNodes: new Set<string>() }
    return {
      service: { namespace, name: service.name },
      pods: pods.map((pod) => scenePod(pod, around)),
      ...present({ health }),
    }
  }
  return unknowns.read('the cluster DNS', read())
}
