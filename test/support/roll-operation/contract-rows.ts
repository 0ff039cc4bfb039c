import assert from 'node:assert/strict'
import type { OperationPlace } from './operation-place.ts'
import type { OperationRow } from './operation-row.ts'

const REMOVAL = 'ToBeDeletedByClusterAutoscaler'
const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers'
const LOCK = 'weave.works/kured-node-lock'
const HELD = JSON.stringify({ nodeID: 'node-of-kured', created: '2026-01-01T00:00:00Z', TTL: 0 })

/** A DaemonSet of that name without a pod: what a roll reads is its annotation. */
const KURED = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kured', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: { name: 'kured' } },
    template: {
      metadata: { labels: { name: 'kured' } },
      spec: { nodeSelector: { nowhere: 'at-all' }, containers: [{ name: 'kured', image: 'none' }] },
    },
  },
}

const lock = (place: OperationPlace, value: string) =>
  place.kubectl('-n', 'kube-system', 'annotate', '--overwrite', 'daemonset/kured', `${LOCK}=${value}`)

const unlock = (place: OperationPlace) => place.kubectl('-n', 'kube-system', 'annotate', 'daemonset/kured', `${LOCK}-`)

async function isLocked(place: OperationPlace): Promise<boolean> {
  const got = JSON.parse(await place.kubectl('-n', 'kube-system', 'get', 'daemonset/kured', '-o', 'json'))
  return LOCK in got.metadata.annotations
}

const withoutKured = (place: OperationPlace) => place.kubectl('-n', 'kube-system', 'delete', 'daemonset/kured')

/** As a storage operator or a person would set it. */
const draining = (place: OperationPlace, status: 'True' | 'False') => {
  const condition = { type: 'DrainInProgress', status, reason: 'ByHand', message: 'alice drains it' }
  const patch = JSON.stringify({ status: { conditions: [condition] } })
  return place.kubectl('patch', 'node', place.node, '--subresource=status', '--type=strategic', '-p', patch)
}

/** Other programs that remove nodes, reboot them, or work on them. */
export const CONTRACT_ROWS: readonly OperationRow[] = [
  {
    situation: 'a next node that the Cluster Autoscaler is about to remove',
    nodes: ['n1', 'n2'],
    arrange: (place) => ({
      spec: { drain: { blockedLimit: '5s' } },
      async meanwhile(roll) {
        await roll.untilStep('proof', 'n1')
        await place.kubectl('taint', 'node', 'n2', `${REMOVAL}=1:PreferNoSchedule`)
      },
    }),
    exit: 3,
    says: ['NodeBeingRemoved'],
    words: [/n2 is being removed by the Cluster Autoscaler: it has the taint ToBeDeletedByClusterAutoscaler/],
    leaves: { boots: { n1: 1 }, leftovers: [`n2 taint ${REMOVAL}`] },
    and: async (place) => void (await place.kubectl('taint', 'node', 'n2', `${REMOVAL}-`)),
  },
  {
    situation: 'the lock of kured, which is taken before the node and given back',
    nodes: ['n1'],
    async arrange(place) {
      await place.bed.bed.apply([KURED])
      const { gate, open } = place.door('node')
      return {
        spec: { gates: [gate] },
        async meanwhile(roll) {
          await roll.untilHeld('GateFails')
          await lock(place, HELD)
          await open()
          await roll.untilHeld('KuredLockHeld')
          await unlock(place)
        },
      }
    },
    exit: 0,
    says: ['GateFails', 'KuredLockHeld'],
    words: [/the lock of kured \(DaemonSet kube-system\/kured\) is held by node-of-kured/],
    leaves: { boots: { n1: 1 } },
    and: async (place) => void (await withoutKured(place)),
  },
  {
    situation: 'the lock of kured, which is taken when the node is drained and never given back',
    nodes: ['n1'],
    async arrange(place) {
      await place.bed.bed.apply([KURED])
      const { gate, open } = place.door('reboot')
      return {
        spec: { gates: [gate], drain: { blockedLimit: '10s' } },
        async meanwhile(roll) {
          await roll.untilHeld('GateFails')
          await lock(place, HELD)
          await open()
        },
      }
    },
    exit: 3,
    says: ['GateFails', 'KuredLockHeld'],
    words: [/the lock of kured \(DaemonSet kube-system\/kured\) is held by node-of-kured/],
    leaves: {},
    async and(place) {
      assert.equal(await isLocked(place), true)
      await withoutKured(place)
    },
  },
  {
    situation:
      'a node that another program drains, by a condition of KEP-5683, and that load balancers of a cloud leave out',
    nodes: ['n1'],
    async arrange(place) {
      await place.kubectl('label', 'node', place.node, `${EXCLUDED}=`)
      await draining(place, 'True')
      return {
        spec: {},
        async meanwhile(roll) {
          await roll.untilHeld('NodeInOthersWork')
          await draining(place, 'False')
        },
      }
    },
    exit: 0,
    says: ['NodeInOthersWork'],
    words: [/DrainInProgress/],
    leaves: { boots: { n1: 1 } },
    async and(place) {
      const node = JSON.parse(await place.kubectl('get', 'node', place.node, '-o', 'json'))
      assert.equal(node.metadata.labels[EXCLUDED], '')
      await place.kubectl('label', 'node', place.node, `${EXCLUDED}-`)
    },
  },
]
