import { KURED_LOCK } from '../../../src/ground/model/kured-lock.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { DAEMON_SETS } from '../../../src/sim/world/api-resource.ts'

/** It has no pods: only its lock matters. Null: the lock is removed. */
export const kuredDaemonSet = ({
  args = [],
  lock,
}: {
  args?: readonly string[]
  lock?: string | null
} = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    namespace: 'kube-system',
    name: 'kured',
    ...(lock === undefined ? {} : { annotations: { [KURED_LOCK]: lock } }),
  },
  spec: {
    selector: { matchLabels: { name: 'kured' } },
    template: {
      metadata: { labels: { name: 'kured' } },
      spec: { nodeSelector: { nowhere: 'true' }, containers: [{ name: 'kured', image: 'kured', args }] },
    },
  },
})

/** As it stands in the cluster. */
export const kuredLockOf = ({ world }: VirtualCluster): string | undefined =>
  [...world.store.all(DAEMON_SETS)].find(({ metadata }) => metadata.name === 'kured')?.metadata.annotations?.[
    KURED_LOCK
  ]
