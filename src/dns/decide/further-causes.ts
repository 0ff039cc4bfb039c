import type { Cause } from './cause.ts'

/** Findings without a row in the decision table. */
export const FURTHER_CAUSES = {
  NoLocalEndpoint: {
    verdict: 'bad',
    is: 'the Service sends only to pods of the same node, and no DNS pod serves on that node',
    cause: 'Its internalTrafficPolicy is Local, and the node has no Ready DNS pod. Pods of that node have no DNS.',
    cure: 'Run a DNS pod on every node (a DaemonSet), or set internalTrafficPolicy to Cluster.',
    repair: 'none',
  },
  NoPods: {
    verdict: 'bad',
    is: 'the selector of the Service picks no pod',
    cause:
      'The workload of DNS has 0 replicas, or its pods cannot be created (a quota, an admission webhook). Or its pods have labels that the selector does not match.',
    cure: 'Look at the Deployment or DaemonSet of DNS: its replicas, its Events, and the labels of its pods.',
    repair: 'none',
  },
  NotRunning: {
    verdict: 'degraded',
    is: 'the container of the pod does not run',
    cause:
      'It ends each time that it starts (an error in the Corefile, a loop, too little memory), or it cannot start.',
    cure: 'Read the log of its last run: kubectl logs --previous. Compare the Corefile with that of pods that run.',
    repair: 'none',
  },
  PodStarting: {
    verdict: 'ok',
    is: 'the pod is starting: it is not Ready, so clients send it no queries',
    cause: 'It was created, or its container restarted, within the last minute.',
    cure: 'Nothing to do. If the pod does not become Ready, look at its log.',
    repair: 'none',
  },
  ServiceIll: {
    verdict: 'bad',
    is: 'the Service’s address does not answer some queries, and none of its pods could be queried',
    cause:
      'No DNS pod is Ready: they are Pending, starting or terminating. If the API lists none, DNS is managed outside the cluster, and is down.',
    cure: 'Check the pods that the Service selects, their events and the free capacity of the nodes. For a managed DNS, ask its provider.',
    repair: 'none',
  },
  ServiceAnswersWrong: {
    verdict: 'bad',
    is: 'the Service’s address gives wrong answers, but the queried pods do not',
    cause: 'Another server answers there: an endpoint that is not a DNS pod, or a cache on the node.',
    cure: 'Compare the endpoints of the Service with its pods. Look for another server on the node that uses the address of the Service.',
    repair: 'none',
  },
  ServiceTcpDead: {
    verdict: 'degraded',
    is: 'the Service’s address answers over UDP but not over TCP',
    cause: 'The TCP rule of kube-proxy is missing, or a policy drops TCP. Answers that are too long for UDP fail.',
    cure: 'Check the TCP port of the Service, and the policies for TCP port 53.',
    repair: 'none',
  },
  CacheIll: {
    verdict: 'bad',
    is: 'the node’s cache gives wrong answers, answers only some queries, or does not answer over TCP, but the pods answer correctly',
    cause:
      'NodeLocal DNSCache on that node is overloaded, or does not reach the Service behind it, which it queries over TCP.',
    cure: 'Restart the cache’s pod on that node. If it is unhealthy again, check the TCP connection from that node to kube-dns-upstream.',
    repair: 'none',
  },
  AllPodsSilent: {
    verdict: 'bad',
    is: 'no pod answers, over UDP or TCP',
    cause: 'Something that all pods share: the network between here and them, a policy, the Corefile.',
    cure: 'Find out what changed for all pods. Restarting them does not help.',
    repair: 'none',
  },
  Loses: {
    verdict: 'degraded',
    is: 'many of the queries to the pod get no answer',
    cause:
      'The pod or its node is overloaded, or packets are lost on the way. If a node drops the packets, a new pod there would be the same.',
    cure: 'Check the pod for CPU throttling, and its node for dropped packets and a full conntrack table.',
    repair: 'none',
  },
  LosesOnTheWay: {
    verdict: 'degraded',
    is: 'many of the queries from these places get no answer, and no pod is the cause',
    cause:
      'If no pod is named, these places lose queries to every pod: their nodes or the network drop packets, or all pods are overloaded. If a pod is named, other places reach it without such losses: packets are lost between these places and the node of the pod.',
    cure: 'Check the nodes of these places for dropped packets and a full conntrack table, and the network between them and the pods. If all places lose queries, check all pods for CPU throttling.',
    repair: 'none',
  },
  AnswersLate: {
    verdict: 'degraded',
    is: 'the pod answers, but later than a query waits',
    cause: 'The pod or its node is overloaded (CPU limits, many queries). Clients wait, and many give up.',
    cure: 'Check the pod for CPU throttling, and the load of its node. More pods share the queries.',
    repair: 'none',
  },
  Slow: {
    verdict: 'degraded',
    is: 'half of the answers of the pod take half a second or more',
    cause: 'The pod or its node is overloaded, or the way to it is slow.',
    cure: 'Check the pod for CPU throttling, and the load of its node. If the place of the check is far away, run the check from a node or a pod of the cluster.',
    repair: 'none',
  },
  ReplyUnmatched: {
    verdict: 'bad',
    is: 'replies come from the queried address, but match no query',
    cause:
      'Something on the way changes the ids or the questions, or mixes up the packets of several clients. Or the program that listens there is no DNS server.',
    cure: 'Capture the packets of port 53 on the node of the pod, and compare their ids with those at the place of the check.',
    repair: 'none',
  },
  SeenFromSomePlaces: {
    verdict: 'degraded',
    is: 'pods answer some places correctly, and others not at all or wrongly',
    cause:
      'No answers: the network from those places to the pod is broken. Wrong answers: the Corefile treats those places otherwise (REFUSED of plugin acl, or a view), or another server answers in between.',
    cure: 'Check the nodes that do not reach the pod. For wrong answers, compare the addresses of those places with the Corefile.',
    repair: 'none',
  },
  AddressSilent: {
    verdict: 'degraded',
    is: 'the pod answers at one of its addresses and at another one from no place',
    cause:
      'The pod network of one family (IPv4 or IPv6) is broken, or CoreDNS listens at one family alone (plugin bind).',
    cure: 'Check the routes and policies of that family, and `bind` in the Corefile.',
    repair: 'none',
  },
  PlaceRefused: {
    verdict: 'unverified',
    is: 'pods refuse this place, or answer it otherwise than other places',
    cause:
      'The Corefile refuses the addresses of this place (plugin acl, or a view), or has no server block for the zone. Or another server answers in between.',
    cure: 'Run the check from pods of the cluster as well (--relay). If they get correct answers, nothing is wrong with the pods. If they are refused too, check plugin acl and the zones of the Corefile.',
    repair: 'none',
  },
  UdpUnseen: {
    verdict: 'unverified',
    is: 'the pod answers correctly over TCP on its own loopback; nothing is known about UDP',
    cause:
      'No place reaches the pods directly. Port-forward reaches them, but carries only TCP. The UDP counters of the pod did not rise, or could not be read.',
    cure: 'Run the check from a node or a pod of the cluster, or while pods of the cluster send queries.',
    repair: 'none',
  },
  UdpObserved: {
    verdict: 'observed',
    is: 'the pod answers correctly over TCP on its own loopback, and answered queries of other clients over UDP',
    cause:
      'CoreDNS counts the queries that it gets over UDP and the answers that it sends, and both counts rose during the check. The check did not see whether the answers arrived, and did not query the address of the Service.',
    cure: 'Nothing to do. To check UDP itself, run the check from a node or a pod of the cluster.',
    repair: 'none',
  },
  UdpSuspect: {
    verdict: 'degraded',
    is: 'the pod answers over TCP on its own loopback, but answered no query over UDP while other pods answered many',
    cause:
      'UDP queries do not reach the pod, or its UDP socket is stuck. Or there are only a few clients, and each sends from one port. Then all queries of a client go to the same pod, and this pod may get none.',
    cure: 'Run the check from a node or a pod of the cluster. It queries the pod over UDP, and so shows the cause.',
    repair: 'none',
  },
  HealthyFromOutside: {
    verdict: 'ok',
    is: 'the Service answers correctly over UDP where it is exposed, and so few queries were lost that each pod behind it answers',
    cause: 'Nothing is wrong. Pods and the cluster IP were not queried, because they cannot be reached from here.',
    cure: 'Nothing to do.',
    repair: 'none',
  },
  ExposedUdpDead: {
    verdict: 'bad',
    is: 'where the Service is exposed, it answers over TCP but not over UDP',
    cause: 'A firewall or a load balancer drops UDP, or no pod answers over UDP.',
    cure: 'Run the check from within the cluster (--relay). It queries the pods directly. If they answer, check the firewall and the load balancer.',
    repair: 'none',
  },
  ExposedLoses: {
    verdict: 'bad',
    is: 'where the Service is exposed, it does not answer some queries',
    cause:
      'A pod behind it is dead over UDP, kube-proxy still sends to a pod that is gone, or packets are lost on the way.',
    cure: 'Run the check from within the cluster (--relay), which names the pod.',
    repair: 'none',
  },
  ExposedWrong: {
    verdict: 'bad',
    is: 'where the Service is exposed, it gives wrong answers',
    cause: 'A pod behind it has old data, or a server that does not belong to the cluster answers there.',
    cure: 'Run the check from within the cluster (--relay), which names the pod. Compare the address with that of the Service.',
    repair: 'none',
  },
  ZoneUnanswered: {
    verdict: 'unverified',
    is: 'the pod or the Service answers, but not what only the cluster’s zone knows',
    cause:
      'It serves another zone, and the servers that it forwards to are silent about this one. No Corefile that could be read names this zone. Or a Corefile that could not be read leaves out the names that were asked for.',
    cure: 'Name the zone with --zone, or let the check read the ConfigMap of CoreDNS.',
    repair: 'none',
  },
  NotAsked: {
    verdict: 'unverified',
    is: 'no query could be sent to it',
    cause:
      'The place has no route to it, as a machine outside of the cluster has none to pods and Services. Or the packet filter of the place rejects outgoing queries.',
    cure: 'Run the check from a node or a pod of the cluster, such as with --relay. From outside, a Service of type NodePort with the selector of the Service of DNS is a way in. On a node, `ip route get ADDRESS` shows whether there is a route; then check the rules of the chain OUTPUT.',
    repair: 'none',
  },
} as const satisfies Record<string, Cause>
