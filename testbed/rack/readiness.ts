import { waitFor } from '../machine/wait-for.ts'
import type { ApiClient } from './api-client.ts'
import { corednsPath } from './coredns.ts'
import type { NodePower } from './node-power.ts'
import { partsOfControlPlane } from './stacked/static-pods.ts'

interface NodeObject {
  readonly metadata: { readonly name: string }
  readonly status?: {
    readonly nodeInfo?: { readonly bootID?: string }
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

interface PodObject {
  readonly spec: { readonly nodeName: string }
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly containerStatuses?: readonly { readonly state?: { readonly running?: { readonly startedAt: string } } }[]
  }
}

interface DeploymentObject {
  readonly spec: { readonly replicas: number }
  readonly status?: { readonly availableReplicas?: number; readonly observedGeneration?: number }
}

export interface ReadinessWait {
  readonly api: ApiClient
  readonly nodes: readonly NodePower[]
  readonly limitMs: number
  readonly explain: () => string
}

/** Waits until the API shows every powered node Ready in its present boot, and pods may be created. */
export async function nodesReady({ api, nodes, limitMs, explain }: ReadinessWait): Promise<void> {
  let problem = ''
  await until({ what: 'all nodes to be Ready', limitMs, explain: () => `${problem}\n${explain()}` }, async () => {
    problem = await nodeProblem(api, nodes)
    return problem === ''
  })
}

/** Waits until each of these nodes has every pod of the control plane Ready, in containers of its present boot. */
export async function controlPlaneReady(wait: ReadinessWait, planes: readonly string[]): Promise<void> {
  const { api, nodes, limitMs, explain } = wait
  let problem = ''
  await until(
    { what: 'the control plane to be Ready', limitMs, explain: () => `${problem}\n${explain()}` },
    async () => {
      const powers = nodes.filter(({ node, isOn }) => isOn && planes.includes(node))
      if (powers.length === 0) return true
      const { status, text } = await api.get('/api/v1/namespaces/kube-system/pods?labelSelector=tier%3Dcontrol-plane')
      if (status !== 200) throw new Error(text.slice(0, 200))
      const { items }: { items: readonly PodObject[] } = JSON.parse(text)
      const unready = powers.filter(
        (power) => items.filter((pod) => isPodReady(pod, power)).length < partsOfControlPlane,
      )
      problem = `not Ready on ${unready.map(({ node }) => node).join(', ')}`
      return unready.length === 0
    },
  )
}

/** What is reported of a container that ended with an earlier boot stays until kubelet reports the next one. */
function isPodReady({ spec, status }: PodObject, power: NodePower): boolean {
  return (
    spec.nodeName === power.node &&
    status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true &&
    status.containerStatuses?.every(({ state }) => {
      // In whole seconds, rounded down.
      return state?.running !== undefined && Date.parse(state.running.startedAt) + 1_000 > power.bootedAtMs
    }) === true
  )
}

/** Waits until every replica of the cluster's DNS is available. */
export async function dnsReady({ api, limitMs, explain }: ReadinessWait): Promise<void> {
  let problem = ''
  await until({ what: 'CoreDNS to be available', limitMs, explain: () => `${problem}\n${explain()}` }, async () => {
    const { status, text } = await api.get(corednsPath)
    if (status !== 200) throw new Error(text.slice(0, 200))
    const deployment: DeploymentObject = JSON.parse(text)
    const available = deployment.status?.availableReplicas ?? 0
    problem = `${available} of ${deployment.spec.replicas} replicas are available`
    return available >= deployment.spec.replicas
  })
}

/** An API that cannot be asked is not ready; the last reason is told. */
async function until(
  wait: { readonly what: string; readonly limitMs: number; readonly explain: () => string },
  isSo: () => Promise<boolean>,
): Promise<void> {
  let trouble = ''
  await waitFor({ ...wait, everyMs: 100, explain: () => `${trouble}\n${wait.explain()}` }, async () => {
    try {
      trouble = ''
      return (await isSo()) ? true : undefined
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error)
      return undefined
    }
  })
}

async function nodeProblem(api: ApiClient, nodes: readonly NodePower[]): Promise<string> {
  // Without it pods are refused; it is the last thing that a new cluster gets.
  const account = await api.get('/api/v1/namespaces/default/serviceaccounts/default')
  if (account.status !== 200) return 'the default ServiceAccount does not exist yet'
  if (nodes.length === 0) return ''
  const answer = await api.get('/api/v1/nodes')
  if (answer.status !== 200) return `the API answers ${answer.status}`
  const { items }: { items: readonly NodeObject[] } = JSON.parse(answer.text)
  const unready = nodes.filter((power) => power.isOn && !items.some((item) => isReady(item, power)))
  return unready.length === 0 ? '' : `not Ready yet: ${unready.map(({ node }) => node).join(', ')}`
}

function isReady({ metadata, status }: NodeObject, power: NodePower): boolean {
  return (
    metadata.name === power.node &&
    status?.nodeInfo?.bootID === power.bootId &&
    status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
  )
}
