import { type ApiCall, segment } from '../../ground/kube/api-call.ts'
import type { ApiClient } from '../../ground/kube/api-client.ts'
import { askObject, findObject } from '../../ground/kube/api-object.ts'
import { CLUSTER_KINDS } from '../../ground/kube/cluster-kinds.ts'
import { evict } from '../../ground/kube/evict.ts'
import { findCondition } from '../../ground/kube/find-condition.ts'
import { listPages } from '../../ground/kube/list-pages.ts'
import { type Resource, resourceOf } from '../../ground/kube/resources.ts'
import type { JsonPatch } from '../../ground/model/json-patch.ts'
import { selectorMatches } from '../../ground/model/label-selector.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import type { PodOwner } from '../../ground/model/pod.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { RolledWorkload } from '../model/repair-reading.ts'
import type { DnsRepairer, PodOfDns, PodsOfDns } from '../ports/dns-repairer.ts'

interface Parts {
  readonly client: ApiClient
  readonly log: Log
}

const QUARANTINE = 'evenkeel.dev/quarantine'
const BY_DNS = 'dns'
/** Where all that is known of runs it, and what it is labelled with there. */
const PROXIES = { namespace: 'kube-system', labelSelector: 'k8s-app=kube-proxy' }
/** Between a read and the patch that is held against it something else may write the pod. */
const PATCHES_MAX = 5

interface OwnedPod {
  readonly name: string
  readonly uid: string
  readonly node?: string
  readonly resourceVersion: string
  readonly labels: Readonly<Record<string, string>>
  readonly controller?: PodOwner
}

/** The rights that it takes stand in deploy/dns-repair-rbac.yaml. */
export const kubeDnsRepairer = (parts: Parts): DnsRepairer => ({
  read: async (of, signal) => {
    const [pods, quarantined, budgets, nodes, proxies, apiNotReady] = await Promise.all([
      list(parts, podsOf(of), signal),
      list(parts, podsOf({ ...of, selector: { [QUARANTINE]: BY_DNS } }), signal),
      list(parts, budgetsIn(of.namespace), signal),
      list(parts, NODES, signal),
      list(parts, PROXY_SETS, signal),
      notReady(parts, signal),
    ])
    const bearing = new Set(pods.map(({ node }) => node))
    return {
      ...present({ apiNotReady }),
      budgets: Object.fromEntries(
        pods.map(({ uid, labels }) => [uid, budgets.filter(({ selector }) => selectorMatches(selector, labels))]),
      ),
      ...present({ workload: await workloadOf(parts.client, { namespace: of.namespace, pods }, signal) }),
      proxies,
      cordoned: nodes.flatMap(({ name, isCordoned }) => (isCordoned && bearing.has(name) ? [name] : [])),
      downNodes: nodes.flatMap(({ name, isReady }) => (isReady ? [] : [name])),
      quarantined: quarantined.map(({ name }) => name),
    }
  },
  workload: async (of, signal) => {
    const pods = await list(parts, podsOf(of), signal)
    return workloadOf(parts.client, { namespace: of.namespace, pods }, signal)
  },
  quarantine: (pod, signal) => quarantine(parts, pod, signal),
  evict: (pod, signal) => evict(parts.client, { pod, dryRun: false }, signal),
})

const list = async <T>(parts: Parts, kind: Resource<T>, signal: AbortSignal): Promise<readonly T[]> =>
  (await listPages(parts, kind, signal)).objects

const podsOf = ({ namespace, selector }: PodsOfDns): Resource<OwnedPod> => ({
  path: `/api/v1/namespaces/${segment(namespace)}/pods`,
  resource: 'pods',
  query: {
    labelSelector: Object.entries(selector)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  },
  parse: parseOwnedPod,
})

function parseOwnedPod(object: Untrusted): OwnedPod {
  const { name, uid, labels, controller, resourceVersion } = parseMetadata(object, 'namespaced')
  const node = object.at('spec').at('nodeName').optionalText()
  return { name, uid, labels, resourceVersion, ...present({ node, controller }) }
}

const budgetsIn = (namespace: string) => resourceOf({ kind: CLUSTER_KINDS.disruptionbudgets, namespace })

const NODES: Resource<{ readonly name: string; readonly isCordoned: boolean; readonly isReady: boolean }> = {
  path: '/api/v1/nodes',
  resource: 'nodes',
  parse: (object) => ({
    name: object.at('metadata').at('name').text(),
    isCordoned: object.at('spec').at('unschedulable').flagOr(false),
    isReady: findCondition(object, 'Ready')?.status === 'True',
  }),
}

const PROXY_SETS: Resource<RolledWorkload> = {
  path: `/apis/apps/v1/namespaces/${PROXIES.namespace}/daemonsets`,
  resource: 'daemonsets.apps',
  query: { labelSelector: PROXIES.labelSelector },
  parse: parseRolled('DaemonSet'),
}

const PLURALS = { Deployment: 'deployments', DaemonSet: 'daemonsets' } as const

/** What all of them belong to; undefined where that is not one. */
async function workloadOf(
  client: ApiClient,
  { namespace, pods }: { readonly namespace: string; readonly pods: readonly OwnedPod[] },
  signal: AbortSignal,
): Promise<RolledWorkload | undefined> {
  const get = (plural: string, name: string): ApiCall => ({
    verb: 'get',
    resource: `${plural}.apps`,
    path: `/apis/apps/v1/namespaces/${segment(namespace)}/${plural}/${segment(name)}`,
  })
  const owners = new Map<string, PodOwner>()
  for (const { controller } of pods) {
    if (controller === undefined) return undefined
    owners.set(controller.uid, controller)
  }
  const tops = new Map<string, PodOwner>()
  for (const owner of owners.values()) {
    const call = get('replicasets', owner.name)
    const top =
      owner.kind === 'ReplicaSet'
        ? await findObject(client, { call, parse: (set) => parseMetadata(set, 'namespaced').controller }, signal)
        : owner
    if (top === undefined) return undefined
    tops.set(top.uid, top)
  }
  const [top, ...more] = tops.values()
  if (top === undefined || more.length > 0 || !isRolled(top.kind)) return undefined
  const { kind, name } = top
  return findObject(client, { call: get(PLURALS[kind], name), parse: parseRolled(kind) }, signal)
}

const isRolled = (kind: string): kind is RolledWorkload['kind'] => Object.hasOwn(PLURALS, kind)

function parseRolled(kind: RolledWorkload['kind']): (object: Untrusted) => RolledWorkload {
  return (object) => {
    const [metadata, spec, status] = [object.at('metadata'), object.at('spec'), object.at('status')]
    const count = (field: string): number => status.at(field).integerOr(0)
    const counts =
      kind === 'DaemonSet'
        ? {
            desired: count('desiredNumberScheduled'),
            total: count('currentNumberScheduled'),
            updated: count('updatedNumberScheduled'),
            ready: count('numberReady'),
          }
        : {
            // An absent spec.replicas means one.
            desired: spec.at('replicas').integerOr(1),
            total: count('replicas'),
            updated: count('updatedReplicas'),
            ready: count('readyReplicas'),
          }
    const isObserved = count('observedGeneration') >= metadata.at('generation').integerOr(0)
    return { kind, name: metadata.at('name').text(), ...counts, isObserved }
  }
}

/** What /readyz says, where it is not well. Every identity may ask it (system:public-info-viewer). */
async function notReady({ client }: Parts, signal: AbortSignal): Promise<string | undefined> {
  try {
    const head = await client.stream({ verb: 'get', resource: 'readyz', path: '/readyz' }, signal)
    head.destroy()
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof WorldError)) throw error
    return `the API server is not ready (${error.message})`
  }
}

async function quarantine({ client }: Parts, pod: PodOfDns, signal: AbortSignal): Promise<boolean> {
  const path = `/api/v1/namespaces/${segment(pod.namespace)}/pods/${segment(pod.name)}`
  const read: ApiCall = { verb: 'get', resource: 'pods', path }
  for (let patches = 1; ; patches += 1) {
    const found = await findObject(client, { call: read, parse: parseOwnedPod }, signal)
    if (found === undefined || found.uid !== pod.uid) return false
    // By any other label another Service may still lead clients to it, and a PodDisruptionBudget may count it.
    const body: JsonPatch = [
      { op: 'test', path: '/metadata/resourceVersion', value: found.resourceVersion },
      { op: 'replace', path: '/metadata/labels', value: { [QUARANTINE]: BY_DNS } },
    ]
    try {
      await askObject(client, { call: { verb: 'patch', resource: 'pods', path, body }, parse: parseOwnedPod }, signal)
      return true
    } catch (error) {
      if (!(error instanceof WorldError) || error.code !== 'KUBE_CONFLICT' || patches === PATCHES_MAX) throw error
    }
  }
}
