import { DNS_SERVICE_NAMES } from '../../../dns/decide/find-dns-service.ts'
import type { Node } from '../../../ground/model/node.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { isFinished, type Pod } from '../../../ground/model/pod.ts'
import { present } from '../../../ground/model/present.ts'
import type { Service } from '../../../ground/model/service.ts'
import { lastDnsPod } from '../dns/dns-leaving.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'

/** What the check of DNS will hold the roll for, as far as the API shows it: a plan sends no query. */
export function dnsFindings(s: PlanSnapshot, nodes: readonly Node[]): readonly PlanFinding[] {
  const service = dnsServiceOf(s)
  if (service === undefined || Object.keys(service.selector).length === 0) return []
  const pods = s.cluster.pods.filter((pod) => isBehind(service, pod))
  if (pods.length === 0) return [noPods(service)]
  const serving = new Set(
    s.cluster.slices
      .filter(({ namespace, serviceName }) => namespace === service.namespace && serviceName === service.name)
      .flatMap(({ endpoints }) => endpoints.flatMap(({ serving, podUid }) => (serving ? [podUid] : []))),
  )
  const seen = pods.map(({ name, nodeName, terminating, uid }) => ({
    name,
    terminating,
    endpoint: serving.has(uid) ? ('serving' as const) : ('absent' as const),
    ...present({ node: nodeName }),
  }))
  return nodes.flatMap(({ name }) =>
    lastDnsPod(name, { service, pods: seen }).map(({ code, text, next }) => ({
      severity: 'hold',
      code,
      node: name,
      text,
      ...present({ fix: next }),
    })),
  )
}

/** The one that the file names, else one of the usual names. Which one the pods ask is not known here: one that answers nothing is not it. */
function dnsServiceOf({ spec: { dns }, services, cluster }: PlanSnapshot): Service | undefined {
  if (dns === undefined) return undefined
  const named = dns.service
  if (named !== undefined) return services.find((one) => refKey(one) === refKey(named))
  const usual = DNS_SERVICE_NAMES.flatMap((name) => services.filter((one) => one.name === name))
  const ofSystem = usual.filter(({ namespace }) => namespace === 'kube-system')
  const possible = ofSystem.length === 0 && usual.length === 1 ? usual : ofSystem
  return possible.find((one) => cluster.pods.some((pod) => isBehind(one, pod))) ?? possible[0]
}

const isBehind = (service: Service, pod: Pod): boolean =>
  pod.namespace === service.namespace &&
  !isFinished(pod) &&
  Object.entries(service.selector).every(([key, value]) => pod.labels[key] === value)

const noPods = (service: Service): PlanFinding => ({
  severity: 'block',
  code: 'DnsNoPods',
  text: `no pod runs behind Service ${refKey(service)}, so the check of DNS would hold the roll before its first node`,
  fix: 'correct the selector of the Service, or start its pods; if something outside of the cluster answers DNS: dns.check: false',
})
