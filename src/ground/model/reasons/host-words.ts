import type { ReasonEntry } from './reason-entry.ts'

/** Machines of the load balancers: what a roll waits for, and why it stops. */
export const HOST_WORDS = {
  HostSilent: {
    is: 'lb-1 does not answer: ssh lb-1: connect to host lb-1 port 22: No route to host',
    cause: 'A machine of the pair does not answer by ssh. Then it is not known which machine has the virtual address.',
    cure: 'Try `ssh lb-1` from the machine of the roll. Before the reboot is announced, the roll waits for `drain.blockedLimit`.',
    wait: 'blocked',
  },
  AddressOnNone: {
    is: '10.0.0.100 is on none of lb-1 and lb-2',
    cause: 'No machine of the pair has the virtual address: no traffic reaches the pair by it.',
    cure: 'Check keepalived on both machines. If this happens while the roll moves the address away, the machine that had the address takes it back after `moveLimit` at the latest.',
    wait: 'blocked',
  },
  AddressOnSeveral: {
    is: '10.0.0.100 is on lb-1 and lb-2 at the same time',
    cause: 'The machines of the pair do not hear each other (VRRP is filtered, or their configurations differ).',
    cure: 'Check that VRRP packets pass between the machines, and that `virtual_router_id` and authentication are the same.',
    wait: 'blocked',
  },
  PairDisagrees: {
    is: 'web/n1 on lb-1 is drain, and lb-2 says ready',
    cause:
      'The instances of the pair do not treat a server alike: another program works on a node, a command reached only one of the instances, or checks fail from one machine.',
    cure: 'Set the server to the same state on both, or repair the cause for which its check fails.',
    wait: 'blocked',
  },
  NodeStillOut: {
    is: 'n1 is out: no machine of a load balancer is rebooted until it is back',
    cause:
      'A roll works on the node, or ended and left the node out of service. If the machine of a load balancer is rebooted now, its balancer restarts and sends to the node again.',
    cure: 'Wait for that roll, or put the node back: `evenkeel explain n1`.',
    wait: 'blocked',
  },
  MoveFailed: {
    is: 'the command that moves the addresses of lb-1 failed: exit code 1: …',
    cause: 'The command `moveAway` or `moveBack` of the pair failed. It is run again every 5 s.',
    cure: 'Run the command by hand on the machine, as the same user.',
    wait: 'blocked',
  },
  AddressStillHere: {
    is: '10.0.0.100 is still on lb-1',
    cause: 'The command ended well, and the machine has not given the address away yet.',
    cure: 'Wait. After `moveLimit` the machine takes its addresses back, and the roll ends.',
    wait: 'in course',
  },
  HostConnectionsLeft: {
    is: '3 connections to lb-1 are left',
    cause:
      'Clients still have connections to a frontend of the balancer on this machine, or they were not counted yet.',
    cure: 'Wait. After `connectionsLimit` the roll goes on, and what is left is cut by the reboot.',
    wait: 'in course',
    progress: true,
  },
  HostRebooting: {
    is: 'lb-1 is rebooting; it has not answered with another boot id yet',
    cause: 'The reboot command was sent.',
    cure: 'Wait. `reboot.returnLimit` sets the limit.',
    wait: 'by law',
    progress: true,
  },
  ServerNotUp: {
    is: 'web/n1 on lb-1 is down: L4CON',
    cause: 'The balancer of the rebooted machine has not found this server healthy yet; on the other machine it is up.',
    cure: 'Wait for the checks. If they fail, compare the network of this machine with that of the other one.',
    wait: 'in course',
    progress: true,
  },
  AddressesNotMoved: {
    is: 'the addresses of lb-1 were not on another machine within the limit (10 s)',
    cause: 'The machine did not let go, or the other one did not take over. The machine has its addresses back.',
    cure: 'Check what the command changes: the weight of a track file must make the priority lower than that of the other machine. Then `evenkeel roll resume`.',
    wait: 'none',
  },
  HostDidNotReturn: {
    is: 'lb-1 did not come back with another boot id within the limit (15 min)',
    cause:
      'The machine is off or hangs, or the reboot did not reach it. The other machine of the pair has the traffic.',
    cure: 'Start the machine, then `evenkeel roll resume`.',
    wait: 'none',
  },
  HostNotSettled: {
    is: 'lb-1 is back, and its balancer was not as before within the limit (10 min)',
    cause:
      '`why` says which instance is silent, or which server is not up, or that a hook was not run because the journal cannot be written. The roll has not yet run the command by which the machine takes its addresses back.',
    cure: 'Repair the balancer on the machine, or make the journal writable, then `evenkeel roll resume`.',
    wait: 'none',
  },
  PairNotWhole: {
    is: 'lb-1 is to have its addresses again, and edge was not whole within the limit (5 min)',
    cause: '`why` says what is missing: a machine, an instance, or an address that is on none or on several machines.',
    cure: 'Repair the pair, then `evenkeel roll resume`. No other machine of a load balancer is rebooted before that.',
    wait: 'none',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>

const effect = (is: string): { readonly is: string; readonly cause: ''; readonly cure: ''; readonly wait: 'none' } => ({
  is,
  cause: '',
  cure: '',
  wait: 'none',
})

/** Why a step did something to a machine. */
export const HOST_EFFECTS = {
  HostNotRecorded: effect('what lb-1 was like is not recorded yet'),
  AddressesToMove: effect('10.0.0.100 is to be on another machine than lb-1'),
  HostIsOut: effect('the addresses of edge are on another machine, and no connection to lb-1 is left'),
  HostRebooted: effect('lb-1 has another boot id than before'),
  ServerStateLost: effect('web/n1 on lb-1 is ready, and is to be drain'),
  HostSettled: effect('lb-1 is as before, and may have 10.0.0.100 again'),
  HostBack: effect('lb-1 is back with another boot id, and edge is whole'),
} as const satisfies Readonly<Record<string, ReasonEntry>>
