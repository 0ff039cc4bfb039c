import type { ReasonEntry } from './reason-entry.ts'

/** Why an agent answers as it does. */
export const AGENT_ANSWERS = {
  InService: {
    is: 'nothing stands against the node',
    cause: 'All is well.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  Maintenance: {
    is: 'roll/X takes the node out; person/alice keeps the node out: a new disk',
    cause: 'A claim of that owner stands in the annotation evenkeel.dev/maintenance of the Node.',
    cure: 'Nothing is to be done: each owner withdraws its claim when it is through with the node ([claims](agent.md#claims)).',
    wait: 'none',
  },
  MaintenanceKept: {
    is: 'roll/X took the node out, and the API server has not shown that this is over',
    cause: 'The claim is on the disk of the agent, and the API server was not heard since.',
    cure: 'Wait for the API server. Where its owner is through with the node for good: `kubectl annotate node n1 --overwrite evenkeel.dev/maintenance=withdrawn`. After etcd was put back from a backup the API server tells what is older than the claim: remove `maintenance.json` from `--keep-dir`.',
    wait: 'none',
  },
  MaintenanceUnreadable: {
    is: 'the claims on the node cannot be read: the id is missing',
    cause:
      'The annotation evenkeel.dev/maintenance is torn, too long, of an unknown version, or has a bad field. It keeps the node out.',
    cure: 'If no one is at work on the node: `kubectl annotate node n1 evenkeel.dev/maintenance-`.',
    wait: 'none',
  },
  NodeLeaves: {
    is: 'condition DrainInProgress, Drained or MaintenanceInProgress of the node is True',
    cause: 'Another program drains the node and says so by a condition.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  NodeDeleted: {
    is: 'the Node object is being deleted',
    cause: 'A person or the cluster’s autoscaler deletes it. A wrong `--node` is said as NodeGone.',
    cure: 'Compare `--node` with `kubectl get nodes`.',
    wait: 'none',
  },
  NodeToBeRemoved: {
    is: 'the node is tainted for removal',
    cause: 'The autoscaler removes it.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  NodeExcluded: {
    is: 'a label keeps the node out of external load balancers',
    cause: 'The Node has the label node.kubernetes.io/exclude-from-external-load-balancers.',
    cure: 'If that is not meant: `kubectl label node n1 node.kubernetes.io/exclude-from-external-load-balancers-`.',
    wait: 'none',
  },
  Cordoned: {
    is: 'the node is cordoned',
    cause: 'The Node is unschedulable, and a cordon counts here.',
    cure: 'If that is not meant: `kubectl uncordon n1`.',
    wait: 'none',
  },
  CordonYoung: {
    is: 'the node has been cordoned for less than the grace (10 s)',
    cause: 'A cordon counts only after `--cordon-grace`.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  BrakeUnknown: {
    is: 'the node is cordoned, and whether it may be out for that is not known',
    cause: 'The ConfigMap that grants cordons cannot be read, or is malformed.',
    cure: 'Look at `trouble` in `/healthz`, and at `kubectl -n evenkeel get configmap evenkeel-cordon-grants -o yaml` (the namespace of the agents). The account of the agents needs get, list and watch on it.',
    wait: 'none',
  },
  DataPortClosed: {
    is: 'nothing answers at the data port of the node',
    cause:
      'The ingress pod of the node is away, or `--data-port` is wrong. A new agent beside one that says `up` ends with it.',
    cure: 'Look at the ingress pod of that node, and compare the port.',
    wait: 'none',
  },
  DataPortUnknown: {
    is: 'the data port was not asked often enough yet',
    cause: 'The agent has just started.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  ColdStart: {
    is: 'the API server has not shown the node since the machine booted',
    cause: 'An agent that knows nothing does not say `up`: the node may have been taken out.',
    cure: 'Look whether the API server answers.',
    wait: 'none',
  },
  ApiLongAway: {
    is: 'the API server has not been heard for longer than the limit (1 h)',
    cause: 'The API server is away, or the way to it is cut.',
    cure: 'Look whether the API server answers.',
    wait: 'none',
  },
  DrainLimit: {
    is: 'the node has been draining for longer than the drain limit (10 min)',
    cause: '`--drain-limit` is over: the answer turns from `drain` to `down`.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  Returning: {
    is: 'the node has been ready to serve for less than the delay (5 s)',
    cause: 'A node says `up` only after `--up-delay`.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  Overridden: {
    is: 'the override file says so',
    cause: 'A person wrote the override file of the agent.',
    cure: 'Remove the file when its reason is over.',
    wait: 'none',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
