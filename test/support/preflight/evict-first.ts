import type { RawApi } from '../raw-api.ts'

interface Placed {
  readonly metadata: { readonly name: string; readonly ownerReferences?: readonly object[] }
  readonly spec: { readonly nodeName?: string }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

const PODS = '/api/v1/namespaces/default/pods'

/** Evicts these pods as a drain does: their nodes are cordoned before. No kubelet has to end them. */
export async function evictFirst(raw: RawApi, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { spec } = (await raw('GET', `${PODS}/${name}`)).body as Placed
    const cordon = await raw('PATCH', `/api/v1/nodes/${spec.nodeName}`, { spec: { unschedulable: true } })
    if (cordon.status !== 200) throw new Error(`cordon of ${spec.nodeName}: ${JSON.stringify(cordon.body)}`)
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: 'default' },
      deleteOptions: { gracePeriodSeconds: 0 },
    }
    const { status, body } = await raw('POST', `${PODS}/${name}/eviction`, eviction)
    if (status >= 300) throw new Error(`eviction of ${name}: ${JSON.stringify(body)}`)
  }
}

/** The pod that the scheduler found no node for. Undefined: every pod has a node, or is still to be scheduled. */
export async function unplacedPod(raw: RawApi): Promise<string | undefined> {
  const { items } = (await raw('GET', PODS)).body as { readonly items: readonly Placed[] }
  return items.find(
    ({ spec, status }) =>
      spec.nodeName === undefined &&
      status?.conditions?.some((one) => one.type === 'PodScheduled' && one.status === 'False'),
  )?.metadata.name
}
