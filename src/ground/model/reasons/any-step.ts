import type { ReasonEntry } from './reason-entry.ts'

/** Holds at any step that changes something. */
export const ANY_STEP = {
  ApiUnreachable: {
    is: 'the API server cannot be followed',
    cause: 'A watch is broken: the API server does not answer, the network is cut, or the credential is refused.',
    cure: 'Nothing to do in the roll: it continues by itself once the API server answers.',
    wait: 'by law',
  },
  ApiWasAway: {
    is: 'the API server was away less than 75 s ago, so kube-proxy and agents may not know yet what has changed',
    cause:
      'Until kube-proxy follows the API server again, it would send requests to evicted pods. Until the agent of a node follows it again, the node may be out although nothing on the Node shows that any more.',
    cure: 'Wait for 75 s without another outage: the back-off of client-go ends within that time.',
    wait: 'in course',
  },
  AddressShared: {
    is: 'n1 and n5 both have the address 10.0.0.1, so it is not known whose servers and whose machine are there',
    cause:
      'The kubelet writes the addresses of its Node. A Node of a machine that is no more may still have the address that another machine has now; or a node claims the address of another one. The roll takes out, cuts, reboots and puts back nothing for this node meanwhile.',
    cure: 'Find out which machine has the address: `kubectl get nodes -o wide`. Delete the Node of a machine that is no more.',
    wait: 'blocked',
  },
  SlotNotRenewed: {
    is: 'the slot has not been renewed for too long, so nothing is sent',
    cause: 'The last renewal is older than two thirds of `slots.leaseDuration`: the API server or the network failed.',
    cure: 'Nothing to do in the roll: it continues with the next renewal.',
    wait: 'blocked',
  },
  JournalNotWritable: {
    is: 'the journal cannot be written, so nothing disruptive is done',
    cause:
      'The disk is full, the file was removed, or the mount is read-only. The roll still restores nodes, and runs `undo` and `afterRoll` of hooks. It runs no other hook: after a crash it would not be known that the hook ran.',
    cure: 'Free disk space, or make the directory writable. The roll tries the write again. [Hooks](roll-gates.md#hooks) says when a hook that waits ends the roll.',
    wait: 'blocked',
  },
  ProbeSilent: {
    is: 'the probe has measured nothing for 5 s',
    cause: 'The prober died, hangs or gets no processor time. A roll does not continue without measurements.',
    cure: 'The roll starts the prober again by itself. Check the load and the memory of this machine.',
    wait: 'blocked',
  },
  ControlAwaited: {
    is: 'requests to shop failed; it is not known yet whether the control failed too',
    cause: 'A control is probed less often than the target that it may excuse.',
    cure: 'Wait: after the period and the time-out of the control the failure counts or is excused. [The probe](probe.md) says which failures are excused.',
    wait: 'blocked',
  },
  RequestsFailing: {
    is: 'requests to shop fail (new): connect ECONNREFUSED 10.0.0.5:443',
    cause:
      'The roll file allows failed requests (`stop`), and requests fail at this moment. The roll takes out no further node, evicts no pod and announces no reboot until a request of the same kind succeeds.',
    cure: 'Find out why requests fail. If they go on failing, the limits of `stop` end the roll.',
    wait: 'blocked',
  },
  GateAsked: {
    is: 'gate ceph passed 1 of 3 times in a row',
    cause:
      'The roll checks a gate of the file for this node. Only answers in a row count. Answers for an earlier node or step do not count.',
    cure: 'Wait: the roll checks each gate every `gates[].interval`.',
    wait: 'by law',
    progress: true,
  },
  GateFails: {
    is: 'gate ceph does not pass: the value is 1, not == 0',
    cause: 'A gate of the file does not pass. The text says what the roll saw.',
    cure: 'Bring the system into the state that the gate requires. The roll checks the gate again until its `limit`; then a node that was not rebooted is restored, and a rebooted node stays out.',
    wait: 'by law',
  },
  GateUnknown: {
    is: 'gate ceph has no answer: GET http://prometheus:9090/api/v1/query answered 503, and …',
    cause:
      'A gate of the file gives no usable answer. This is so if a server does not answer, if a query matches no series or several, or if a command does not start or does not end. Such a gate never passes.',
    cure: 'The text says what is wrong. A query that may match nothing needs a value for that: `sum(…) or vector(0)`.',
    wait: 'by law',
  },
  SilenceAsked: {
    is: 'alerts of n1 are being silenced in alertmanager',
    cause:
      'By the roll file, the alerts of a node are silenced before the roll cordons it, and the alerts of a machine before it gives its addresses away.',
    cure: 'Wait: each request ends at the `timeout` of the silence.',
    wait: 'by law',
    progress: true,
  },
  SilenceFailed: {
    is: 'alerts of n1 are not silenced in alertmanager: Alertmanager answered 503',
    cause: 'Alertmanager is away or refuses the silence, and the file says `onFailure: hold`.',
    cure: 'Repair Alertmanager, or write `onFailure: ignore`. The request is tried again; after `drain.blockedLimit` the node is restored.',
    wait: 'blocked',
  },
  HookRuns: {
    is: 'hook noout runs for n1',
    cause: 'A command of the file runs for this node. The step goes on once it has ended.',
    cure: 'Wait: the roll kills the command at the `timeout` of the hook.',
    wait: 'by law',
    progress: true,
  },
  HookFailed: {
    is: 'hook noout failed for n1: ceph ended with exit code 1: …',
    cause:
      'A command of the file failed. With `onFailure: hold` it is run again until its `limit`. With `stop`, or after that limit, the roll stops: a node whose reboot was not announced is restored, any other goes on to its proof and back, and the next node is not begun.',
    cure: 'The text has the last lines that the command printed. If an undo has failed, `next` is the command to type.',
    wait: 'by law',
  },
  UndoneByOthers: {
    is: 'n1 was cordoned, but somebody undid that',
    cause:
      'A person or another program removes what the roll has written on the Node, such as its cordon. The roll writes it again after a pause, which grows from 1 s to 1 min.',
    cure: 'Stop what undoes it. `kubectl get node NODE -o yaml --show-managed-fields` shows who wrote to the Node.',
    wait: 'blocked',
  },
  Retrying: {
    is: 'a write failed and is tried again (the message is the error)',
    cause:
      'The API server, a balancer or a machine refused a write. It is tried again after a back-off. Before the reboot this ends at `drain.blockedLimit`.',
    cure: 'The error says what refused the write.',
    wait: 'blocked',
  },
  ServerNotRecorded: {
    is: 'web/n1-b on lb-1 leads to n1 (10.0.0.1:30081) since the node was recorded, and is sent traffic',
    cause:
      'A changed configuration, or a person at the runtime API, has added a server at an address of the node while the roll had it in work. The record does not say what the server was before, so the roll does not change it.',
    cure: 'Set that server to `drain` by hand, and to `ready` once the node is back in service; or `evenkeel roll abort`, and roll the node anew.',
    wait: 'blocked',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
