import type { GuardScene } from './scripted-guard.ts'

const SINCE = '2025-12-31T23:58:48.000Z'

/** The NodeGuard of docs/guard.md: n3 is being drained, n1 is held, n2 waits. */
export const PAGE_SCENE: GuardScene = {
  spec: { group: 'storage' },
  cordoned: ['n1', 'n2', 'n3'],
  nodes: [
    {
      ...{ name: 'n3', state: 'Draining', reason: 'NodeDraining', since: '2025-12-31T23:50:00Z' },
      message: 'the guard of n3 was evicted, and the node is not back yet; kubectl uncordon n3 once the work is done',
    },
    {
      ...{ name: 'n1', state: 'Held', reason: 'HoldStands', since: SINCE, requestedAt: SINCE },
      message: 'n1 is held by volumes: volumes are attached: pvc-1',
    },
    {
      ...{ name: 'n2', state: 'Requested', reason: 'OtherNodeFirst', since: '2025-12-31T23:59:00Z' },
      ...{ message: 'n2 waits for n3, which goes first and is not back yet', requestedAt: '2025-12-31T23:59:00Z' },
    },
  ],
  conditions: [
    'Ready False NodesUnguarded 4 of 5 nodes are guarded',
    'Held True NodesHeld held: n1',
    'Degraded True GuardsMissing without a guard that is ready: n3',
  ],
  status: { grantedNode: 'n3', guardedNodes: 4, requestedNodes: 2 },
}
