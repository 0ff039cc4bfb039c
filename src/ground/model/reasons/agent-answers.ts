import type { ReasonEntry } from './reason-entry.ts'

/** Why an agent gives its answer. */
export const AGENT_ANSWERS = {
  InService: {
    is: 'nothing keeps the node out',
    cause: 'All is well.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  IngressServes: {
    is: '2 pods of shop/web are ready here',
    cause: 'Enough pods of the IngressDaemonSet are ready on the node, and no update of them is due.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  IngressPodsMissing: {
    is: 'shop/web must have 2 ready pods here, and has 1',
    cause: 'Fewer pods of the IngressDaemonSet are ready on the node than its `minReadyPodsPerNode`.',
    cure: '`kubectl get pods -l evenkeel.dev/node=n1` shows them.',
    wait: 'none',
  },
  IngressUpdateDue: {
    is: 'the pods of shop/web on this node are about to change',
    cause: 'The Deployment of the node has the annotation of `annotateDeploymentToDetach`.',
    cure: 'Nothing to do: the rollout removes the annotation. If no controller runs, remove it yourself.',
    wait: 'none',
  },
  IngressLeaves: {
    is: 'the Deployment of shop/web for this node is being deleted',
    cause: 'The node needs no pods of the IngressDaemonSet any more, or a person deleted the Deployment.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  IngressHealthUnreadable: {
    is: 'the annotation evenkeel.dev/health-check of Deployment shop/web-1 cannot be read',
    cause: 'A person changed the annotation, or the agent is older than the controller and does not know its format.',
    cure: 'Update the agents, and check that `evenkeel controller --ingress` runs: it writes the annotation again.',
    wait: 'none',
  },
  Maintenance: {
    is: 'roll/X takes the node out; person/alice keeps the node out: a new disk',
    cause: 'The annotation evenkeel.dev/maintenance of the Node has a claim of that owner.',
    cure: 'Nothing to do: each owner withdraws its claim when it has finished with the node ([claims](agent.md#claims)).',
    wait: 'none',
  },
  MaintenanceKept: {
    is: 'roll/X took the node out, and the API server has not shown the end of its claim',
    cause: 'The claim is on the disk of the agent, and the API server has not yet shown the Node without it.',
    cure: 'Wait for the API server. If the owner has finished with the node for good: `kubectl annotate node n1 --overwrite evenkeel.dev/maintenance=withdrawn`. If etcd was restored from a backup, the API server shows a state that is older than the claim: remove `maintenance.json` from `--keep-dir`.',
    wait: 'none',
  },
  MaintenanceUnreadable: {
    is: 'the claims on the node cannot be read: the id is missing',
    cause:
      'The annotation evenkeel.dev/maintenance is incomplete, too long, of an unknown version, or has an invalid field. It keeps the node out.',
    cure: 'If no work on the node is in progress: `kubectl annotate node n1 evenkeel.dev/maintenance-`.',
    wait: 'none',
  },
  NodeLeaves: {
    is: 'condition DrainInProgress, Drained or MaintenanceInProgress of the node is True',
    cause: 'Another program drains the node, and has set a condition on the Node.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  NodeDeleted: {
    is: 'the Node object is being deleted',
    cause:
      'A person or the autoscaler of the cluster deletes the Node. For a name that no Node has, the agent reports NodeGone instead.',
    cure: 'If the deletion is not intended, check with `kubectl get nodes` that `--node` names the right Node.',
    wait: 'none',
  },
  NodeToBeRemoved: {
    is: 'the node is tainted for removal',
    cause: 'The autoscaler removes it.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  NodeExcluded: {
    is: 'a label keeps the node out of external load balancers',
    cause: 'The Node has the label node.kubernetes.io/exclude-from-external-load-balancers.',
    cure: 'If that is not intended: `kubectl label node n1 node.kubernetes.io/exclude-from-external-load-balancers-`.',
    wait: 'none',
  },
  Cordoned: {
    is: 'the node is cordoned',
    cause: 'The Node is unschedulable, and this agent takes a cordoned node out of service.',
    cure: 'If that is not intended: `kubectl uncordon n1`.',
    wait: 'none',
  },
  CordonYoung: {
    is: 'the node has been cordoned for less than the grace (10 s)',
    cause: 'A cordon counts only after `--cordon-grace`.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  BrakeUnknown: {
    is: 'the node is cordoned, and it is not known whether its cordon is granted',
    cause: 'The ConfigMap that grants cordons cannot be read, or is malformed.',
    cure: 'See `trouble` in `/healthz`, and `kubectl -n evenkeel get configmap evenkeel-cordon-grants -o yaml` (the namespace of the agents). The account of the agents needs list and watch on that ConfigMap.',
    wait: 'none',
  },
  DataPortClosed: {
    is: 'nothing answers at the data port of the node',
    cause:
      'The ingress pod of the node does not run, or `--data-port` is wrong. During an update of the agent, the new agent exits with this reason if the old agent answers `up`.',
    cure: 'Check the ingress pod of that node, and compare the port.',
    wait: 'none',
  },
  DataPortUnknown: {
    is: 'the data port has not been checked often enough yet',
    cause: 'The agent has just started.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  ColdStart: {
    is: 'the API server has not shown the node since the machine booted',
    cause: 'The agent has not seen the Node yet. It does not answer `up`, because the node may have been taken out.',
    cure: 'Check whether the API server answers.',
    wait: 'none',
  },
  ApiLongAway: {
    is: 'the API server has not been reached for longer than the limit (1 h)',
    cause: 'The API server does not answer, or the network to it is cut.',
    cure: 'Check whether the API server answers.',
    wait: 'none',
  },
  DrainLimit: {
    is: 'the node has been draining for longer than the drain limit (10 min)',
    cause: '`--drain-limit` is over: the answer turns from `drain` to `down`.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  Returning: {
    is: 'the node has been ready to serve for less than the delay (5 s)',
    cause: 'The agent answers `up` only after `--up-delay`.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  Overridden: {
    is: 'the override file says so',
    cause: 'A person wrote the override file of the agent.',
    cure: 'Remove the file when it is no longer needed.',
    wait: 'none',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
