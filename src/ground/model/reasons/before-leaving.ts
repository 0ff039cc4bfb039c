import type { ReasonEntry } from './reason-entry.ts'

/** Holds before any change to a node, with those of the guards of step 4. */
export const BEFORE_LEAVING = {
  BaselineNotGreen: {
    is: '3 requests to shop failed before the roll began',
    cause: 'Requests fail before the roll begins or, in a resumed run, while a node is out.',
    cure: 'Find out why these requests fail. The roll gives up after `baseline.limit` (2 min).',
    wait: 'baseline',
  },
  BaselineSlow: {
    is: 'more than 1 % of the requests to shop took longer than 500 ms before the roll began',
    cause:
      'The service was slower than `stop.latency` allows, and no node was out yet. After a resume, it was slower before this process had measured for the duration of a baseline.',
    cure: 'Find out why the service is slow, or allow more in `stop.latency`. The roll gives up after `baseline.limit` (2 min).',
    wait: 'baseline',
  },
  BaselineShort: {
    is: 'traffic is measured before the roll begins',
    cause: 'The probes have not run for `baseline.duration` (10 s), or a lane sends nothing.',
    cure: 'Wait. If it lasts, check the load of this machine.',
    wait: 'by law',
    progress: true,
  },
  TrafficNotMeasured: {
    is: 'the probe cannot measure all of the time: it stands still, or starts again and again',
    cause:
      'Time in which the probe stood still or did not run does not count, and so the baseline or the soak does not end.',
    cure: 'Check the load and the memory of this machine, or send fewer requests (`rate`). The roll gives up after `baseline.limit` (2 min). In a soak it gives up after `drain.blockedLimit` of such time, and leaves the node in service.',
    wait: 'baseline',
  },
  WindowClosed: {
    is: 'no time window is open; the next one opens Fri 2026-11-27 22:00 Europe/Berlin (Fri 21:00 UTC)',
    cause: '`window` of the roll file allows no work now. The roll holds no slot in the meantime.',
    cure: 'Wait. `evenkeel roll resume --ignore-window` goes on immediately, and the report names the user who gave this option. The roll gives up after `window.waitLimit`, if the file has one. "The clock of this machine was set" means that the time of the run and the time of the machine differ: check the clock, then resume.',
    wait: 'window',
  },
  WindowClosesSoon: {
    is: 'n4 would not be done in this time window, which closes Sat 2026-11-28 04:00 Europe/Berlin (Sat 03:00 UTC): the slowest node of this run took 6 min 10 s; the next one opens …',
    cause:
      'A node that the roll begins now would not be back in service before the window closes. The roll uses the estimate of the plan, or the time of the slowest node of this run if that is longer.',
    cure: 'Wait for the next window, or `evenkeel roll resume --ignore-window`.',
    wait: 'window',
  },
  WindowTooShort: {
    is: 'n4 fits into no time window, and the longest takes 30 min: it is expected to take 50 min',
    cause: 'No window is as long as this node is expected to take.',
    cure: 'Make the windows longer, then `evenkeel roll resume -f roll.yaml`.',
    wait: 'blocked',
  },
  SlotTaken: {
    is: 'the node budget is used up: run X has n1 out; or n1 is about to leave: run X holds slot 1 for it; or run X holds slot 1 for n1 itself',
    cause: 'Another roll holds the Lease of the slot and renews it.',
    cure: 'Wait for that run, or stop it. An abort without the journal waits here while the run that it aborts still renews the slot. It goes on when that run has not renewed the slot for the duration of the Lease.',
    wait: 'blocked',
  },
  SlotStale: {
    is: 'run X left n1 out and does not renew its slot',
    cause:
      'The process of run X is gone, and a node still carries the record of that run. Or the slot is held for a machine of a load balancer: nothing in the cluster tells whether that machine is back.',
    cure: '`evenkeel roll resume X` or `evenkeel roll abort X` on the machine that has the journal of X; without the journal, `evenkeel roll abort X -f roll.yaml`. For a machine of a load balancer without the journal: see that it has its addresses again and that its balancer serves, then release its slot as `evenkeel budget --watch 2min` says.',
    wait: 'blocked',
  },
  OtherNodeBad: {
    is: 'n2 is not Ready; or has the record of run X; or is claimed by person/alice; or is detached from, or down by the checks of, every balancer that sends to it; or is cordoned, and its cordon is granted; or is being deleted or is leaving',
    cause:
      'A node that does not serve, or is about to stop serving, counts in the node budget, for whatever reason. A cordon that does not take the node out does not count.',
    cure: 'Repair n2, or put it back into its balancers. `evenkeel budget` shows which nodes are out, and which owner keeps them out. If n2 is cordoned and has no agent, for example because it runs Windows, it counts for as long as it is cordoned: uncordon it, or raise `maxOut` by one.',
    wait: 'blocked',
  },
  BudgetUsedUp: {
    is: '2 nodes are out or about to be, and the budget allows at most 2',
    cause:
      'As many nodes are out as [the node budget](roll-budget.md#the-node-budget) allows. The next lines name them.',
    cure: 'Wait, or look at `evenkeel budget`.',
    wait: 'blocked',
  },
  OtherNodeOfRoll: {
    is: 'n2 of the same roll is out or about to be, and the budget has no room for n3 until it is back; or n3 waits for n2 of the same roll: with both out, a backend has no usable server',
    cause: '`parallel` of the roll file allows several nodes at a time, and this node has to wait for another one.',
    cure: 'Nothing to do: the roll goes on with this node once the other node is back in service.',
    wait: 'by law',
  },
  SlotYielded: {
    is: 'the slot is given back, because run X took slot 0 at the same time and goes first',
    cause:
      'Two runs took a slot before either saw the slot of the other, and the budget has room for only one. Or nodes that are out without a slot use up the budget, and the slot of this run would block another run.',
    cure: 'Nothing to do: the run tries again by itself.',
    wait: 'none',
  },
  MaxOutInvalid: {
    is: 'data.maxOut of ConfigMap evenkeel/evenkeel-budget is "0"; it must be a number from 1 on, or a percentage from 1% to 100%',
    cause: 'The node budget is malformed, so no node is begun.',
    cure: 'The hold prints a command that writes the budget again. Put the number that you want into it.',
    wait: 'blocked',
  },
  BudgetUnread: {
    is: 'the node budget could not be read: connect ECONNREFUSED',
    cause:
      'Before it begins a node, the roll reads the budget and lists the nodes to count them. The API server did not answer.',
    cure: 'Nothing to do: the roll tries again. If the API server asked for a pause, the roll waits that long first.',
    wait: 'blocked',
  },
  MostNodesNotReady: {
    is: 'most nodes turned NotReady together',
    cause: 'It is more likely that heartbeats are lost (API server, network) than that the nodes are down.',
    cure: 'Repair the connection from the nodes to the API server that carries the heartbeats.',
    wait: 'by law',
  },
  NotListedYet: {
    is: 'the API server has not listed pods yet; until then n1 is kept out and nothing else is done',
    cause: 'A process that resumed a run found its node out, and a list of the cluster hangs or fails.',
    cure: 'The message says why the list failed: a missing right, or an API server that does not answer. The process tries again, without a limit, and keeps the node out in the meantime.',
    wait: 'by law',
  },
  RecordOfAnotherRun: {
    is: 'n1 carries the record of run X',
    cause:
      'Run X has n1 out, or was killed while n1 was out. If this run has n1 in work itself, X wrote its record over that of this run; this run then stops, and keeps n1 out.',
    cure: '`evenkeel roll resume X` or `evenkeel roll abort X`; if the journal of X is lost, `evenkeel roll abort X -f roll.yaml`.',
    wait: 'blocked',
  },
  RecordUnreadable: {
    is: 'the record on n1 cannot be read',
    cause: 'The annotation was changed, or was written by another version. Waiting does not help.',
    cure: 'If the run that says it has n1 out itself, remove the annotation, and resume or abort that run: its journal has the record. Otherwise restore the node [manually](put-a-node-back.md) first. To remove the annotation: `kubectl annotate node n1 evenkeel.dev/record-`.',
    wait: 'blocked',
  },
  OldNews: {
    is: 'the API server shows n1 as it was before its reboot, although the run has finished it',
    cause: 'The API server lags behind, or a person restored an old annotation.',
    cure: 'Wait. If it lasts, compare the annotation evenkeel.dev/record of the node with the journal.',
    wait: 'blocked',
  },
  NodeNotReady: {
    is: 'n1 is not Ready',
    cause:
      'Before the roll touched it: the node was already unhealthy. After its reboot: the kubelet has not finished its start.',
    cure: 'Repair the node, or leave it out of the roll. After a reboot, check the kubelet: `journalctl -u kubelet` on the node.',
    wait: 'blocked',
  },
  NodeBeingRemoved: {
    is: 'n1 is being deleted; is being removed by the Cluster Autoscaler: it has the taint ToBeDeletedByClusterAutoscaler',
    cause:
      'Another program has begun to remove the node: its Node object is being deleted, or it has the taint of an autoscaler, of Karpenter, of a termination handler or of its cloud. The roll checks this before it begins a node and once more before the reboot.',
    cure: 'Wait: once the Node no longer exists, the roll skips it. The hold prints the command that removes a taint which was left behind.',
    wait: 'blocked',
  },
  NodeInOthersWork: {
    is: 'another program is at work on n1: its condition MaintenanceInProgress is True; kured reboots n1: it has the annotation weave.works/kured-reboot-in-progress',
    cause:
      'The node has a condition of KEP-5683 that this run did not set (`DrainInProgress`, `MaintenanceInProgress` or `GracefulNodeShutdownInProgress`), one by which a cloud announces that it takes the machine (`PreemptScheduled`, `Terminating`, …), or a mark of kured, Flatcar, Harvester, OpenShift or the Node Maintenance Operator ([all of them](roll-budget.md#other-programs-that-work-on-nodes)).',
    cure: 'Wait until the other program has finished, or leave the node out. `kubectl describe node n1` shows who set the condition. A condition that was left behind is cleared with `kubectl edit node n1 --subresource=status`.',
    wait: 'blocked',
  },
  KuredLockHeld: {
    is: 'the lock of kured (DaemonSet kube-system/kured) is held by n2',
    cause:
      'The lock of kured was taken for a node, before or during the roll. In a plan, it can also be another roll with `reboot.kuredLock` that has the lock. Two programs that reboot nodes would have two nodes out.',
    cure: 'Wait until kured, or the other roll, has ended. If it never does: `kubectl -n kube-system annotate daemonset kured weave.works/kured-node-lock-`.',
    wait: 'blocked',
  },
  KuredLockDue: {
    is: 'the lock of kured (DaemonSet kube-system/kured) is being taken',
    cause: 'The roll file has `reboot.kuredLock`. The roll takes the lock before it begins its first node or machine.',
    cure: 'Wait: this takes less than a second.',
    wait: 'blocked',
    progress: true,
  },
  KuredLockNotTaken: {
    is: 'the lock of kured (DaemonSet kube-system/kured) could not be taken: the API server refused it',
    cause:
      'The roll file has `reboot.kuredLock`, and the lock could not be written: the right is missing, the API server does not answer, or the DaemonSet does not exist. The roll begins no node and no machine without the lock.',
    cure: 'The text says what is wrong. The right is in `deploy/roll-kured-rbac.yaml`. The roll tries again until `drain.blockedLimit` is over, and then ends held.',
    wait: 'blocked',
  },
  PodNotSafeToEvict: {
    is: 'batch/train-1 says that it is not to be evicted (cluster-autoscaler.kubernetes.io/safe-to-evict: "false"), and runs on n1',
    cause:
      'The roll file has `drain.safeToEvict: hold`, and a pod that the drain would move has the annotation. The roll checks this before it begins the node.',
    cure: 'Wait until the pod has ended, or remove the annotation: the hold prints the command. `warn` in place of `hold` evicts such pods.',
    wait: 'blocked',
  },
  EtcdQuorum: {
    is: 'etcd has 3 members, 2 of them Ready, and needs 2: without n1 it has no quorum',
    cause:
      'Another member of etcd is not Ready, or its node is out or about to leave for some owner, which the text names. The roll checks this before it begins a node, before it announces the reboot, and before it sends it.',
    cure: 'If the text names an owner, wait for it. Otherwise repair the other members: `kubectl -n kube-system get pods -l component=etcd -o wide`. If the cluster has only one member, the roll does not wait.',
    wait: 'blocked',
  },
  LastApiServer: {
    is: 'of 3 API servers, only that of n1 is Ready',
    cause:
      'The API servers of the other control-plane nodes are not Ready, or their nodes are out or about to leave for some owner, which the text names.',
    cure: 'Repair them: `kubectl -n kube-system get pods -l component=kube-apiserver -o wide`. If the cluster has only one API server, the roll does not wait.',
    wait: 'blocked',
  },
  ControlPlaneNotReady: {
    is: 'static pod kube-system/etcd-n2 of n2 is not Ready, and the control plane waits for each of its members',
    cause:
      'Without n1, enough members would be left, but one more failure would be too many. A member that has just come back may need a moment. A member whose node is out or about to leave is waited for too.',
    cure: '`kubectl -n kube-system describe pod etcd-n2`, and its log on the node.',
    wait: 'blocked',
  },
  AgentCheck: {
    is: 'an agent-check on lb-1 may undo what is set for web/n1',
    cause:
      'The server line in haproxy.cfg has `agent-check`, so an agent can change the state of the server. Waiting does not help.',
    cure: 'Remove `agent-check` from the line of server n1 in backend web of haproxy.cfg, and reload HAProxy. `disable agent web/n1` on the runtime socket is not enough: it lasts only until a reload, so that plan, doctor and roll go on refusing the server. `enable agent web/n1` takes that command back.',
    wait: 'blocked',
  },
  LastUsableServer: {
    is: 'web/n1 is the last usable server of web on lb-1; or it stays in service, since no other server of web is usable',
    cause:
      'No other server of the backend counts as usable. A server does not count if it is down, out, a backup or of weight 0, or if it failed its last check. It also does not count if its agent has answered `up` for less time than the checks of the balancers need. A server that the roll had taken out can be back in service after a reload. Before the reboot is announced, the roll does not take it out again if it is the last one.',
    cure: 'Bring another server up. For a pool of one: `allowLastServer: true`.',
    wait: 'blocked',
  },
  OthersUnchecked: {
    is: 'lb-1 has checked no other server of web since it started, so the first failed check of one would take it out',
    cause:
      'HAProxy was started or reloaded a moment ago. It treats every server as up until the first check of the server has ended. If that check fails, it drops the server immediately. So the roll takes no node out and evicts no pod before another server was checked.',
    cure: 'Wait: it lasts at most one check interval. If it does not end, HAProxy is reloaded more often than it checks.',
    wait: 'blocked',
  },
  AgentSilent: {
    is: 'the agent of n1 does not answer',
    cause: 'The agent of the node does not run, or `healthEndpoint.agentPort` names another port.',
    cure: '`kubectl -n evenkeel get pods -o wide`. In a plan, this is an error. The roll never continues without the agent.',
    wait: 'blocked',
  },
  StatusUnknown: {
    is: 'the state of n1 at edge is not known: its status command failed (exit code 1): …',
    cause:
      'The `status` command under `balancers[].commands` did not end in time, failed, or printed something that is not one JSON object with a known `state` of this node.',
    cure: 'Run the command by hand, as the roll file has it. In a plan it is an error. The roll never goes on without the state, whatever the limits are.',
    wait: 'blocked',
  },
  CheckUnknown: {
    is: 'what the health check of n1 at edge answers is not known: …',
    cause:
      'The roll called the URL under `healthCheck.check` and got no answer, so it does not know which answer the load balancers get. A refused connection or a timeout is no answer.',
    cure: 'Call the URL by hand from the machine of the roll. In a plan, this is an error. The roll never goes on without an answer, whatever the limits are. If this machine cannot reach the URL, remove `check`: then the roll only waits for a computed time.',
    wait: 'blocked',
  },
  InstanceSilent: {
    is: 'lb-1 of edge does not answer',
    cause:
      'The socket does not exist, the process is down, ssh fails, there was no answer in 2 s, or the backend is missing after a reload. With `masterSocket`: the master process does not answer, so the roll does not know what the processes from before a reload still serve.',
    cure: 'Repair the instance. The roll never continues without it, because an instance that does not answer may still send traffic.',
    wait: 'blocked',
  },
  ReadBeforeSlot: {
    is: 'lb-1 was read before the slot was taken',
    cause:
      'Another run may have changed the state of the node in the balancer after that reading. The roll reads the balancer again.',
    cure: 'Wait. If it lasts, the balancer does not answer.',
    wait: 'blocked',
  },
  DnsIll: {
    is: 'the cluster DNS is unhealthy: UdpDead, pod coredns-…: …',
    cause:
      'A check found [one of these causes](dns-causes.md) before the node was taken out. Pods that move would start without working DNS.',
    cure: '`evenkeel dns check` shows details and the cure. To continue without the check, set `dns.check: false` in the roll file, and run `evenkeel roll resume -f roll.yaml`.',
    wait: 'blocked',
  },
  LastDnsPod: {
    is: 'coredns-… on n1 is the only one of 2 DNS pods that serves',
    cause: 'The other DNS pods are not Ready, or no EndpointSlice lists them.',
    cure: 'Bring the other pods up: `kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide`.',
    wait: 'blocked',
  },
  OwnPodHere: {
    is: 'the pod of this roll runs on n1',
    cause:
      'The roll [runs as a Job](roll-as-a-job.md), and every other node is done. The pod of the roll is evicted while the balancers still send to its node.',
    cure: 'Wait. The next pod of the Job starts on another node and continues the run.',
    wait: 'none',
  },
  OwnPodLeaves: {
    is: 'evenkeel/evenkeel-roll-x7k2p, the pod of this roll, leaves n1; the next pod of its Job goes on with the run',
    cause: 'The pod was evicted, and the kubelet ends it within its grace period.',
    cure: 'Wait. If no other pod starts: `kubectl -n evenkeel describe pods -l app.kubernetes.io/component=roll`.',
    wait: 'in course',
    progress: true,
  },
  OwnPodReturned: {
    is: 'this roll left n1 with evenkeel/evenkeel-roll-x7k2p, and its next pod evenkeel/evenkeel-roll-b4d9q runs on n1 again, which is cordoned',
    cause:
      'The pod template of the Job tolerates `node.kubernetes.io/unschedulable`, or sets `nodeName`. The roll does not move a second time.',
    cure: 'Remove the toleration, or `nodeName`, and create the Job again.',
    wait: 'blocked',
  },
  OwnPodHasNoNode: {
    is: 'evenkeel/evenkeel-roll-x7k2p, the pod of this roll, has to leave n1, and every other node is cordoned or not Ready',
    cause: 'No other node accepts new pods, so the next pod of the Job would wait while nothing watches the roll.',
    cure: 'Uncordon another node, or add one.',
    wait: 'blocked',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
