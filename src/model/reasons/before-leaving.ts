import type { ReasonEntry } from './reason-entry.ts'

/** Holds before anything is done to a node; the guards of step 4 among them. */
export const BEFORE_LEAVING = {
  BaselineNotGreen: {
    is: '3 requests to shop failed before the roll began',
    cause: 'Requests fail before the roll begins or, at a resume, while a node is out.',
    cure: 'Find out why these requests fail. The roll gives up after `baseline.limit` (2 min).',
    wait: 'baseline',
  },
  BaselineShort: {
    is: 'traffic is measured before the roll begins',
    cause: 'The probes have not run for `baseline.duration` (10 s), or a lane sends nothing.',
    cure: 'Wait. If it lasts, check the load of this machine.',
    wait: 'by law',
    progress: true,
  },
  SlotTaken: {
    is: 'the node budget is used up: run X has n1 out; n1 is about to leave: run X holds slot 1 for it; run X holds slot 1 for n1 itself',
    cause: 'Another roll holds the Lease of the slot and renews it.',
    cure: 'Wait for that run, or stop it. An abort without the journal waits here until the run that it aborts has not renewed the slot for the duration of the Lease.',
    wait: 'blocked',
  },
  SlotStale: {
    is: 'run X left n1 out and does not renew its slot',
    cause: 'The process of run X is gone, and a node still carries the record of that run.',
    cure: '`evenkeel roll resume X` or `evenkeel roll abort X` on the machine with its journal; without the journal `evenkeel roll abort X -f roll.yaml`.',
    wait: 'blocked',
  },
  OtherNodeBad: {
    is: 'n2 is not Ready; bears the record of run X; is claimed by person/alice; is detached from, or down by the checks of, every balancer that sends to it; is cordoned, and its cordon is granted; is being deleted or is leaving',
    cause:
      'A node that does not serve, or is about to stop serving, counts in the node budget, for whatever reason. A cordon that does not take the node out does not count.',
    cure: 'Repair n2, or put it back into its balancers. `evenkeel budget` shows which nodes are out, and for which owner.',
    wait: 'blocked',
  },
  BudgetUsedUp: {
    is: '2 nodes are out or about to be, and the budget allows at most 2',
    cause: 'As many nodes are out as [the node budget](roll.md#the-node-budget) allows. The next lines name them.',
    cure: 'Wait, or look at `evenkeel budget`.',
    wait: 'blocked',
  },
  SlotYielded: {
    is: 'the slot is given back, because run X took slot 0 at the same time and goes first',
    cause:
      'Two runs took a slot before either saw the slot of the other, and the budget has room for only one. Or nodes that are out without a slot use up the budget, and the slot of this run would block another run.',
    cure: 'Nothing to do: the run asks again by itself.',
    wait: 'none',
  },
  MaxOutInvalid: {
    is: 'data.maxOut of ConfigMap evenkeel/evenkeel-budget is "0"; it must be a number from 1 on, or a percentage from 1% to 100%',
    cause: 'The node budget is malformed, so nothing is begun.',
    cure: 'The hold prints the command that writes it again; put in the number that you want.',
    wait: 'blocked',
  },
  BudgetUnread: {
    is: 'the node budget could not be read: connect ECONNREFUSED',
    cause:
      'The API server did not answer when the roll read the budget, or listed the nodes to count them, before a node.',
    cure: 'Nothing to do in the roll: it tries again, after the pause that the API server asked for if there is one.',
    wait: 'blocked',
  },
  MostNodesNotReady: {
    is: 'most nodes turned NotReady together',
    cause: 'Lost heartbeats (API server, network) are more likely than lost nodes.',
    cure: 'Repair the connection from the nodes to the API server that carries the heartbeats.',
    wait: 'by law',
  },
  NotListedYet: {
    is: 'the API server has not listed pods yet; until then n1 is kept out and nothing else is done',
    cause: 'A process that resumed a run found its node out, and a list of the cluster hangs or fails.',
    cure: 'The sentence says what refused the list: a missing right, or an API server that is away. The process asks for the list again, without a limit, while it keeps the node out.',
    wait: 'by law',
  },
  RecordOfAnotherRun: {
    is: 'n1 carries the record of run X',
    cause: 'Run X has n1 out, or was killed while n1 was out.',
    cure: '`evenkeel roll resume X` or `evenkeel roll abort X`; where the journal of X is lost `evenkeel roll abort X -f roll.yaml`.',
    wait: 'blocked',
  },
  RecordUnreadable: {
    is: 'the record on n1 cannot be read',
    cause: 'The annotation was changed, or was written by another version. Waiting does not help.',
    cure: 'Restore the node [by hand](roll.md#put-a-node-back-by-hand), then remove the annotation: `kubectl annotate node n1 evenkeel.dev/record-`.',
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
  EtcdQuorum: {
    is: 'etcd has 3 members, 2 of them Ready, and needs 2: without n1 it has no quorum',
    cause:
      'Another member of etcd is not Ready. It is looked at before a node is begun and once more before its reboot.',
    cure: 'Repair the other members: `kubectl -n kube-system get pods -l component=etcd -o wide`. The only member of a cluster is let through.',
    wait: 'blocked',
  },
  LastApiServer: {
    is: 'no API server of 3 is Ready but that of n1',
    cause: 'The API servers of the other control-plane nodes are not Ready.',
    cure: 'Repair them: `kubectl -n kube-system get pods -l component=kube-apiserver -o wide`. The only API server of a cluster is let through.',
    wait: 'blocked',
  },
  ControlPlaneNotReady: {
    is: 'static pod kube-system/etcd-n2 of n2 is not Ready, and the control plane waits for each of its members',
    cause:
      'Without the node, enough members would be left, but one more failure would be too many. A member that has just come back may need a moment.',
    cure: '`kubectl -n kube-system describe pod etcd-n2`, and its log on the node.',
    wait: 'blocked',
  },
  AgentCheck: {
    is: 'an agent-check on lb-1 may undo what is set for web/n1',
    cause: 'HAProxy asks an agent that does not belong to Even Keel. Waiting does not help.',
    cure: '`disable agent web/n1` on the runtime socket of lb-1, and take `agent-check` out of haproxy.cfg.',
    wait: 'blocked',
  },
  LastUsableServer: {
    is: 'web/n1 is the last usable server of web on lb-1; or it stays in service, since no other server of web is usable',
    cause:
      'All other servers are down, out, backup or of weight 0, have failed their last check, or their agent has answered `up` for less time than the checks of the balancers take. A server that the roll had taken out can be back in service after a reload. Before the reboot is announced, the roll does not take it out again if it is the last one.',
    cure: 'Bring another server up. For a pool of one: `allowLastServer: true`.',
    wait: 'blocked',
  },
  OthersUnchecked: {
    is: 'no other server of web has been checked since lb-1 began, so its first failed check would take it out',
    cause:
      'HAProxy was started or reloaded a moment ago. It calls every server up until its first check has ended, and drops it at once if that one fails. No node is taken out and no pod is evicted before one other server was checked.',
    cure: 'Wait: it lasts at most one check interval. If it does not end, HAProxy is reloaded more often than it checks.',
    wait: 'blocked',
  },
  AgentSilent: {
    is: 'the agent of n1 does not answer',
    cause: 'The agent of the node is away, or `healthEndpoint.agentPort` names another port.',
    cure: '`kubectl -n evenkeel get pods -o wide`. In a plan it is an error. No limit waives it.',
    wait: 'blocked',
  },
  StatusUnknown: {
    is: 'the state of n1 at edge is not known: its status command failed (exit code 1): …',
    cause:
      'The `status` command under `balancers[].commands` did not end in time, failed, or printed something that is not one JSON object with a known `state` of this node.',
    cure: 'Run the command by hand, as the roll file has it. In a plan it is an error. No limit waives it.',
    wait: 'blocked',
  },
  InstanceSilent: {
    is: 'lb-1 of edge does not answer',
    cause:
      'The socket is absent, the process is down, ssh is broken, there was no answer in 2 s, or a reload took the backend away.',
    cure: 'Repair it. No limit waives this: an instance that does not answer may still send traffic.',
    wait: 'blocked',
  },
  ReadBeforeSlot: {
    is: 'lb-1 was read before the slot was taken',
    cause: 'Another run may have changed the node when the balancer was read. The balancer is read again.',
    cure: 'Wait. If it lasts, the balancer does not answer.',
    wait: 'blocked',
  },
  DnsIll: {
    is: 'the cluster DNS is unhealthy: UdpDead of pod coredns-…: …',
    cause:
      'A check found [one of these causes](dns-causes.md) before the node was taken out. Pods that move would start without working DNS.',
    cure: '`evenkeel dns check` shows the readings and the cure. With `dns.check: false` in a file for `evenkeel roll resume -f roll.yaml` the roll goes on without the check.',
    wait: 'blocked',
  },
  LastDnsPod: {
    is: 'coredns-… on n1 is the only one of 2 DNS pods that serves',
    cause: 'The other DNS pods are not Ready, or no EndpointSlice lists them.',
    cure: 'Bring the other pods up: `kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide`.',
    wait: 'blocked',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
