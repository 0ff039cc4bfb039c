import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../../src/ground/model/node.ts'
import { budgetNode } from '../../../../src/service/decide/budget/budget-node.ts'
import { aNode } from '../../../support/roll-world.ts'

const tainted = (key: string): Partial<Node> => ({ taints: [{ key, effect: 'NoSchedule' }] })

/** Marks of others on a node, and why it counts as out for them. */
const ROWS: readonly (readonly [mark: string, change: Partial<Node>, leaving: string | undefined])[] = [
  [
    'its kubelet shuts it down',
    { shuttingDown: true },
    'is leaving: its condition GracefulNodeShutdownInProgress is True',
  ],
  [
    'kured reboots it',
    { unschedulable: true, annotations: { 'weave.works/kured-reboot-in-progress': '2026-01-01T00:00:00Z' } },
    'is out because kured reboots it: it has the annotation weave.works/kured-reboot-in-progress',
  ],
  [
    'kured waits for its lock',
    { annotations: { 'weave.works/kured-reboot-in-progress': '2026-01-01T00:00:00Z' } },
    undefined,
  ],
  [
    'the Node Maintenance Operator has drained it',
    { unschedulable: true, ...tainted('medik8s.io/drain') },
    'is out because the Node Maintenance Operator maintains it: it has the taint medik8s.io/drain',
  ],
  [
    'OpenShift has changed its configuration, and people have cordoned it',
    { unschedulable: true, annotations: { 'machineconfiguration.openshift.io/state': 'Done' } },
    undefined,
  ],
  [
    'Karpenter removes it',
    tainted('karpenter.sh/disrupted'),
    'is to be removed: it is tainted with karpenter.sh/disrupted',
  ],
  [
    'AWS takes it for maintenance',
    tainted('aws-node-termination-handler/scheduled-maintenance'),
    'is to be removed: it is tainted with aws-node-termination-handler/scheduled-maintenance',
  ],
  ['the Cluster Autoscaler may remove it', tainted('DeletionCandidateOfClusterAutoscaler'), undefined],
  ['others have planned to maintain it', { plannedByOthers: true }, undefined],
  [
    'a run of Even Keel announces its work, which its record counts for',
    { announced: { Drained: 'run-1' } },
    undefined,
  ],
]

for (const [mark, change, leaving] of ROWS) {
  test(`the node budget ${leaving === undefined ? 'does not count' : 'counts'} a node where ${mark}`, () =>
    assert.equal(budgetNode(aNode('n1', change)).leaving, leaving))
}
