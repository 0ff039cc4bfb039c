import type { ReasonEntry } from './reason-entry.ts'

/** Why a node of a NodeGuard is not granted yet, or what was done with it. */
export const GUARD_WORDS = {
  GuardsUnknown: {
    is: 'the current state of the guards of group default is not known, so no node is granted',
    cause: 'A watch of the controller is broken, or the API server does not answer.',
    cure: 'Check whether the API server answers, and the rights of the controller.',
    wait: 'none',
  },
  GuardRefused: {
    is: 'spec.follow: follow names both a DaemonSet and labels of nodes, or neither',
    cause: 'The NodeGuard contradicts itself. The API server accepted it because the rule did not exist yet.',
    cure: 'Change the named field as the message says. Until then its budgets stay as they are, and no node of its group is granted.',
    wait: 'none',
  },
  HoldStands: {
    is: 'n1 is held by volumes: 1 volume is attached: pvc-1',
    cause: 'A hold of the NodeGuard says that data on the node is at risk.',
    cure: 'Wait until the hold is clear. `evenkeel guard explain nodeguard/NAME --node NODE` shows all holds. In an emergency, `evenkeel guard release`.',
    wait: 'none',
  },
  HoldUnknown: {
    is: 'it is not known whether shards holds n1: GET http://192.0.2.1:9500/ was not answered within 5 s',
    cause:
      'The hold could not be read, for example because of a missing right, an absent field, or a target that does not answer. An unknown hold holds the node.',
    cure: 'Make the hold readable as the message says. In an emergency, `evenkeel guard release`.',
    wait: 'none',
  },
  HeldByHand: {
    is: 'n1 is held by alice: rebalancing',
    cause:
      'A person wrote the annotation `evenkeel.dev/guard-holds` of the NodeGuard, for example with `evenkeel guard hold`.',
    cure: '`evenkeel guard hold nodeguard/NAME --node NODE --remove`.',
    wait: 'none',
  },
  HeldTooLong: {
    is: 'n1 has been held for longer than maxHold allows, which is 3600 s',
    cause: '`spec.maxHold` is over, and its policy is `Wait`.',
    cure: 'Look at what holds the node, or release it: `evenkeel guard release`.',
    wait: 'none',
  },
  GrantReleased: {
    is: 'n1 was granted although it is held by volumes: released by alice',
    cause: 'A person released the node by `evenkeel.dev/guard-releases`, or `spec.maxHold` has the policy `Release`.',
    cure: 'Nothing to do. `status.released` records the grant.',
    wait: 'none',
  },
  ReleasesUnreadable: {
    is: 'the releases by hand of storage cannot be read, so they release nothing: it is not JSON',
    cause: 'The annotation `evenkeel.dev/guard-releases` of the NodeGuard is malformed.',
    cure: 'Remove the annotation, and release nodes with `evenkeel guard release`.',
    wait: 'none',
  },
  OtherNodeFirst: {
    is: 'n2 waits for n1, which goes first and is not back yet',
    cause: 'In a group, the controller grants one node at a time, across all guards of the group.',
    cure: 'Nothing to do while the other node is being worked on. `kubectl uncordon` it once the work is done.',
    wait: 'none',
  },
  GuardMissingElsewhere: {
    is: 'the guard of n2 is missing or not ready',
    cause:
      'Another node of the group is without its guard: it is down, or its guard cannot start. The controller grants no second node.',
    cure: 'Look at the guard pod of the node that is named. If the node never comes back, delete its Node, or release it with `evenkeel guard release`.',
    wait: 'none',
  },
  ForeignBudget: {
    is: 'PodDisruptionBudget all-pods selects the guard of n1 as well, so that each eviction fails',
    cause: 'If two budgets select a pod, Kubernetes answers its eviction with an error.',
    cure: 'Change the selector of that budget, or the labels of `spec.template`.',
    wait: 'none',
  },
  NotCordoned: {
    is: 'n1 has the condition DrainInProgress and is not cordoned, so its guard would come back immediately',
    cause:
      'In mode `Budget` the controller removes the guard of a granted node. If the node is not cordoned, the Deployment would start another guard there immediately.',
    cure: '`kubectl cordon` the node.',
    wait: 'none',
  },
  GuardReturning: {
    is: 'n1 is back, and its guard is not ready yet',
    cause: 'The node was uncordoned a moment ago, or its guard cannot start.',
    cure: 'If it lasts, look at the guard pod of the node: `kubectl get pods -l evenkeel.dev/guard=NAME -o wide`.',
    wait: 'none',
  },
  GuardMissing: {
    is: 'the guard of n1 is not ready',
    cause: 'The guard pod is starting, or it cannot start because of its image, a quota, or a full node.',
    cure: '`kubectl get pods -l evenkeel.dev/guard=NAME -o wide`, then `kubectl describe pod` of the pod on the node that the message names.',
    wait: 'none',
  },
  NodeDraining: {
    is: 'the guard of n1 was evicted, and the node is not back yet',
    cause: 'The node is being drained or worked on. It keeps the grant of its group until its guard is back.',
    cure: '`kubectl uncordon` once the work is done.',
    wait: 'none',
  },
  NodeGranted: {
    is: 'n1 is granted: its guard may be evicted',
    cause: 'All holds of the node are clear, and it is its turn.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  TargetGone: {
    is: 'there is no DaemonSet storage-node in namespace data, and storage follows it',
    cause:
      'The DaemonSet was deleted or renamed, or is in another namespace, or its name is misspelt. `spec.onTargetGone` decides what happens to the guards.',
    cure: 'Correct `spec.follow`, or remove the NodeGuard.',
    wait: 'none',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
