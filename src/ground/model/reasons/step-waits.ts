import type { ReasonEntry } from './reason-entry.ts'
import { REBOOT_WAITS } from './reboot-waits.ts'

/** What the steps wait for, mostly their normal progress. */
export const STEP_WAITS = {
  ChecksGoOn: {
    is: 'n1 leaves, and its load balancers may not have noticed yet',
    cause: 'Load balancers notice a change only with their next checks.',
    cure: 'Wait. The wait ends after the time that is computed from `healthEndpoint.checks`, or once the agent has answered every declared source of checks often enough.',
    wait: 'by law',
    progress: true,
  },
  RequestNotTaken: {
    is: 'the agent of n1 has not read the request yet, and answers up',
    cause:
      'The agent normally reads a request within a second. If the hold lasts longer, the override file of the agent says `up`.',
    cure: 'Remove the override file if there is one. `/healthz` of the agent shows the reasons for its answer.',
    wait: 'blocked',
    progress: true,
  },
  ClaimedByOthers: {
    is: 'person/alice keeps n1 out since 2026-01-01T00:00:00Z: a new disk',
    cause:
      'Another owner claims n1. The node returns to service when its last claim is withdrawn; the roll withdraws only its own claim. After `attach.limit` n1 stays out.',
    cure: 'Ask the owner to withdraw the claim. The hold prints the command ([claims](agent.md#claims)).',
    wait: 'blocked',
  },
  ClaimsUnreadable: {
    is: 'the claims on n1 cannot be read: there are two claims of one owner, person/alice',
    cause:
      'The annotation `evenkeel.dev/maintenance` is incomplete, too long, of an unknown version, or has an invalid field. The roll never overwrites claims that it cannot read.',
    cure: 'Look at the annotation, and write it again with the claims that are still valid ([claims](agent.md#claims)).',
    wait: 'blocked',
  },
  DetacherNotDone: {
    is: 'the detacher has not said that n1 is detached: the annotation `…` is missing',
    cause:
      'The detacher named under `annotation` has not answered this request. It answers with a time in an annotation of the node. A time that cannot be read, or that is older than the request, does not count.',
    cure: 'Look at the log of the detacher.',
    wait: 'blocked',
  },
  DetacherGrace: {
    is: 'n1 was detached, and the grace of 30 s is not over',
    cause: 'The grace counts from the moment at which the roll first saw the answer of the detacher.',
    cure: 'Wait: it ends by itself.',
    wait: 'by law',
    progress: true,
  },
  CheckFollows: {
    is: 'n1 has the taint ToBeDeletedByClusterAutoscaler, and its health check does not fail yet',
    cause: 'The program that answers the health check sees the mark on the Node within seconds.',
    cure: 'Wait. After `healthCheck.markDelay` the roll reports [CheckStaysGood](#checkstaysgood).',
    wait: 'blocked',
    progress: true,
  },
  CheckStaysGood: {
    is: 'n1 has the taint ToBeDeletedByClusterAutoscaler, and its health check still passes after 10 s',
    cause:
      'The mark under `healthCheck` does not make the health check of the node fail, so load balancers go on sending to it. The roll goes no further. After `drain.blockedLimit` it removes its mark and restores the node.',
    cure: 'Set the mark on one node by hand, and call the health check. If it still passes, choose a mark that the program follows ([Health checks without agents](balancer-health-check.md)).',
    wait: 'blocked',
  },
  DetectionTime: {
    is: 'n1 leaves: a load balancer that checks every 2 s and needs 3 failures has noticed after 8 s at the latest',
    cause:
      'The load balancers do not say what they have noticed. The roll waits for the longest time that `healthCheck.checks` allows for it.',
    cure: 'Wait: it ends by itself. It begins anew if the health check answers differently in between.',
    wait: 'by law',
    progress: true,
  },
  MarkOfOthers: {
    is: 'the taint … of n1 has another value than the one this roll set',
    cause:
      'Another program or a person set the same mark to keep n1 out. The roll does not remove it. After `attach.limit` n1 stays out.',
    cure: 'Once no other program needs n1 out, remove the mark: `kubectl taint node n1 KEY-`, or the same with `label` or `annotate`.',
    wait: 'blocked',
  },
  StatusNotOut: {
    is: 'n1 is leaving at edge, as its status command tells, and not out',
    cause:
      'The `detach` command ended with 0, and the balancer still sends new requests to the node. After 10 s with the state `in` the command runs again.',
    cure: 'Wait. If it does not end, look at the balancer, and run the `status` command by hand.',
    wait: 'blocked',
    progress: true,
  },
  DetachAskedByOthers: {
    is: 'the annotation `…` of n1 has another value than the one this roll set',
    cause:
      'Another program requests the detacher to keep n1 out. The roll does not remove that request. After `attach.limit` n1 stays out.',
    cure: 'Once no other program needs n1 out: `kubectl annotate node n1 KEY-`.',
    wait: 'blocked',
  },
  InBalancer: {
    is: 'web/n1 on lb-1 is ready',
    cause:
      'The instance has not confirmed the detach, or a reload put the server back in. In that case the roll takes it out again.',
    cure: 'Wait for the answer of the instance.',
    wait: 'blocked',
    progress: true,
  },
  ServerNotListed: {
    is: 'lb-1 does not list web/n1 at the recorded address any more',
    cause: 'The file haproxy.cfg or the InternalIP of the node was changed.',
    cure: 'Restore the recorded address, or `evenkeel roll abort`.',
    wait: 'blocked',
  },
  ServerLedElsewhere: {
    is: 'web/s1 on lb-1 leads to 10.0.0.9:30080 now, and is in drain still, to which this roll set it',
    cause:
      'While the node was out, `set server … addr` or DNS gave the address of another machine to a server that the roll had taken out. The state belongs to the server and not to the address, so it is out there too.',
    cure: 'Set that server to `ready` by hand. After `attach.limit` (5 min) the roll ends without it; the node serves.',
    wait: 'blocked',
  },
  SessionsLeft: {
    is: 'web/n1 on lb-1 has 2 sessions left',
    cause: 'Clients still use connections to the node.',
    cure: 'Wait until the sessions end. After `detach.idleLimit` (3 min) they are cut and counted.',
    wait: 'by law',
    progress: true,
  },
  StillSent: {
    is: 'web/n1 on lb-1 is maint, and was sent 20 sessions since',
    cause:
      'The balancer confirmed that the node is out, and sends to it all the same. In HAProxy `option persist`, `force-persist` and `use-server` do this. The node does not count as out until 5 s have passed without another session. After `drain.blockedLimit` the roll puts it back.',
    cure: 'Remove these lines of haproxy.cfg, or find out which clients are sent to the node.',
    wait: 'blocked',
  },
  ConnectionsPooled: {
    is: 'web/n1 on lb-1 keeps 4 idle connections open',
    cause:
      'HAProxy keeps idle connections to the server, which would be dead after the reboot. The roll closes them by setting the server to `maint` for a moment. For a machine that is off, this can take seconds. A server that was in `maint` before the roll stays there, and HAProxy closes its connections by `pool-purge-delay`, within a minute or two.',
    cure: 'Wait. If the server was in `maint` before the roll, you can end the wait: set the server to `drain`, then to `maint` again.',
    wait: 'blocked',
  },
  PodLeaving: {
    is: 'shop/cart-0 is leaving',
    cause: 'The pod uses its own grace period.',
    cure: 'Wait.',
    wait: 'in course',
    progress: true,
  },
  OneAtATime: {
    is: 'another pod of … leaves first',
    cause: 'One pod of a workload leaves at a time.',
    cure: 'Wait until the first pod is replaced.',
    wait: 'in course',
    progress: true,
  },
  ReplacementNotReady: {
    is: 'Deployment shop/cart has 1 ready of 2 recorded',
    cause: 'The replacement is not Ready: there is no room for it, it starts slowly, or its image is bad.',
    cure: '`kubectl -n shop describe pods` shows why. During the drain the roll gives up after `drain.stageLimit` (30 min).',
    wait: 'in course',
    progress: true,
  },
  EndpointStays: {
    is: 'shop/cart-a is still an endpoint in EndpointSlice shop/cart-x7k2p, though no Service selects it',
    cause: 'The EndpointSlice controller has not updated the slice yet, or another program writes this slice.',
    cure: 'Wait. If another program writes the slice, make that program remove the pod, or remove the pod from the selection of `drain.polite`.',
    wait: 'in course',
    progress: true,
  },
  EndpointForeign: {
    is: 'shop/cart-a is an endpoint in EndpointSlice shop/cart-ext-1 of Service cart-ext, which has no selector: another program sends to it',
    cause:
      'Another program writes the endpoints of a Service without a selector. Changing labels does not remove the pod from them. The slice was written after the roll had already changed the labels of the pod.',
    cure: 'Make the program that writes the slice remove the pod. Otherwise the pod gets its labels back in the end.',
    wait: 'blocked',
  },
  PoliteNotReplaced: {
    is: 'shop/cart-a stays and serves: Deployment shop/cart has 0 ready of 1 recorded; 0/3 nodes are available: 3 Insufficient cpu',
    cause:
      'A pod of `drain.polite` leaves once its replacement is Ready. The replacement has no node, is refused by a quota or an admission policy, or cannot start: the message says why.',
    cure: 'Remove the cause that the message names. During the drain the roll gives up after `drain.stageLimit` (30 min), and the pod gets its labels back.',
    wait: 'in course',
  },
  PoliteWait: {
    is: 'shop/cart-a is no endpoint any more, and serves on for 6 s',
    cause:
      'Each kube-proxy writes its rules at most once a second, and later under load. It does not report this, so a pod of `drain.polite` keeps serving for `leaveAfter`.',
    cure: 'Wait.',
    wait: 'by law',
    progress: true,
  },
  PoliteRefused: {
    is: 'the labels of shop/cart-a cannot be changed: …',
    cause: 'RBAC, an admission webhook, or a write of another program: the message says which.',
    cure: 'Grant `deploy/roll-polite-rbac.yaml`, let the webhook accept the change, or remove the pod from the selection of `drain.polite`.',
    wait: 'blocked',
  },
  PoliteEnd: {
    is: 'released pods leave, or get their labels back',
    cause: 'The roll ended in the middle of a polite drain.',
    cure: 'Wait.',
    wait: 'none',
  },
  VolumeAttached: {
    is: 'volume … is still attached',
    cause: 'The attacher has not released the volume.',
    cure: '`kubectl get volumeattachments`',
    wait: 'in course',
    progress: true,
  },
  OnlyThisNodeCures: {
    is: '… can only run on n1',
    cause:
      'The scheduler finds no other node for the pod. The drain does not wait for it. In the settle step, the roll holds until the pod runs again.',
    cure: 'If that is not intended, check the affinity and the volumes of the pod.',
    wait: 'blocked',
  },
  ...REBOOT_WAITS,
  HeartbeatOld: {
    is: 'n1 has sent no heartbeat since its new boot id appeared',
    cause:
      'The roll has no other proof of the boot either, such as a Ready container that started after it. Without a heartbeat, the API may still show pods from before the reboot as Ready.',
    cure: 'Wait for the pods of the node, or for the next heartbeat of its kubelet, usually within 10 s.',
    wait: 'blocked',
    progress: true,
  },
  StartupTaint: {
    is: 'n1 still has the taint …',
    cause: 'The kubelet, a network plugin or a cloud controller set the taint and removes it once it is ready.',
    cure: 'Wait. If it lasts, check the pod of the network plugin on that node.',
    wait: 'blocked',
    progress: true,
  },
  DaemonNotBack: {
    is: 'DaemonSet (or static pod) … is not Ready again, or still shows its containers of before the reboot',
    cause:
      'The pod on the node has not started. After a reboot, the roll accepts only new containers: their ids are not in the record, and the API did not show them before the new boot id appeared. A roll process that started later cannot check the second condition. It waits for a heartbeat instead, and for 10 s after it first saw the new boot id.',
    cure: 'Wait. If it lasts: `kubectl get pods -A -o wide --field-selector spec.nodeName=n1`.',
    wait: 'blocked',
    progress: true,
  },
  DataPortSilent: {
    is: 'nothing answers at 10.0.0.1:30080 yet',
    cause: 'Neither kube-proxy nor the pod listens yet at the port that the balancers send to.',
    cure: 'Wait. If it lasts, check kube-proxy and the ingress pod of the node. HAProxy shows a port that is written with a sign (`:+10`) as 10, although it adds it to the port of the client: no answer comes there, and only `settle.dataPort: false` helps.',
    wait: 'blocked',
    progress: true,
  },
  DnsNotAsked: {
    is: 'the cluster DNS is being checked before the node is taken out; or now that n1 is back',
    cause: 'A check of DNS is under way.',
    cure: 'Wait. After 30 s, or 80 s with relays for a node that is back, the roll continues without it.',
    wait: 'blocked',
    progress: true,
  },
  DnsNotReady: {
    is: 'no endpoint of the cluster DNS is Ready; a pod on n1 gets no answer from the Service of DNS; or DNS is unhealthy: …',
    cause: 'CoreDNS, kube-proxy or the network of n1 is at fault.',
    cure: '`kubectl -n kube-system get pods -l k8s-app=kube-dns`; `evenkeel dns check` shows more.',
    wait: 'blocked',
  },
  SettledOnce: {
    is: 'settled 1 of 3 times in a row',
    cause: 'One check is not enough: see `settle.timesInARow`.',
    cure: 'Wait.',
    wait: 'blocked',
    progress: true,
  },
  NotUpYet: {
    is: 'web/n1 on lb-1 is drain, its check failing (L4CON)',
    cause: 'The check of HAProxy must pass `rise` times. The message shows its last result in brackets.',
    cure: 'Wait. If it lasts, find out why the check fails: the result in brackets is a hint.',
    wait: 'blocked',
    progress: true,
  },
  Soaking: {
    is: 'traffic is watched for the soak time',
    cause: 'The node is back in service, and the run waits for `soak`.',
    cure: 'Wait.',
    wait: 'blocked',
    progress: true,
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
