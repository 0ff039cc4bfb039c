import { kubeConfigMaps } from '../../src/adapters/kube/kube-config-maps.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import type { BudgetActions } from '../../src/cli/budget-command.ts'
import { lookAtBudget } from '../../src/controllers/budget/look-at-budget.ts'
import { clusterOf, type RollSurroundings } from '../roll/world.ts'

/** What `evenkeel budget` does, on the cluster of a kubeconfig. */
export const budgetActions = (surroundings: RollSurroundings): BudgetActions => ({
  look: async (place, signal) => {
    const { cluster, api } = await clusterOf(place, surroundings, signal)
    return lookAtBudget({ cluster, configMaps: kubeConfigMaps(api.client), clock }, place, signal)
  },
})
