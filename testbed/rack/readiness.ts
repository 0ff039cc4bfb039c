import { waitFor } from '../machine/wait-for.ts'
import type { ApiClient } from './api-client.ts'
import { corednsPath } from './coredns.ts'
import type { NodePower } from './node-power.ts'

interface NodeObject {
  readonly metadata: { readonly name: string }
  readonly status?: {
    readonly nodeInfo?: { readonly bootID?: string }
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
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
