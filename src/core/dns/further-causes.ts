import type { Cause } from './cause.ts'

/** What the decision table has no row for. */
export const FURTHER_CAUSES = {
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
