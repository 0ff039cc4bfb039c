import type { RawApi } from '../../test/support/raw-api.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'

interface NodeList {
  readonly items: readonly { readonly spec: { readonly taints?: readonly { readonly key: string }[] } }[]
}

const UNREACHABLE = 'node.kubernetes.io/unreachable'

/**
 * Nodes that no kubelet reports: resolves once the cluster's controllers have given all of them up, a minute later, which
 * keeps the API server busy for a while. What is measured then is measured beside a server at rest.
 */
export async function lostNodes(ask: RawApi, names: readonly string[]): Promise<void> {
  for (const name of names) await ask('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } })
  await waitFor(
    { what: 'controllers to be through with nodes that are lost', limitMs: 180_000, everyMs: 2_000 },
    async () => {
      const { items } = (await ask('GET', '/api/v1/nodes')).body as NodeList
      const isLost = ({ spec }: NodeList['items'][number]): boolean =>
        spec.taints?.some(({ key }) => key === UNREACHABLE) === true
      return items.length === names.length && items.every(isLost) ? true : undefined
    },
  )
}
