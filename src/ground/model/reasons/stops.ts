import type { ReasonEntry } from './reason-entry.ts'

/** Verdicts: why a roll stops. Only for a node that is gone does the roll wait first. */
export const STOPS = {
  RequestsFailed: {
    is: '6 of 16 requests to shop failed (new): …',
    cause:
      'What happens to the node depends on the step. Before the reboot is announced, the roll restores it. After that, the roll completes the reboot and the proof, and attaches it. If the request failed after the attach step had begun, the roll detaches it again and keeps it out. If the text says "before this run was resumed", "before a process of this run was killed" or "after the last node was through", no node is out because of the failure, and the run does not end as DONE. Failures named as "… more failed while a control did not answer" are not counted.',
    cure: '`what` names the window, its class and the most likely step. "lb-1 was reloaded at 11:14:53Z and had n2 in service again for at most 229 ms" means that a new process answers for lb-1 (after a reload, a restart or a crash), and that it sent to n2 until the roll took n2 out again. Without a node in that sentence, no state of the roll was lost; a reload alone can also cost requests. `evenkeel roll resume` goes on; `next` says [how to prevent it](roll-steps.md#reloads-of-a-balancer).',
    wait: 'none',
  },
  TooManyFailed: {
    is: '4 requests failed, and stop.failedRequests.inAll allows 3: 3 at n1, drain; 1 while no step was under way',
    cause:
      'More requests failed than the roll file allows, in all or for one node. What happens to the current node is the same as after `RequestsFailed`. The steps that are named are the most likely ones.',
    cure: '`what` names each window. Find out why requests failed, then `evenkeel roll resume`: what happened before the stop does not count again.',
    wait: 'none',
  },
  TooSlow: {
    is: '1.4 % of the requests to shop in 30 s took longer than 500 ms, and stop.latency allows 1 %: 42 at n1, drain',
    cause:
      'The service became slower than the roll file allows. What happens to the current node is the same as after `RequestsFailed`, with one exception: a node that the roll has begun to put back is kept out only if requests that were sent since then broke the limit.',
    cure: 'Find out why the service became slow: the other nodes may have too little room. Then `evenkeel roll resume`.',
    wait: 'none',
  },
  ErrorBudgetUsedUp: {
    is: 'shop was down for at most 10.4 s, and its error budget is 10 s: 6 s at n1, drain; 4.4 s at n2, attach',
    cause:
      'The failure windows of this target are together longer than `stop.errorBudget` allows. Each counts from the last good request before it to the first good one after it. What happens to the current node is the same as after `RequestsFailed`.',
    cure: '`what` names each window. Find out why requests failed, then `evenkeel roll resume`: what happened before the stop does not count again.',
    wait: 'none',
  },
  WindowClosedMeanwhile: {
    is: 'the time window closed before the reboot of n1 was announced, so n1 is put back; the next one opens …',
    cause:
      'The drain took longer than expected, or the process was away while the window closed. With `window.onClose: restore` the node goes back as an abort would put it back. The roll goes on in the next window.',
    cure: 'Nothing to do. If it happens again, look at what the drain waited for, or make the window longer.',
    wait: 'none',
  },
  NodeDidNotReturn: {
    is: 'n1 did not come back with another boot id within the limit (15 min)',
    cause:
      'The machine is off or hangs, or the reboot did not reach it. The node is cordoned and out of every balancer, and the process keeps it out.',
    cure: '`why` says which of these happened: the machine refused the reboot, or the roll does not know whether the command arrived. Start the machine, press Ctrl-C, then `evenkeel roll resume`.',
    wait: 'none',
  },
  RebootHeldUp: {
    is: 'the reboot of n1 is announced, and could not be sent within the limit (15 min)',
    cause:
      'The node got no command and still runs. It is cordoned and out of every balancer, and the process keeps it out.',
    cure: '`why` says what held it up. Repair that, press Ctrl-C, then `evenkeel roll resume`.',
    wait: 'none',
  },
  NotProven: {
    is: 'n1 came back, but without proof',
    cause: '`why` lists what is missing. The node is cordoned and out of every balancer, and the process keeps it out.',
    cure: 'Repair what is missing, press Ctrl-C, then `evenkeel roll resume`.',
    wait: 'none',
  },
  NotSettled: {
    is: 'n1 did not settle within the limit (10 min)',
    cause:
      '`why` lists what is missing. The node is out of every balancer, and the process keeps it out. It is uncordoned, except if a hook `afterReboot` cannot run because the journal cannot be written.',
    cure: 'Repair what is missing, press Ctrl-C, then `evenkeel roll resume`.',
    wait: 'none',
  },
  NotUp: {
    is: 'n1 was not in service again on every instance of its balancers within the limit (5 min)',
    cause:
      '`why` says which instance is silent, and which check does not pass. The node is uncordoned, and its servers are in `drain`. The process keeps it out.',
    cure: 'Repair it, press Ctrl-C, then `evenkeel roll resume`.',
    wait: 'none',
  },
  NotSoaked: {
    is: 'n1 is in service again, and traffic was not green within the limit (2 min)',
    cause:
      'A resume found the node in its soak, and requests failed for `baseline.limit` (2 min). The node is uncordoned. The roll has taken it out of its balancers again, and keeps it out.',
    cure: 'Find out why requests fail, press Ctrl-C, then `evenkeel roll resume`.',
    wait: 'none',
  },
  RecordStays: {
    is: 'n1 is in service again, and its record could not be taken off within the limit (5 min)',
    cause:
      'The node has soaked. Then the API server refused for `attach.limit` (5 min) to remove the annotation `evenkeel.dev/record`, or to renew the Lease, without which the roll writes nothing. The node serves. Other rolls count it as out until the record is gone.',
    cure: 'Give the roll its rights back ([rights](rights.md)), then `evenkeel roll resume`.',
    wait: 'none',
  },
  GateLimit: {
    is: 'gate ceph did not pass within its limit (10 min): the value is 1, not == 0',
    cause:
      'If the limit of the gate is reached before the reboot is announced, the roll restores the node and ends with exit 3. If it is reached before the attach, the node is uncordoned, and the process keeps it out of every balancer. A machine of `hosts` that was not rebooted takes its addresses back, and the roll ends with exit 3. One that was rebooted stays without its addresses.',
    cure: 'Find out why the gate does not pass. If the process keeps a node out, press Ctrl-C. Then run `evenkeel roll resume`. `gates[].limit` sets the limit.',
    wait: 'none',
  },
  NodeGone: {
    is: 'node n2 is gone from the cluster',
    cause:
      'The Node object was deleted. If the roll had begun the node, it keeps the node out of its balancers and waits for it as long as `reboot.returnLimit`. If the roll had not begun the node, it skips this node and rolls the others. An agent with this reason runs on a machine without a Node object, or has a wrong `--node`.',
    cure: 'Let the node register again, or remove it from the roll. Then run `evenkeel roll resume`. If a begun node registers again while the process runs, the process writes its record again and continues. Once the process has ended, `evenkeel roll resume` takes the record from the journal if the run had sent the reboot. If the run had not, the record is lost: check that the node is healthy, then [put it back manually](put-a-node-back.md). An abort while the Node is gone restores nothing on it, and says so.',
    wait: 'by law',
  },
  Aborted: {
    is: 'the roll was aborted; nodes that are out are put back',
    cause: 'A person ran `evenkeel roll abort`.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
