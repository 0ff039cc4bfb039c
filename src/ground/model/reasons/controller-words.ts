import type { ReasonEntry } from './reason-entry.ts'

/** Reasons of the fleet brake and of the leader's Lease. */
export const CONTROLLER_WORDS = {
  CordonsGranted: {
    is: 'every cordoned node is allowed to be out',
    cause: 'All is well.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  CordonNotGranted: {
    is: 'the limit of nodes out by cordon is reached: 3 of 6 (this node is cordoned and still serves)',
    cause:
      'The limit of `--max-cordoned-out` is reached. An Event of the Node and the agent of the node report this too.',
    cure: 'Uncordon another node, or raise `--max-cordoned-out`. The controller grants the cordon by itself once another node is back.',
    wait: 'none',
  },
  FleetJustSeen: {
    is: 'this process has just started and does not know which nodes came back a moment ago, so it grants no further cordon for now',
    cause: 'The process has been running for less than `--return-delay`.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  NodesUnknown: {
    is: 'the nodes are not known: nothing is published',
    cause: 'The nodes were not listed yet, or the watch of nodes fails.',
    cure: 'Check whether the API server answers, and the right to list and watch nodes.',
    wait: 'none',
  },
  FleetEmpty: {
    is: 'no node is in the fleet: nothing is published',
    cause: '`--selector` selects no node.',
    cure: 'Compare `--selector` with `kubectl get nodes --show-labels`.',
    wait: 'none',
  },
  NodeUnreadable: {
    is: 'the API server shows a Node that is malformed: nothing is published',
    cause: 'An object that the API server sent is not a valid Node.',
    cure: 'Look at `kubectl get node n1 -o yaml`.',
    wait: 'none',
  },
  GrantsAbsent: {
    is: 'no grants of cordons are published yet: they are published now',
    cause: 'The ConfigMap evenkeel-cordon-grants does not exist.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  GrantsUnreadable: {
    is: 'the ConfigMap of the granted cordons is malformed: it is published again',
    cause: 'Another program or a person wrote to the ConfigMap.',
    cure: 'Find out who writes to `evenkeel-cordon-grants`.',
    wait: 'none',
  },
  GrantsOfAnother: {
    is: 'the grants were written by another leader: they are written once more',
    cause: 'The leader has changed. After this write, the API server refuses late writes of the former leader.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  GrantsChange: {
    is: 'cordons are granted, or a grant is taken back',
    cause: 'A node was cordoned or uncordoned, or came back.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  FewerWait: {
    is: 'fewer nodes wait for their cordon to be granted',
    cause: 'A node was uncordoned, or its cordon was granted.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  LeadershipLapsed: {
    is: 'the Lease could not be renewed in time: the process ends with exit code 1',
    cause: 'The API server did not answer, or refused.',
    cure: 'Check whether the API server answers, and the right to update the Lease.',
    wait: 'none',
  },
  LeadershipLost: {
    is: 'the Lease has another holder, or was deleted: the process ends with exit code 1',
    cause: 'Another replica leads.',
    cure: 'Nothing to do, unless a person changed the Lease.',
    wait: 'none',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
