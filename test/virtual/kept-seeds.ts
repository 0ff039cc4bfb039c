/** Seeds of the swarm that once failed, each with what was wrong. Each night runs them all, and each commit a twelfth. */
export const KEPT_SEEDS: readonly string[] = [
  // People set a server to drain that was in maint before; the checker took that for a roll's.
  '5133',
  // A machine had two kinds of bad luck, and people reset it for the one that it had no more.
  '608',
  // A reload cut a request off that was the first over a connection to be kept.
  '324',
  // Requests failed in a soak, and the node was taken out again though it was the last of a backend.
  '659',
  // A roll ended while a node was cut off from the balancer, and no process waited for that to be over.
  '664',
  // The node that was taken out again for what failed in its soak was taken for a further one.
  '864',
  // After a long outage of the API a resumed process had no slot until traffic was green, and said nothing to a balancer
  // that had forgotten everything; it has its slot first now. The checker wanted what that process could not know, too.
  '709',
  // Two rolls of one node: a balancer that was read while the other had the slot was recorded as what was there before.
  '15215',
  // The clock was set back after the baseline, and what failed then counted as from before it.
  '15580',
  // A resumed process was shown an old list with the record of a node that was through, and rebooted it again.
  '15018',
  // A server was told between two passes to leave again, and the next went by what it had said before.
  '15790',
  // A balancer was reloaded while the reboot command was on its way, and forgot a server that people had in maint.
  '16580',
  // A reload closed a connection whose first request was on its way, and that connection was to carry no other.
  '12526',
  // A node was put back without a reboot while the pod of a DaemonSet that its drain had evicted was still leaving; the
  // next record had that DaemonSet as not Ready, and the proof after the reboot did not wait for it.
  '751191',
  // A resumed process knew nothing of its node while one list hung for half a minute, and did not answer a reload.
  '750490',
  // The same for a node whose reboot was not announced yet.
  '750698',
  // A node was taken out and not yet rebooted, a reload put it back in, and people set the other server to maint. Once the slot
  // was renewed again, the re-assertion took the last usable server: it asked for no other one before the reboot was announced.
  '740219',
  // An agent had been killed before the roll asked its node to leave, and the checker took that for being kept out.
  '1002058',
  // The same after another machine had died and come back.
  '1002138',
  // The agent of the only other node answered again, and the node that served on was taken out before the balancer had noticed.
  '1002198',
  // People set every server of a backend to maint, and one of them ready again, which the roll put back to maint as it was before.
  '1002375',
  // People set a server ready that was drained, it was drained again, and its sessions were cut at once: the idle limit
  // still ran from the first drain.
  '1002162',
  // A pod closed its idle connections at the end of its grace and still answered a slow request, so that it was deleted
  // three seconds later; the checker looked for its deletion alone.
  '1002041',
  // A Node was deleted while it was drained and registered again without its cordon. A pod that the scheduler then placed
  // there was taken for one that its controller had put back, and went down with the machine.
  '1002149',
  // A Node was deleted in its soak and registered again while no process lived. The next process found no record on it and
  // rebooted it once more; it takes the record from the journal now.
  '1002188',
  // People set a server ready that was in maint before the roll, while an eviction was on its way; the checker excused a
  // reload alone.
  '1030199',
  // People deleted the slot, and a second roll of the same node took it: each of the two waited for the other without end.
  '1002116',
  // A drained Node registered again without our taint, and the pod that its DaemonSet put there went down with the machine.
  '1000648',
  // A resumed process took a node for unproven that the one before it had proven and put back, and the last server went.
  '33964838',
  // Requests were lost under one roll, and the checker had another one answer for them.
  '33964816',
  // A record could not be taken off while the API refused the token, requests failed, and the node was taken out again. Its
  // journal said that it was through, and the run could not be taken up.
  '148730298',
  // A reload put a server back in right before its sessions were cut.
  '1010050',
  // The agent of the last node that served was killed, and the roll asked that node to leave before its balancers had noticed.
  '2000072',
  // People had a server in maint on a balancer that the roll knows by agents alone, where it cannot see that.
  '2000518',
  // A watch broke off at the very event with which it was opened, and the world itself failed.
  '2000919',
  // The journal of a roll was lost, and the checker wanted its slot used before it was stale.
  '2001007',
  // Requests were answered badly while the prober could reach nothing; the checker wanted the roll to know.
  '2001032',
  '2002051',
  // People deleted the slot, and the API refused with a conflict that it was made anew: it was given up for good.
  '2001081',
  // A resumed process said again what a reload forgot while it waited for traffic to be green, and the checker took that for
  // the beginning of its work.
  '2002793',
  // People deleted a Node while the reboot command was on its way, and with it the announcement.
  '2002959',
  // A machine without power had just come back when its node was recorded, and nothing was asked of its DaemonSet after the
  // reboot that it could not do then; the checker asked for it.
  '2003072',
  '2003203',
  // A server on its way back from maint went by drain, and the checker took that for being taken out.
  '81119574',
  // People set a server ready that was in maint before the roll, on a node that was just being rebooted.
  '3000510',
  // A new process took an agent that served when it was first asked for one that its balancers used already.
  '3000477',
  // A machine had booted with one kind of bad luck and was given another after that; people healed the other alone.
  '3000405',
  // A request of eight seconds was with the process of HAProxy that a reload had replaced, which no roll can ask; the checker
  // asked for it all the same.
  '216956216',
  // Six connections that had died with a machine failed one request each, none of them the roll's own; the checker wanted it
  // to have stopped for them.
  '125186900',
  // A resumed process went by a list that was older than its own read of the node: it took servers out by a record that was
  // no more, and nothing put them back.
  '6000134',
  // Requests failed for five seconds while the journal and a balancer were slow, and servers were told to leave all the same.
  '6001092',
  // The record of a node that its process took out again had gone with the Node, and the checker took it for a further node.
  '6000635',
  // A node was cordoned through a slow API, and the agent of the other one died on the way: the checker blamed the roll.
  '228790801',
  // A Node was deleted and its roll aborted, and the agent of its machine kept the request of that roll. People set the server
  // ready on a balancer that has no runtime API, in place of withdrawing the request; the end of the roll did not name the node.
  '6001070',
  // A journal was lost while its run had the slot and nothing on a node yet; people rolled again and gave that up before the
  // slot was stale, and the checker wanted it released all the same.
  '6002436',
  // A server was down when its node was told to leave. It came up, the node was kept out, and the checker took it for another one.
  '7001066',
  // A drain was given up and begun anew. A pod that its DaemonSet had put back between the two was taken for one that returns in
  // spite of the taint, and went down with the machine.
  '7001601',
  // A balancer took 1.5 s for the command that takes a server out, and requests failed meanwhile: the checker went by its end.
  '7002154',
  // A process died right after it took the slot, and was resumed to abort while the API was slow: the slot was asked for once,
  // and stayed held.
  '8000972',
  // A process died after it had put a node back and before it was through. The next one set its servers to drain again while
  // requests failed, and waited for green traffic; the checker took that for the beginning of its work.
  '28943691',
  // A node was taken out while the other server of a backend was up and had failed its last check; it went down half a second
  // later.
  '2636554',
  // People restarted a machine that served requests though it was not Ready, and the checker blamed the roll for what that cut.
  '2637610',
  // The other one of two nodes lost its power and came up without its network, and the checker blamed the roll for what was lost
  // until people restarted it.
  '2638485',
  // A Node was deleted while it was out, and its agent kept the request of the roll. The roll began the node again, took it for one
  // that was out before, and held for it at the next node, and no process withdrew the request before the roll was over.
  '2639857',
  // Requests failed while the journal was slow to write that a node is through. Its record was off it then, and the pass that was
  // to give the slot back left it to the keep-out duty, which had nothing to say: one pass followed the other, and no time passed.
  '1000033',
  // A node was begun 200 ms after a reload: the first check of the only other server met a pod that was leaving, and took it out.
  '9001583',
  // A balancer that was to be asked hung and was reloaded: a pod was evicted by what it had said 1.7 s before.
  '71696',
  // People had set a server to maint and then to ready while its node was begun. It was put back to maint with a request under
  // way, which left a connection in its pool; the machine went down, and people set the server to ready again.
  '119551257',
  // All watches fell silent in a drain, and the Node was registered again without its cordon. The pods were listed anew before
  // the Nodes were, and one was evicted from the new Node.
  '78545861',
  // The disk was full when a node was through, so that the journal did not say so. The next process took the node for one that had been
  // registered anew and took it out until its proof, and the checker blamed the roll for what was lost before traffic was green.
  '156806835',
  // A pod needed a node of its own, and people kept one cordoned that might take it: the roll rightly waited for them, and for ever.
  '3000042',
  // A machine lost its power while the registry was away, and its pods came back later than the checker excused.
  '3000976',
  // The answers to evictions were lost, and the pods left: the drain did not wait for their replacements before the reboot.
  '3001098',
  // A member of etcd was away past the end, and people cordoned the only node that a pod could come back to: neither is the roll's.
  '3001135',
  '3001191',
  // A roll announced a reboot, waited for a balancer that had gone silent, and sent it while another member of etcd was away.
  '4000389',
  // A process was resumed right after an outage of the API server that the one before had seen: it evicted a pod to which a late
  // kube-proxy still sent.
  '4000639',
  // People took the only other member of etcd off its node for a while, as an upgrade does: the roll took its own for the only one.
  '4001095',
  // People had taken the member of etcd off the node that was rebooted, and off another one: the first came back with the command.
  '4200004',
  // A roll was aborted before it touched a node, while people had a server at weight 0: the checker took that for the roll's.
  '5000209',
  // The Node of a rebooted node was deleted in its soak and registered anew while no process ran: the next one rebooted it again.
  '5101967',
  // A node whose reboot command had got lost registered anew with no process running: the one that resumed began and ended it for ever.
  '6001076',
  // The file of a static pod of etcd came back while the API server was away: the embedded kubelet never showed that pod again.
  '6400642',
  // A balancer was reloaded right after a server was set out: the checker did not wait for the first check of another server.
  '6400716',
  // People took the weight of the other server while a slow balancer had the command under way: the checker took that for seen.
  '6401111',
  // Pods found no node but the one that was announced; a person uncordoned the other one right before the reboot was sent.
  '6802859',
  // People took the member of etcd off a node a tenth of a second before its servers were attached: the checker took it for never back.
  '7000913',
  // A Node was registered anew while its node was put back: its agent kept the claim, which no later process withdrew.
  '2026120200058',
  // A Job's pod had just come when the roll ended: the checker took it for one that the roll had not brought back.
  '1000200008',
]

/**
 * Seeds of `npm run ingress` that once failed, and why: 739 of an object that was let go while its slots could not be read, one of which stayed held. 2407
 * and 2412 of a node that began while another one was cordoned, which its agent had taken out already. 7583 of a node that came back
 * while the API server was away, so that its agent did not find the new pods, while the next node left. 159 of a node that was uncordoned
 * before its detacher had answered, and got the pods of a newer revision as if it were out. 30051 of a slot that was not given back for a
 * minute, since the budget could not be read in the pass that would have. 30488 of a node that was cordoned while its detacher had not
 * attached it yet: that one never saw that it was asked anew, and gave no other answer. 700047 of an operation that a person removed while
 * the node was on its way back: its slot was given to the next node before the balancer sent to this one again. 3500040 of a node whose claim a
 * person withdrew while the API server was away: its agent heard of that ten seconds after the controller, which took the other node out.
 */
export const KEPT_ROLLOUTS: readonly string[] = [
  '739',
  '2407',
  '2412',
  '7583',
  '159',
  '30051',
  '30488',
  '700047',
  '3500040',
]

/**
 * Seeds of `npm run swarm -- --polite` that once failed, and why: 2000396 of a pod that had its labels back beside its replacement, which
 * streams that had gone silent did not show. 2000991 of a node that was uncordoned before its pod was shown as let go. 2001490 of one that
 * waited for ever for a change of its pod that its stream had lost. 2001517 of a pod that was written to twice, while its stream showed it as
 * it was before both: the roll ended without it. 2000229 of a server that people had drained, to which cookies still sent at the reboot.
 * 1254483774 of a world in which no replacement ever finds room: it drew a pod for each node.
 */
export const KEPT_POLITE: readonly string[] = ['2000396', '2000991', '2001490', '2001517', '2000229', '1254483774']

/**
 * Seeds of `npm run swarm -- --files` that once failed, and why: 4000141 of a node with a server that was out before, whose hooks before the
 * node did not run. 4000153 of a node that was out since a process that had undone its hooks: the next one rebooted it without. 4000251 of an
 * outage of the API server whose end no process saw: each that was resumed waited for it anew. 4000558 of a slot
 * whose Lease people deleted: another lane of the same roll took it, and the lane that had it waited for ever. 4000774 of
 * a server with cookies whose pool was emptied once alone: a request under way outlived that, and left a dead connection there. 5300030
 * and 5300052 of a reboot command that got lost, with a returnLimit before resendAfter: it was never sent again, and no resume helped.
 * 6300010 of a hook that a process undid while its journal failed: the next one took it for run, and rebooted the node without it.
 * 8000019 of an abandoned slot with a blockedLimit as long as its Lease: each process gave up before it could be known as abandoned.
 * 2026120100008 of a list from before the last record was taken off: the lock of kured was kept for a node that served again.
 * 2026120100698 of a hook that was undone at the end of a run, while the next run had set the same for its reboot.
 */
export const KEPT_FILES: readonly string[] = [
  '4000774',
  '4000141',
  '4000153',
  '4000251',
  '4000558',
  '5300030',
  '5300052',
  '6300010',
  '8000019',
  '2026120100008',
  '2026120100698',
]
