import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { ConfigMaps } from '../../ground/ports/config-maps.ts'
import type { Random } from '../../ground/ports/random.ts'
import { BudgetWatch } from '../../service/run/budget-watch.ts'
import type { ClusterView } from './cluster-view.ts'
import type { RunState } from './run-state.ts'

interface Wiring {
  readonly run: RunState
  readonly view: Pick<ClusterView, 'reading'>
  readonly cluster: Pick<Cluster, 'readLease' | 'list'>
  readonly configMaps?: Pick<ConfigMaps, 'read'>
  readonly clock: Clock
  readonly random: Random
  readonly onNews: () => void
  readonly say: (text: string) => void
}

/** Of one roll; nothing where it was given no way to ask. */
export function budgetOfRun({ run, view, configMaps, ...same }: Wiring): { readonly budget?: BudgetWatch } {
  if (configMaps === undefined) return {}
  const nodeCount = (): number => view.reading().nodes.length
  const rights = 'deploy/roll-rbac.yaml'
  return { budget: new BudgetWatch({ ...same, configMaps, slots: run.spec.slots, nodeCount, rights }) }
}
