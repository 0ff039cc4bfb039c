import { type IngressRow, R, rolling, row } from './ingress-row.ts'

export const budgetRows: readonly IngressRow[] = [
  row('no budget at all, which is one degraded node', rolling({})),
  row('nodes that are detached', rolling({ maxUnavailableNodes: 2 })),
  row('a share of the nodes that are detached', rolling({ maxUnavailableNodes: '25%', maxDegradedNodes: 0 })),
  row('degraded nodes', rolling({ maxDegradedNodes: 3, maxUnavailableNodes: 0 })),
  row('a share of degraded nodes', rolling({ maxDegradedNodes: '10%', maxUnavailableNodes: '0%' })),
  row('no node detached, and nothing about degraded ones', rolling({ maxUnavailableNodes: 0 })),
  row('both budgets', rolling({ maxUnavailableNodes: 2, maxDegradedNodes: 3 }), `twoBudgets ${R}.maxDegradedNodes`),
  row(
    'both budgets as shares',
    rolling({ maxUnavailableNodes: '1%', maxDegradedNodes: '100%' }),
    `twoBudgets ${R}.maxDegradedNodes`,
  ),
  row('neither budget', rolling({ maxUnavailableNodes: 0, maxDegradedNodes: 0 }), `noBudget ${R}.maxDegradedNodes`),
  row('no degraded node alone', rolling({ maxDegradedNodes: '0%' }), `noBudget ${R}.maxDegradedNodes`),
  row('a number in quotes', rolling({ maxUnavailableNodes: '2' }), `notALimit ${R}.maxUnavailableNodes`),
  row('a negative number', rolling({ maxDegradedNodes: -1 }), ...[`noBudget ${R}`, `notALimit ${R}`].map(ofDegraded)),
  row('more than all nodes', rolling({ maxUnavailableNodes: '101%' }), `notALimit ${R}.maxUnavailableNodes`),
  row('a share with a fraction', rolling({ maxUnavailableNodes: '2.5%' }), `notALimit ${R}.maxUnavailableNodes`),
  row('more pods than a node can have', rolling({ maxSurgedPodsPerNode: 33 }), `notALimit ${R}.maxSurgedPodsPerNode`),
  row('all pods of a detached node', rolling({ maxUnavailableNodes: 1, maxUnavailablePodsPerNode: '100%' })),
  row(
    'some pods of a detached node',
    rolling({ maxUnavailableNodes: 1, maxUnavailablePodsPerNode: 3 }),
    `podsWhileDetached ${R}.maxUnavailablePodsPerNode`,
  ),
  row(
    'more pods on a detached node',
    rolling({ maxUnavailableNodes: 1, maxSurgedPodsPerNode: 1 }),
    `surgeWhileDetached ${R}.maxSurgedPodsPerNode`,
  ),
  row('no more pods on a detached node', rolling({ maxUnavailableNodes: 1, maxSurgedPodsPerNode: '0%' })),
  row('one pod more first', rolling({ maxUnavailablePodsPerNode: 0, maxSurgedPodsPerNode: 1 })),
  row(
    'no pod that may go or come',
    rolling({ maxUnavailablePodsPerNode: 0, maxSurgedPodsPerNode: '0%' }),
    `noPodMoves ${R}.maxSurgedPodsPerNode`,
  ),
  row(
    'no pod that may go, and no word on others',
    rolling({ maxUnavailablePodsPerNode: '0%' }),
    `noPodMoves ${R}.maxSurgedPodsPerNode`,
  ),
  row(
    'the misspelt name of the original’s page',
    rolling({ maxUnavaiablePodsPerNode: 1 }),
    `misspelt ${R}.maxUnavaiablePodsPerNode`,
  ),
  row(
    'the misspelt name of the original’s code beside the right one',
    rolling({ maxUnavailablePodsPerNodes: '50%', maxUnavailablePodsPerNode: '50%' }),
    `misspelt ${R}.maxUnavailablePodsPerNodes`,
  ),
  row(
    'names that disagree',
    rolling({ maxUnavaiablePodsPerNode: 1, maxUnavailablePodsPerNode: '1%' }),
    `aliasesDisagree ${R}.maxUnavailablePodsPerNode`,
    `misspelt ${R}.maxUnavaiablePodsPerNode`,
  ),
  row(
    'misspelt names that disagree',
    rolling({ maxUnavaiablePodsPerNode: 1, maxUnavailablePodsPerNodes: 2 }),
    `aliasesDisagree ${R}.maxUnavailablePodsPerNode`,
    `misspelt ${R}.maxUnavaiablePodsPerNode`,
    `misspelt ${R}.maxUnavailablePodsPerNodes`,
  ),
  row(
    'a misspelt name for some pods of a detached node',
    rolling({ maxUnavailableNodes: 1, maxUnavaiablePodsPerNode: 1 }),
    `podsWhileDetached ${R}.maxUnavailablePodsPerNode`,
    `misspelt ${R}.maxUnavaiablePodsPerNode`,
  ),
]

function ofDegraded(at: string): string {
  return `${at}.maxDegradedNodes`
}
