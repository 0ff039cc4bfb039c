import type { ReasonEntry } from './reason-entry.ts'

/** Why a node of an IngressDaemonSet, or its rollout, does not go on, or what was done with it. */
export const INGRESS_WORDS = {
  IngressUnknown: {
    is: 'the current state of web is not known, so nothing is done',
    cause: 'A watch of the controller is broken, or the API server does not answer.',
    cure: 'Check whether the API server answers, and the rights of the controller.',
    wait: 'none',
  },
  IngressRefused: {
    is: 'spec.podsPerNode: must be at least 1',
    cause:
      'The object contradicts itself, or conflicts with an object that was there first, for example over a port of the node. The API server cannot see other objects when it accepts one, and an object may be older than a rule.',
    cure: 'Change the named field as the message says. Until then nothing is changed on any node.',
    wait: 'none',
  },
  IngressConflict: {
    is: 'spec.healthCheckNodePorts[0]: IngressDaemonSet default/api answers health checks at port 10080 of the same nodes',
    cause:
      'The object was running. Then the object or its nodes changed, and now it conflicts with another object. The other object has priority.',
    cure: 'Change the named field as the message says. Until then no node gets another template. Updates that have begun are finished.',
    wait: 'none',
  },
  IngressDoubtful: {
    is: 'spec.healthCheckNodePorts[0]: 30080 is one of the ports that Kubernetes gives to Services',
    cause: 'A field of the object has a valid value that is most likely a mistake.',
    cure: 'Change the named field as the message says. The rollout does not wait for this.',
    wait: 'none',
  },
  NameTaken: {
    is: 'the Deployment of n1 cannot be created: web-abcdefghij is controlled by Rollout web',
    cause:
      'Another object has the name that the Deployment of this node, its PodDisruptionBudget, or the DaemonSet of the health checker needs. The controller never writes to that object.',
    cure: 'Rename or remove that object, or give the IngressDaemonSet another name.',
    wait: 'none',
  },
  WriteRefused: {
    is: 'the next write for n1 is refused: create deployments: deployments.apps "web-abcdefghij" is forbidden: exceeded quota: q (HTTP 403)',
    cause:
      'The API server refuses the write: because of a ResourceQuota, an admission policy, a webhook that refuses it or does not answer, or a right that the controller lacks. Other causes: the Node has no room for one more claim, or the revision for this node no longer exists. The rollout continues on the other nodes.',
    cure: 'Change what the message names. The controller tries the write again after about ten seconds, or after a minute if many writes are refused, and immediately if the spec of the object changes.',
    wait: 'none',
  },
  WriteUndone: {
    is: 'n1 is not as it was written (scale), although each write was accepted',
    cause:
      'Another program sets the field back after each write, such as a webhook or a policy of the cluster. Or a finalizer of another program keeps what is to be deleted.',
    cure: 'Let that program leave the object alone, or write into the IngressDaemonSet or the NodeGuard what it asks for. The controller writes again after longer and longer pauses, of five minutes at most.',
    wait: 'none',
  },
  HealthCheckersMissing: {
    is: 'not all pods of DaemonSet web-hc, which answer health checks, are available with the current template',
    cause:
      'The pods were created or replaced a moment ago, or they cannot start. Check their image and their service account, which needs the rights to list and watch Deployments in the namespace.',
    cure: '`kubectl get pods -l evenkeel.dev/health-checker=NAME` and their logs. If agents answered the health ports before, they continue until all of these pods are available.',
    wait: 'none',
  },
  IngressAsWanted: {
    is: 'every node of web is as it should be',
    cause: 'All is well.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  RolloutPaused: {
    is: 'the rollout of web is paused',
    cause: '`spec.paused` is true. The controller finishes nodes that are already out, and begins no others.',
    cure: '`evenkeel rollout resume ingressdaemonset/NAME`, or set `spec.paused` to false.',
    wait: 'none',
  },
  RolloutStalled: {
    is: 'the rollout of web has stopped because of stuck nodes: n1',
    cause: 'The number of failed nodes has reached `spec.updateStrategy.rollingUpdate.failureThreshold`.',
    cure: '`evenkeel rollout undo ingressdaemonset/NAME`, or change the template: the stuck nodes get it first. Or `evenkeel rollout retry` or `evenkeel rollout skip` for these nodes.',
    wait: 'none',
  },
  RolledBack: {
    is: 'so many nodes of web failed that it goes back to revision 1',
    cause: '`spec.updateStrategy.rollingUpdate.autoRollback` is true, and the revision failed.',
    cure: 'Correct the template: the controller rolls out a changed one. To try the failed template again, run `evenkeel rollout retry ingressdaemonset/NAME`, or apply another template, and then the failed one again. Until then the object has `Stalled=True`.',
    wait: 'none',
  },
  RollbackRefused: {
    is: 'web has no revision 9: it has revisions 1, 3 and 4',
    cause:
      '`spec.rollbackTo` names a revision that does not exist, that failed before, or whose template the rest of the spec does not allow. Until this is resolved, no further node begins an update.',
    cure: 'Choose a revision from `evenkeel rollout history ingressdaemonset/NAME`, or remove `spec.rollbackTo`.',
    wait: 'none',
  },
  CanaryAwaited: {
    is: 'n1 is updated once the canary nodes are done and the rollout is resumed',
    cause:
      '`spec.updateStrategy.rollingUpdate.canary` selects the nodes that are updated first. `Progressing` says whether they are done, which of them cannot be updated now, or that no node has the labels.',
    cure: 'Look at the canary nodes, then `evenkeel rollout resume ingressdaemonset/NAME`.',
    wait: 'none',
  },
  PartitionKept: {
    is: 'spec.updateStrategy.rollingUpdate.partition lets 2 nodes keep the revision that they have',
    cause: 'The object sets `spec.updateStrategy.rollingUpdate.partition`.',
    cure: 'Lower `spec.updateStrategy.rollingUpdate.partition`.',
    wait: 'none',
  },
  MassDisruption: {
    is: '4 nodes of web are cordoned or not Ready, more than half of them: n1, n2, n3, n4',
    cause: 'Many nodes failed at the same time, or many nodes were cordoned at the same time.',
    cure: 'Look at `kubectl get nodes`. `kubectl uncordon` the nodes whose work is over or has not begun, and bring back those that are not Ready. The controller allows no further drain and no update until at most half of the nodes are in this state.',
    wait: 'none',
  },
  IngressLimitReached: {
    is: '1 nodes of web are out or degraded (n1), and at most 1 may be',
    cause:
      'The limit is `maxUnavailableNodes` or `maxDegradedNodes` of `spec.updateStrategy`. Degraded nodes, and nodes that other owners keep out, count too.',
    cure: 'Nothing to do while nodes are being updated. Otherwise look at the named nodes, and at the other nodes in the status of the object.',
    wait: 'none',
  },
  TooFewInService: {
    is: 'nodes of web that would be left in service: 0; needed: 1',
    cause: '`spec.updateStrategy.rollingUpdate.minInServiceNodes` is the number of nodes that must stay in service.',
    cure: 'Bring other nodes into service. With one node alone, set `spec.updateStrategy.rollingUpdate.minInServiceNodes` to 0.',
    wait: 'none',
  },
  ZoneUnderWay: {
    is: 'n2 of another zone is still being updated',
    cause: 'Zones are updated one after the other.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  SlotOfOthers: {
    is: 'run 20260101T000000Z-abcd holds the slot for n1',
    cause: 'A roll has the node, or is about to take it.',
    cure: 'Nothing to do: its pods are replaced while the node is cordoned, or afterwards.',
    wait: 'none',
  },
  NodeSlotMissing: {
    is: 'no slot of the node budget is free for n1, which is out already',
    cause:
      'The slot of the node was lost, for example because its Lease was deleted, and other owners now hold all slots.',
    cure: 'Look at `evenkeel budget`.',
    wait: 'none',
  },
  NewPodsRefused: {
    is: 'n1 has a taint that new pods do not tolerate',
    cause:
      'Existing pods stay, but new pods cannot be placed. With `onCordon: Ignore`, a cordon can be the cause as well.',
    cure: 'Remove the taint, or add a toleration to the template. If a cordon is the cause, uncordon the node.',
    wait: 'none',
  },
  DetachGrace: {
    is: 'n1 was asked to leave by evenkeel.dev/detach, and the grace of 30 s is not over',
    cause: 'Load balancers need this time to notice that the health check fails.',
    cure: 'Nothing to do. The grace periods are fields of `spec.updateStrategy`.',
    wait: 'none',
    progress: true,
  },
  AgentNotHeard: {
    is: 'the agent of n1 has not acknowledged the detach, so its health checks may still pass',
    cause:
      'The agent is not running, does not reach the API server, or cannot be reached by the controller. With `healthChecker.image` this is about the pod of the health checker.',
    cure: 'Look at the agent of the node. If the limit of the detach is reached before the update, `detachTimeoutPolicy` decides what happens. If it is reached after the update, the node is stuck, and comes back by itself once the agent answers.',
    wait: 'none',
  },
  DetachTimedOut: {
    is: 'n1 is not known to be detached after the limit of its detach',
    cause: 'The detacher or the agent did not acknowledge in time.',
    cure: 'Look at the detacher and the agent of the node, then retry or skip the node. `detachTimeoutPolicy` decides what the controller does by itself.',
    wait: 'none',
  },
  DetachGivenUp: {
    is: 'the detach of n1 for this revision was given up',
    cause: 'The detach took too long, and `detachTimeoutPolicy` is `Abort`. The node serves with the pods that it had.',
    cure: 'Look at the detacher and the agent of the node, then retry the node.',
    wait: 'none',
  },
  OperationUnreadable: {
    is: 'the operation on n1 cannot be read: it is not a JSON object. The controller verifies the pods of n1 as they are, and puts n1 back',
    cause: 'Another program or a person wrote to the Deployment of the node, or removed the annotation.',
    cure: 'Find out who writes to `evenkeel.dev/ingress-operation`.',
    wait: 'none',
  },
  OperationFromFuture: {
    is: 'the times of the operation on n1 are in the future, so its graces begin now',
    cause: 'The clock of an earlier leader was ahead, or the annotation was written by another program.',
    cure: 'Check the clocks of the machines that the controller runs on.',
    wait: 'none',
  },
  PodsNotReady: {
    is: 'pods on n1: 2 wanted, 1 new, 1 ready, 0 available',
    cause: 'The pods were replaced a moment ago.',
    cure: 'Nothing to do.',
    wait: 'none',
    progress: true,
  },
  ProgressDeadlineExceeded: {
    is: 'pods on n1: 2 wanted, 1 new, 1 ready, 0 available',
    cause: '`spec.progressDeadlineSeconds` is over. The node stays out and keeps its slot.',
    cure: 'The reason names a container that does not start, such as one whose image cannot be pulled. Otherwise look at the pods of the node: `kubectl describe pods`. Then change the template, or retry or skip the node.',
    wait: 'none',
  },
  HealthCheckFails: {
    is: 'the pods of n1 are ready, and a health check of n1 at port 10080 fails',
    cause:
      'No agent answers at this port: it runs without `--ingress`, `--ingress-ports` does not allow the port, or the port is one of the agent, of a component of Kubernetes or below 1024. Or another program of the node holds the port. Or the agent keeps the node out, for example by its override file or because of a label. The controller asks as a load balancer does, so the node counts as not in service.',
    cure: 'Read `/healthz` of the agent of the node: `ingress` has its answer and the reasons, `trouble` why a port is not open. If another program holds the port, stop it, or write another port into `spec.healthCheckNodePorts`.',
    wait: 'none',
  },
  PodsRejected: {
    is: '5 pods of n1 failed within ten minutes, so no pod is created before 2026-01-01T00:10:00Z',
    cause:
      'The kubelet rejects the pods, for example because of a full disk or a host port that is in use. The controller creates them again after ten minutes, and waits longer each time.',
    cure: 'Read the status of the failed pods and change the template. `evenkeel rollout retry ingressdaemonset/NAME` creates the pods immediately.',
    wait: 'none',
  },
  PodsLeft: {
    is: '1 pods are still on n1',
    cause: 'The pods are ending.',
    cure: 'Nothing to do.',
    wait: 'none',
    progress: true,
  },
  OthersAtWork: {
    is: 'others work on n1; it comes back once it is uncordoned',
    cause: 'The node is cordoned, or a condition says that it is being drained.',
    cure: '`kubectl uncordon` once the work is done.',
    wait: 'none',
  },
  AttachGrace: {
    is: 'n1 was attached again, and the grace of 10 s is not over',
    cause: 'Load balancers need this time to send to the node again.',
    cure: 'Nothing to do.',
    wait: 'none',
    progress: true,
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
