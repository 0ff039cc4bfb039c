import type { ReasonEntry } from './reason-entry.ts'

/** Why a pod does not leave. */
export const EVICTIONS = {
  BudgetExhausted: {
    is: 'shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3',
    cause: 'A PodDisruptionBudget is at its limit.',
    cure: 'Repair the pod that is not healthy. Where the text says "allows no eviction at all": `kubectl -n shop edit poddisruptionbudget cart`.',
    wait: 'blocked',
  },
  BudgetBroken: {
    is: 'budget … cannot be computed',
    cause: 'The disruption controller cannot count the pods of the budget.',
    cure: 'Correct the selector of the budget, or the controller of its pods.',
    wait: 'blocked',
  },
  TwoBudgets: {
    is: 'shop/cart-0 is under budget a and budget b, which eviction does not support',
    cause: 'Two budgets select the pod. The API server answers such an eviction with 500.',
    cure: 'Let only one budget select each pod.',
    wait: 'blocked',
  },
  GuardNotGranted: {
    is: 'shop/ceph-n1-x7k2p: NodeGuard shop/ceph has not granted n1 yet',
    cause:
      'The pod of a [NodeGuard](guard.md) leaves last. Its PodDisruptionBudget opens when the NodeGuard grants the node.',
    cure: '`kubectl -n shop describe nodeguard ceph` shows what the grant waits for.',
    wait: 'in course',
  },
  Throttled: {
    is: 'the API server is busy; the eviction is tried again',
    cause: 'The API server answered 429, and not because of a budget: API priority and fairness limits the requests.',
    cure: 'Wait.',
    wait: 'blocked',
  },
  EvictionPutOff: {
    is: 'the eviction of shop/virt-launcher-vm-x7k2p is put off, and tried again: admission webhook … denied the request: Eviction triggered evacuation of VMI "shop/vm"',
    cause:
      'An admission webhook answered 429: another program moves first what the pod carries, as KubeVirt moves a virtual machine.',
    cure: 'Wait. If it does not move, the message says which program to look at. An entry in `drain.blocked` with `wait` says how long the roll may wait.',
    wait: 'blocked',
  },
  NamespaceTerminating: {
    is: 'the namespace of … is being deleted',
    cause: 'The API server answers the eviction with 403 and this cause.',
    cure: 'Wait for the namespace to go, or delete the pod.',
    wait: 'blocked',
  },
  EvictionFailed: {
    is: 'the eviction of … failed and is tried again',
    cause: '5xx, 401, a time-out or a broken connection: the message says which.',
    cure: 'Wait. If the credential was refused, the roll reads it again before each try.',
    wait: 'blocked',
  },
  EvictionRefused: {
    is: 'the eviction of … is refused (403)',
    cause: 'RBAC or an admission webhook: the sentence says which.',
    cure: 'See [rights](roll.md#rights).',
    wait: 'blocked',
  },
  AnswerAwaited: {
    is: 'shop/legacy-0, budget …; set its annotation evenkeel.dev/blocked to delete or wait; without an answer in 1 h the drain is given up',
    cause:
      'The pod cannot be evicted. `drain.blocked` in the roll file says that the roll then waits for the answer of a person.',
    cure: '`kubectl -n shop annotate --overwrite pod legacy-0 evenkeel.dev/blocked=delete` deletes the pod in spite of its budget. With `wait`, the roll begins again with the first action that `drain.blocked` lists for the pod.',
    wait: 'blocked',
  },
  DeleteRefused: {
    is: 'the deletion of shop/legacy-0 is refused: …',
    cause: 'RBAC or an admission webhook: the sentence says which.',
    cure: 'Grant `deploy/roll-delete-rbac.yaml`, or let the webhook accept the deletion.',
    wait: 'blocked',
  },
  PodFinalizer: {
    is: 'shop/cart-0 has ended and is kept by its finalizer example.com/a',
    cause: 'The pod has ended. The program that owns the finalizer has not removed it yet.',
    cure: 'Check whether that program runs. Only if it is gone for good: `kubectl -n shop patch pod cart-0 --type merge -p \'{"metadata":{"finalizers":null}}\'`. The roll never does that.',
    wait: 'in course',
  },
  NodeUnreachable: {
    is: 'shop/cart-0 is being deleted, and n1 is not Ready, so no kubelet says that it has ended',
    cause: 'The kubelet of the node has stopped, or it does not reach the API server.',
    cure: 'Bring the kubelet back. Only if you are certain that the machine is off: `kubectl -n shop delete pod cart-0 --force --grace-period=0`. The roll never does that.',
    wait: 'in course',
  },
  PodOverdue: {
    is: 'shop/cart-0 was to end 1 min ago, and the kubelet of n1 has not ended it',
    cause:
      'A container that cannot be killed, a mount that hangs, or a kubelet that is stuck, on a node that is Ready.',
    cure: '`kubectl -n shop describe pod cart-0` shows its events, and those of its volumes.',
    wait: 'in course',
  },
  PodRefused: {
    is: 'shop/db-0 keeps data in an emptyDir, or has no controller that would replace it',
    cause: 'The pod was created after the plan was made.',
    cure: 'Move it, or set `drain.deleteEmptyDirData` or `drain.deleteUnmanaged` in a new roll.',
    wait: 'blocked',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
