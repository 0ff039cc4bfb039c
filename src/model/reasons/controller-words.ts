import type { ReasonEntry } from './reason-entry.ts'

/** What the fleet brake and the leader's Lease say. */
export const CONTROLLER_WORDS = {
  CordonsGranted: {
    is: 'every node that is cordoned may be out',
    cause: 'All is well.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  CordonNotGranted: {
    is: 'as many nodes are out as may be: this one is cordoned and serves on',
    cause: 'The limit of `--max-cordoned-out` is reached. An event of the Node and the agent of the node say so, too.',
    cure: 'Uncordon another node, or raise `--max-cordoned-out`. The cordon is granted by itself once another node comes back.',
    wait: 'none',
  },
  FleetJustSeen: {
    is: 'this process does not know yet which nodes came back a moment ago, so it grants no further cordon for now',
    cause: 'It has looked for less than `--return-delay`.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  NodesUnknown: {
    is: 'the nodes are not known: nothing is published',
    cause: 'They were not listed yet, or cannot be followed.',
    cure: 'Look whether the API server answers, and at the right to list and watch nodes.',
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
    cause: 'An object of the API server is not a Node as Kubernetes has it.',
    cure: 'Look at `kubectl get node n1 -o yaml`.',
    wait: 'none',
  },
  GrantsAbsent: {
    is: 'nothing says yet which cordons are granted: it is published',
    cause: 'The ConfigMap evenkeel-cordon-grants is not there.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  GrantsUnreadable: {
    is: 'the ConfigMap of the granted cordons is malformed: it is published anew',
    cause: 'Another program or a person wrote to it.',
    cure: 'Find out who writes to `evenkeel-cordon-grants`.',
    wait: 'none',
  },
  GrantsOfAnother: {
    is: 'the grants were written by another leader: they are written once more',
    cause: 'The leader has changed. What the former one may still send is void then.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  GrantsChange: {
    is: 'cordons are granted, or a grant is taken back',
    cause: 'A node was cordoned or uncordoned, or came back.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  FewerWait: {
    is: 'fewer nodes wait for their cordon to be granted',
    cause: 'A node was uncordoned, or its cordon was granted.',
    cure: 'Nothing is to be done.',
    wait: 'none',
  },
  LeadershipLapsed: {
    is: 'the Lease could not be renewed in time: the process ends with exit code 1',
    cause: 'The API server did not answer, or refused.',
    cure: 'Look whether the API server answers, and at the right to update the Lease.',
    wait: 'none',
  },
  LeadershipLost: {
    is: 'the Lease has another holder, or was deleted: the process ends with exit code 1',
    cause: 'Another replica leads.',
    cure: 'Nothing is to be done, unless a person changes the Lease by hand.',
    wait: 'none',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
