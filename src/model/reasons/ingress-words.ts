import type { ReasonEntry } from './reason-entry.ts'

/** Why a node of an IngressDaemonSet, or its rollout, does not go on, or what became of it. */
export const INGRESS_WORDS = {
  IngressUnknown: {
    is: 'what belongs to web is not known as it is now, so nothing is done',
    cause: 'A watch of the controller is broken, or the API server does not answer.',
    cure: 'Check whether the API server answers, and the rights of the controller.',
    wait: 'none',
  },
  IngressRefused: {
    is: 'spec.podsPerNode: must be at least 1',
    cause:
      'The object contradicts itself, or excludes another object that was there first, such as by a port of the node. The API server took it because the rule was not there yet, or the webhook did not answer.',
    cure: 'Change the named field as the message says. Until then nothing is changed on any node.',
    wait: 'none',
  },
  IngressConflict: {
    is: 'spec.healthCheckNodePorts[0]: IngressDaemonSet default/api answers health checks at port 10080 of the same nodes',
    cause: 'The object runs, and it or its nodes changed so that it excludes another object, which goes on.',
    cure: 'Change the named field as the message says. Until then no node gets another template; what is under way ends.',
    wait: 'none',
  },
  IngressDoubtful: {
    is: 'spec.healthCheckNodePorts[0]: 30080 is one of the ports that Kubernetes gives to Services',
    cause: 'A field of the object is allowed, and most likely not what was meant.',
    cure: 'Change the named field as the message says. Nothing waits for it.',
    wait: 'none',
  },
  NameTaken: {
    is: 'the Deployment of n1 cannot be made: web-abcdefghij is controlled by Rollout web',
    cause:
      'Another object has the name that the Deployment of this node, its PodDisruptionBudget, or the DaemonSet of the health checker would have. It is never written to.',
    cure: 'Rename or remove that object, or give the IngressDaemonSet another name.',
    wait: 'none',
  },
  WriteRefused: {
    is: 'what is next for n1 is refused: create deployments: deployments.apps "web-abcdefghij" is forbidden: exceeded quota: q (HTTP 403)',
    cause:
      'A write for this node cannot be done. The API server refuses it: by a ResourceQuota, by an admission policy, by a webhook that refuses it or does not answer, or because the controller lacks a right. Other causes: the Node has no room for one more claim, or the revision for this node is no longer kept. The rollout continues on the other nodes.',
    cure: 'Change what the message names. The write is tried again after some ten seconds, after a minute where many are refused, and at once where the spec of the object changes.',
    wait: 'none',
  },
  HealthCheckersMissing: {
    is: 'the pods of DaemonSet web-hc, which answer health checks, are not all new and available',
    cause:
      'They were made or replaced a moment ago, or they cannot start: their image, or their service account, which has to be allowed to list and watch Deployments in the namespace.',
    cure: '`kubectl get pods -l evenkeel.dev/health-checker=NAME` and their logs. Where agents answered the health ports before, they go on until all of these pods are available.',
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
    cause: '`spec.paused` is true. Nodes that are out already are finished.',
    cure: '`evenkeel rollout resume ingressdaemonset/NAME`, or set `spec.paused` to false.',
    wait: 'none',
  },
  RolloutStalled: {
    is: 'the rollout of web has stopped, since 1 of its nodes are stuck: n1',
    cause: 'As many nodes failed as `spec.updateStrategy.rollingUpdate.failureThreshold` says.',
    cure: '`evenkeel rollout undo ingressdaemonset/NAME`, or change the template: the stuck nodes get it first. Or `evenkeel rollout retry` or `evenkeel rollout skip` for these nodes.',
    wait: 'none',
  },
  RolledBack: {
    is: 'as many nodes of web failed as stop a rollout, so it goes back to revision 1',
    cause: '`spec.updateStrategy.rollingUpdate.autoRollback` is true, and the revision failed.',
    cure: 'Correct the template: a changed one is rolled out. The one that failed is tried again after `evenkeel rollout retry ingressdaemonset/NAME`, or when it is applied anew after another one. Until then the object has `Stalled=True`.',
    wait: 'none',
  },
  RollbackRefused: {
    is: 'web has no revision 9: it has revisions 1, 3 and 4',
    cause:
      '`spec.rollbackTo` names a revision that is not there, that failed before, or whose template the rest of the spec does not allow. Until that is settled no further node begins an update.',
    cure: 'Choose one of `evenkeel rollout history ingressdaemonset/NAME`, or remove `spec.rollbackTo`.',
    wait: 'none',
  },
  CanaryAwaited: {
    is: 'n1 is updated once the canary nodes are done and the rollout was let go on',
    cause: '`spec.updateStrategy.rollingUpdate.canary` names the nodes that go first.',
    cure: 'Look at the canary nodes, then `evenkeel rollout resume ingressdaemonset/NAME`.',
    wait: 'none',
  },
  PartitionKept: {
    is: 'spec.updateStrategy.rollingUpdate.partition lets 2 nodes keep the revision that they have',
    cause: '`spec.updateStrategy.rollingUpdate.partition` says so.',
    cure: 'Lower `spec.updateStrategy.rollingUpdate.partition`.',
    wait: 'none',
  },
  MassDisruption: {
    is: '4 nodes of web are cordoned or not Ready, more than half of them: n1, n2, n3, n4',
    cause: 'Many nodes failed at once, or many nodes were cordoned at once.',
    cure: 'Look at `kubectl get nodes`. `kubectl uncordon` those whose work is over or has not begun, and bring back those that are not Ready. No further drain and no update is let through before at most half of the nodes are in this state.',
    wait: 'none',
  },
  IngressLimitReached: {
    is: '1 nodes of web are out or degraded (n1), and at most 1 may be',
    cause:
      'The limit is `maxUnavailableNodes` or `maxDegradedNodes` of `spec.updateStrategy`. Degraded nodes and nodes that others have out count.',
    cure: 'Nothing to do while nodes are being updated. Else look at the nodes that are named, and at the others in the status of the object.',
    wait: 'none',
  },
  TooFewInService: {
    is: '0 nodes of web would be left in service, and 1 are wanted',
    cause: '`spec.updateStrategy.rollingUpdate.minInServiceNodes` says how many are to stay in service.',
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
    cause: 'The slot of the node was lost, such as by a Lease that was deleted, and others have all slots by now.',
    cure: 'Look at `evenkeel budget`.',
    wait: 'none',
  },
  NewPodsRefused: {
    is: 'n1 bears a taint that new pods do not tolerate',
    cause:
      'Existing pods stay, but new pods cannot be placed. With `onCordon: Ignore`, a cordon can be the cause as well.',
    cure: 'Remove the taint or add a toleration to the template; uncordon the node.',
    wait: 'none',
  },
  DetachGrace: {
    is: 'n1 is asked to leave by evenkeel.dev/detach for less than the grace of 30 s',
    cause: 'Load balancers need that time to notice.',
    cure: 'Nothing to do. The graces are fields of `spec.updateStrategy`.',
    wait: 'none',
    progress: true,
  },
  AgentNotHeard: {
    is: 'the agent of n1 has not said that it knows of the detach, so its health answer may still be good',
    cause:
      'The agent is not running, does not reach the API server, or cannot be asked by the controller. With `healthChecker.image` the pod of the health checker is meant.',
    cure: 'Look at the agent of the node. On the way out, `detachTimeoutPolicy` says what is done after the limit. On the way back the node is then stuck, and it comes back by itself once the agent answers.',
    wait: 'none',
  },
  DetachTimedOut: {
    is: 'n1 is not known to be detached after the limit of its detach',
    cause: 'The detacher or the agent did not acknowledge in time.',
    cure: 'Look at the detacher and the agent of the node, then retry or skip the node. `detachTimeoutPolicy` says what is done by itself.',
    wait: 'none',
  },
  DetachGivenUp: {
    is: 'the detach of n1 for this revision was given up',
    cause: 'The detach took too long, and `detachTimeoutPolicy` is `Abort`. The node serves with the pods that it had.',
    cure: 'Look at the detacher and the agent of the node, then retry the node.',
    wait: 'none',
  },
  OperationUnreadable: {
    is: 'the operation on n1 cannot be read: it is not a JSON object. Its pods are verified as they are, and it is put back',
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
    is: 'of 2 pods on n1 1 are new, 1 ready, 0 available',
    cause: 'The pods were replaced a moment ago.',
    cure: 'Nothing to do.',
    wait: 'none',
    progress: true,
  },
  ProgressDeadlineExceeded: {
    is: 'of 2 pods on n1 1 are new, 1 ready, 0 available',
    cause: '`spec.progressDeadlineSeconds` is over. The node stays out and keeps its slot.',
    cure: 'Look at the pods of the node: `kubectl get pods -o wide`. Then change the template, or retry or skip the node.',
    wait: 'none',
  },
  PodsRejected: {
    is: '5 pods of n1 failed within ten minutes, so none is made before 2026-01-01T00:10:00Z',
    cause:
      'The kubelet rejects them, such as for a full disk or a host port that is taken. They are made once more after ten minutes, and later each time.',
    cure: 'Read the status of the failed pods and change the template. `evenkeel rollout retry ingressdaemonset/NAME` makes them at once.',
    wait: 'none',
  },
  PodsLeft: {
    is: '1 pods are still on n1',
    cause: 'They are ending.',
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
    is: 'n1 is attached again for less than the grace of 10 s',
    cause: 'Load balancers need that time to send to it again.',
    cure: 'Nothing to do.',
    wait: 'none',
    progress: true,
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
