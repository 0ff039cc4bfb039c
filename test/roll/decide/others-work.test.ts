import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { EXCLUDE_LABEL } from '../../../src/ground/model/node-reading.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { announced, out } from '../../support/roll-stages.ts'
import { aSnapshot, aWorkload, detachedEvidence } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const NOW = 1_700_000_000_000
const intent = { ...announced, evidence: { ...detachedEvidence(), intentByUs: true } }

const marked =
  (change: Partial<Node>) =>
  (s: NodeSnapshot): NodeSnapshot => ({
    ...s,
    current: { ...s.current, node: { ...s.current.node, ...change } },
  })
const kured = (nodeID: string, TTL = 0) =>
  aWorkload({
    kind: 'DaemonSet',
    namespace: 'kube-system',
    name: 'kured',
    rebootLock: JSON.stringify({ nodeID, created: new Date(NOW - 60_000).toISOString(), TTL }),
  })
const locked = (s: NodeSnapshot, TTL = 0): NodeSnapshot => ({
  ...s,
  wall: wallMs(NOW),
  cluster: { ...s.cluster, workloads: [...s.cluster.workloads, kured('n2', TTL)] },
})
const tainted = (key: string) => ({ taints: [{ key, effect: 'NoSchedule' }] })
const IN_PROGRESS = { 'weave.works/kured-reboot-in-progress': '2026-01-01T00:00:00Z' }
const FLATCAR = 'flatcar-linux-update.v1.flatcar-linux.net/reboot-in-progress'
const HARVESTER = 'harvesterhci.io/maintain-status'
const OPENSHIFT = 'machineconfiguration.openshift.io/state'

/** Other programs that are at work on the node, or on another one, as they say it themselves. */
const OTHERS_WORK: readonly (readonly [title: string, spoil: (s: NodeSnapshot) => NodeSnapshot, against: string])[] = [
  ['kured holds its lock for another node', (s) => locked(s), 'KuredLockHeld'],
  ['the lock of kured has run out', (s) => locked(s, 59e9), ''],
  ['kured says that it reboots the node', marked({ annotations: IN_PROGRESS }), 'NodeInOthersWork'],
  ['the agent of Flatcar reboots it', marked({ annotations: { [FLATCAR]: 'true' } }), 'NodeInOthersWork'],
  ['the agent of Flatcar reboots no node', marked({ annotations: { [FLATCAR]: 'false' } }), ''],
  ['Harvester maintains it', marked({ annotations: { [HARVESTER]: 'completed' } }), 'NodeInOthersWork'],
  ['OpenShift changes its configuration', marked({ annotations: { [OPENSHIFT]: 'Working' } }), 'NodeInOthersWork'],
  ['OpenShift has changed its configuration', marked({ annotations: { [OPENSHIFT]: 'Done' } }), ''],
  ['the Node Maintenance Operator has drained it', marked(tainted('medik8s.io/drain')), 'NodeInOthersWork'],
  ['the Cluster Autoscaler removes it', marked(tainted('ToBeDeletedByClusterAutoscaler')), 'NodeBeingRemoved'],
  ['the Cluster Autoscaler may remove it', marked(tainted('DeletionCandidateOfClusterAutoscaler')), ''],
  ['Karpenter removes it', marked(tainted('karpenter.sh/disrupted')), 'NodeBeingRemoved'],
  ['an older Karpenter removes it', marked(tainted('karpenter.sh/disruption')), 'NodeBeingRemoved'],
  ['AWS takes a spot machine back', marked(tainted('aws-node-termination-handler/spot-itn')), 'NodeBeingRemoved'],
  ['Google Cloud ends it', marked(tainted('cloud.google.com/impending-node-termination')), 'NodeBeingRemoved'],
  ['a taint has a name that every object has', marked(tainted('constructor')), ''],
  ['its cloud has announced its end', marked({ lifecycle: ['PreemptScheduled'] }), 'NodeInOthersWork'],
  ['its object is being deleted', marked({ deleting: true }), 'NodeBeingRemoved'],
  ['another program maintains it', marked({ lifecycle: ['MaintenanceInProgress'] }), 'NodeInOthersWork'],
  ['another program drains it', marked({ lifecycle: ['DrainInProgress'] }), 'NodeInOthersWork'],
  ['another program has drained it', marked({ lifecycle: ['Drained'] }), ''],
  ['its kubelet shuts it down', marked({ shuttingDown: true }), 'NodeInOthersWork'],
  ['it is removed, and in work', marked({ deleting: true, shuttingDown: true }), 'NodeBeingRemoved NodeInOthersWork'],
  ['it is kept out of external load balancers', marked({ labels: { [EXCLUDE_LABEL]: '' } }), ''],
]

for (const [title, spoil, against] of OTHERS_WORK) {
  const expected = (step: string, otherwise: string): string =>
    against === '' ? otherwise : `hold ${step}: ${against}`
  test(`before a node is begun: ${title}`, () =>
    assert.equal(shortDecision(decide(spoil(aSnapshot()))), expected('record', 'act record: writeRecord')))
  test(`before its reboot is announced: ${title}`, () =>
    assert.equal(shortDecision(decide(spoil(aSnapshot(out)))), expected('reboot', 'act reboot: writeIntent')))
  test(`once its reboot is announced it is waited for by none: ${title}`, () =>
    assert.equal(shortDecision(decide(spoil(aSnapshot(intent)))), 'act reboot: sendReboot'))
}
