/** What DNS of a cluster may be ill of, one entry each: the page docs/dns-causes.md is made from this. */
export interface Cause {
  /** Of the decision table; those without one were added to it. */
  readonly row?: number
  /** `observed`: what was seen is well, and is indirect evidence alone. */
  readonly verdict: 'ok' | 'observed' | 'degraded' | 'bad' | 'unverified'
  /** What is the case, for a line of a table. */
  readonly is: string
  readonly cause: string
  readonly cure: string
  /** What `--repair` may do about it. */
  readonly repair: 'restartPod' | 'none'
}

export const CAUSES = {
  Healthy: {
    row: 1,
    verdict: 'ok',
    is: 'every pod and the Service answer over UDP, rightly',
    cause: 'Nothing is wrong.',
    cure: 'Nothing is to be done.',
    repair: 'none',
  },
  UdpDead: {
    row: 2,
    verdict: 'bad',
    is: 'the pod answers over TCP and not over UDP',
    cause:
      'Its UDP socket is stuck, or a rule of the pod or of its node drops UDP to it. Its health port is TCP, so kubelet sees nothing.',
    cure: 'Replace the pod. If its successor on the same node is ill as well, look at packet filters of the node.',
    repair: 'restartPod',
  },
  PodNetworkDead: {
    row: 3,
    verdict: 'bad',
    is: 'the pod is silent over UDP and TCP, and its node is Ready',
    cause:
      'The pod has lost its network (its interface, its routes, a NetworkPolicy), or its process hangs: kubelet asks it on its node and may not see it.',
    cure: 'Look at the pod’s NetworkPolicies and interface, then replace the pod.',
    repair: 'restartPod',
  },
  NodeNetworkDead: {
    row: 4,
    verdict: 'bad',
    is: 'the pod is silent, and so are other pods of its node',
    cause: 'The node’s pod network is broken: its CNI agent, its overlay, its routes.',
    cure: 'Cordon the node, move the pod to another one, and repair the node’s network: evenkeel roll --nodes.',
    repair: 'none',
  },
  ProcessHung: {
    row: 5,
    verdict: 'bad',
    is: 'the pod does not answer on its own loopback',
    cause: 'The process of CoreDNS hangs or is being started over and over.',
    cure: 'Look at the log and the last state of its container, then replace the pod.',
    repair: 'restartPod',
  },
  NodeDown: {
    row: 6,
    verdict: 'degraded',
    is: 'the pod is silent, and its node is not Ready',
    cause: 'The node is down. Kubernetes takes the pod’s endpoint away and makes another pod in time.',
    cure: 'Bring the node back, or delete it. Deleting the pod would not end before that.',
    repair: 'none',
  },
  DataStale: {
    row: 7,
    verdict: 'bad',
    is: 'the pod answers wrongly where others answer rightly',
    cause: 'Its watch of the API is dead: it answers from what it knew, or has never listed.',
    cure: 'Replace the pod.',
    repair: 'restartPod',
  },
  DataStaleEverywhere: {
    row: 8,
    verdict: 'bad',
    is: 'every pod answers wrongly',
    cause: 'CoreDNS cannot read the API: it is away, or the rights of CoreDNS were taken.',
    cure: 'Repair the API server, or the ClusterRole of CoreDNS. A restart would make it worse: what runs still answers from its memory.',
    repair: 'none',
  },
  UpstreamOfOne: {
    row: 9,
    verdict: 'degraded',
    is: 'names outside fail at this pod alone',
    cause: 'The way from its node to the servers that it forwards to is cut or limited (packets a second, conntrack).',
    cure: 'Look at the node’s limits and routes; moving the pod to another node helps.',
    repair: 'none',
  },
  UpstreamDown: {
    row: 10,
    verdict: 'degraded',
    is: 'names outside fail at every pod',
    cause: 'The servers that CoreDNS forwards to are down, or no pod reaches them.',
    cure: 'Look at those servers: `forward` in the Corefile.',
    repair: 'none',
  },
  VantageCutOff: {
    row: 11,
    verdict: 'unverified',
    is: 'from there nothing is reached, DNS or other',
    cause: 'The place that asked is itself cut off, by its node’s network or a NetworkPolicy.',
    cure: 'Look at that node. What was asked from there says nothing of DNS.',
    repair: 'none',
  },
  CrossNodeUdp: {
    row: 12,
    verdict: 'bad',
    is: 'UDP arrives within a node and not between nodes; TCP does',
    cause: 'The overlay drops UDP: checksum offload of the interface, a firewall between nodes, the MTU.',
    cure: 'Try: ethtool -K <interface of the overlay> tx-checksum-ip-generic off. Look at firewalls between nodes.',
    repair: 'none',
  },
  ProxyStale: {
    row: 13,
    verdict: 'bad',
    is: 'pods answer, the Service’s address is silent from this place alone',
    cause: 'kube-proxy’s rules there are missing or old, or connection tracking still leads to a pod that is gone.',
    cure: 'Restart kube-proxy on that node. If only queries from one port fail: conntrack -D -p udp --orig-dst <cluster IP>.',
    repair: 'none',
  },
  NoEndpointsProgrammed: {
    row: 14,
    verdict: 'bad',
    is: 'pods answer, the Service’s address refuses',
    cause:
      'For kube-proxy the Service has no endpoint: its EndpointSlices are empty, or kube-proxy has not heard of them.',
    cure: 'Look at the readiness of the pods and at the Service’s selector; if there are endpoints, restart kube-proxy there.',
    repair: 'none',
  },
  ReplyFromElsewhere: {
    row: 15,
    verdict: 'bad',
    is: 'replies of the Service’s address come from another address',
    cause: 'The way back is not translated: bridged traffic passes by the packet filter.',
    cure: 'On that node: sysctl net.bridge.bridge-nf-call-iptables=1 (module br_netfilter).',
    repair: 'none',
  },
  ServiceWrong: {
    row: 16,
    verdict: 'bad',
    is: 'pods answer, the Service’s address does not, from anywhere',
    cause: 'The Service is at fault: no UDP port, a selector that picks no pod, or another address than clients ask.',
    cure: 'Compare the Service with the labels and ports of the pods.',
    repair: 'none',
  },
  DeadEndpointKept: {
    row: 17,
    verdict: 'degraded',
    is: 'all pods answer, the Service’s address loses a part',
    cause: 'kube-proxy still leads to a pod that is gone.',
    cure: 'Restart kube-proxy on that node.',
    repair: 'none',
  },
  CacheMasks: {
    row: 18,
    verdict: 'degraded',
    is: 'a node’s cache answers and hides that pods are ill',
    cause: 'NodeLocal DNSCache answers on the Service’s address: what it says is the cache’s.',
    cure: 'Go by what is said of the pods.',
    repair: 'none',
  },
  CacheDead: {
    row: 19,
    verdict: 'bad',
    is: 'the node’s cache is silent, the Service behind it answers',
    cause: 'NodeLocal DNSCache of that node is dead; its pods have no DNS.',
    cure: 'Restart the cache’s pod on that node.',
    repair: 'none',
  },
  TcpDead: {
    row: 20,
    verdict: 'degraded',
    is: 'the pod answers over UDP and not over TCP',
    cause: 'Its TCP side is stuck. Answers that are too long for UDP fail, and NodeLocal caches ask over TCP.',
    cure: 'Replace the pod; if the next one is ill as well, look at packet filters.',
    repair: 'restartPod',
  },
  NotReady: {
    row: 21,
    verdict: 'degraded',
    is: 'the pod answers rightly and is not Ready',
    cause: 'Its readiness check fails for another reason than DNS.',
    cure: 'Ask its /ready, which lists the plugins that are not.',
    repair: 'none',
  },
  UdpDropped: {
    row: 22,
    verdict: 'bad',
    is: 'no pod answers over UDP, all do over TCP',
    cause: 'A policy, a security group or a firewall drops UDP to the port of DNS.',
    cure: 'Look for it; restarting pods does nothing.',
    repair: 'none',
  },
  OnlyPodDead: {
    row: 23,
    verdict: 'bad',
    is: 'the only pod is ill',
    cause: 'There is one replica, and it is ill.',
    cure: 'Scale up to two, see that the new one answers, then replace the old one.',
    repair: 'none',
  },
  EndpointMissing: {
    row: 24,
    verdict: 'degraded',
    is: 'the pod answers and is Ready, and no EndpointSlice has it',
    cause: 'Its labels do not fit the Service, or the controller of EndpointSlices is behind.',
    cure: 'Compare the labels of the pod with the Service’s selector.',
    repair: 'none',
  },
  NoLocalEndpoint: {
    verdict: 'bad',
    is: 'the Service leads to pods of the same node alone, and no pod of DNS serves on that node',
    cause:
      'Its internalTrafficPolicy is Local, and the node has no pod of DNS that is Ready. Pods of that node have no DNS.',
    cure: 'Run a pod of DNS on every node (a DaemonSet), or set internalTrafficPolicy to Cluster.',
    repair: 'none',
  },
  PodStarting: {
    verdict: 'ok',
    is: 'the pod starts: it is not Ready, and no client is led to it',
    cause: 'It was made, or its container was started again, within the last minute.',
    cure: 'Nothing is to be done. If it stays so, look at its log.',
    repair: 'none',
  },
  ServiceIll: {
    verdict: 'bad',
    is: 'the Service’s address leaves queries without an answer, and no pod of it could be asked',
    cause:
      'No pod of DNS is Ready: they are Pending, start, or end. Where the API lists none at all, DNS is managed elsewhere, and is down.',
    cure: 'Look at the pods that the Service selects, at their events and at the room on the nodes. Of a managed DNS, ask its provider.',
    repair: 'none',
  },
  ServiceAnswersWrong: {
    verdict: 'bad',
    is: 'the Service’s address answers wrongly, and the pods that were asked do not',
    cause: 'Another server answers there: an endpoint that is no pod of DNS, or a cache on the node.',
    cure: 'Compare the endpoints of the Service with its pods; look for a server that took its address on the node.',
    repair: 'none',
  },
  ServiceTcpDead: {
    verdict: 'degraded',
    is: 'the Service’s address answers over UDP and not over TCP',
    cause: 'kube-proxy’s rule for TCP is missing, or a policy drops TCP. Answers that are too long for UDP fail.',
    cure: 'Look at the TCP port of the Service, and at policies for TCP port 53.',
    repair: 'none',
  },
  CacheIll: {
    verdict: 'bad',
    is: 'the node’s cache answers wrongly, in part, or not over TCP, and the pods answer rightly',
    cause:
      'NodeLocal DNSCache of that node does not reach the Service behind it, which it asks over TCP, or is overloaded.',
    cure: 'Restart the cache’s pod on that node. If it is ill again, look at the way from that node to kube-dns-upstream over TCP.',
    repair: 'none',
  },
  AllPodsSilent: {
    verdict: 'bad',
    is: 'no pod answers, over UDP or TCP',
    cause: 'What all have in common: the network between here and them, a policy, the Corefile.',
    cure: 'Look at what changed for all of them. Restarting pods does nothing.',
    repair: 'none',
  },
  Loses: {
    verdict: 'degraded',
    is: 'a good part of the queries to the pod get no answer',
    cause: 'The pod or its node is overloaded, or packets are lost on the way.',
    cure: 'Look at CPU throttling of the pod, and at drops and conntrack of its node.',
    repair: 'none',
  },
  SeenFromSomePlaces: {
    verdict: 'degraded',
    is: 'the pod answers some places that ask and not others',
    cause: 'The way from those places to it is broken.',
    cure: 'Look at the nodes that do not reach it.',
    repair: 'none',
  },
  UdpUnseen: {
    verdict: 'unverified',
    is: 'the pod answers rightly over TCP on its own loopback; UDP was not seen',
    cause:
      'No place that was asked from reaches the pods. Port-forward does, and carries TCP alone. The pod’s own counters of UDP did not rise, or could not be read.',
    cure: 'Run the check from a node or a pod of the cluster, or while pods of the cluster ask for names.',
    repair: 'none',
  },
  UdpObserved: {
    verdict: 'observed',
    is: 'the pod answers rightly over TCP on its own loopback, and answered queries of others over UDP',
    cause:
      'CoreDNS counts the queries that it gets over UDP and the answers that it sends, and both rose during the check. Whether the answers arrived was not seen, and the address of the Service was not asked.',
    cure: 'Nothing is to be done. To have UDP itself asked, run the check from a node or a pod of the cluster.',
    repair: 'none',
  },
  UdpSuspect: {
    verdict: 'degraded',
    is: 'the pod answers over TCP on its own loopback, and answered no query over UDP while other pods answered many',
    cause:
      'Queries over UDP do not reach the pod, or its UDP socket is stuck. It may also be that few clients ask, and each keeps its port, so that all of their queries go to other pods.',
    cure: 'Run the check from a node or a pod of the cluster, which asks the pod over UDP and tells the two apart.',
    repair: 'none',
  },
  HealthyFromOutside: {
    verdict: 'ok',
    is: 'the Service answers rightly over UDP where it is exposed, so often that each pod behind it was met',
    cause: 'Nothing is wrong. Pods and the cluster IP were not asked: they are not reached from here.',
    cure: 'Nothing is to be done.',
    repair: 'none',
  },
  ExposedUdpDead: {
    verdict: 'bad',
    is: 'where the Service is exposed it answers over TCP and not over UDP',
    cause: 'A firewall or a load balancer drops UDP, or no pod answers over UDP.',
    cure: 'Check from within the cluster (--relay), which tells pods from the way to them; then look at the firewall and the balancer.',
    repair: 'none',
  },
  ExposedLoses: {
    verdict: 'bad',
    is: 'where the Service is exposed it leaves a part of the queries without an answer',
    cause:
      'A pod behind it is dead over UDP, or kube-proxy still leads to a pod that is gone, or packets are lost on the way.',
    cure: 'Check from within the cluster (--relay), which names the pod.',
    repair: 'none',
  },
  ExposedWrong: {
    verdict: 'bad',
    is: 'where the Service is exposed it answers wrongly',
    cause: 'A pod behind it has old data, or another server than the cluster’s answers there.',
    cure: 'Check from within the cluster (--relay), which names the pod; compare the address with that of the Service.',
    repair: 'none',
  },
  NotAsked: {
    verdict: 'unverified',
    is: 'no place could ask it',
    cause: 'There is no place that reaches it, or the packet filter of that place does not let queries out.',
    cure: 'Run the check from a node or a pod of the cluster; look at the rules of the chain OUTPUT there.',
    repair: 'none',
  },
} as const satisfies Record<string, Cause>

export type CauseCode = keyof typeof CAUSES
