import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import type { BudgetActions } from '../../src/service/cli/budget-command.ts'
import { lookAtBudget } from '../../src/service/run/look-at-budget.ts'
import { clusterOf, type RollSurroundings } from '../roll/world.ts'

/** What `evenkeel budget` does, on the cluster of a kubeconfig. */
export const budgetActions = (surroundings: RollSurroundings): BudgetActions => ({
  read: async (place, signal) => {
    const { cluster, api } = await clusterOf(place, surroundings, signal)
    return lookAtBudget({ cluster, configMaps: kubeConfigMaps(api.client), clock }, place, signal)
  },
})
