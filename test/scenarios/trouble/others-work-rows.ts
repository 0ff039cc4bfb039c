import type { TroubleGround } from '../../support/trouble/trouble-ground.ts'
import { step } from './held-rows.ts'
import type { Released, TroubleRow } from './trouble-row.ts'

const kured = (nodeID: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: 'kured',
    namespace: 'default',
    annotations: { 'weave.works/kured-node-lock': JSON.stringify({ nodeID, created: '2026-01-01T00:00:00Z', TTL: 0 }) },
  },
  spec: {
    selector: { matchLabels: { name: 'kured' } },
    template: {
      metadata: { labels: { name: 'kured' } },
      spec: { nodeSelector: { nowhere: 'at-all' }, containers: [{ name: 'kured', image: 'none' }] },
    },
  },
})

const KURED = '/apis/apps/v1/namespaces/default/daemonsets/kured'
const IN_PROGRESS = 'weave.works/kured-reboot-in-progress'

const annotated = ({ world }: TroubleGround, { node: name }: Released, value: string | null): Promise<void> =>
  world.apply([{ apiVersion: 'v1', kind: 'Node', metadata: { name, annotations: { [IN_PROGRESS]: value } } }])

/** Another program takes a node while the roll runs. The roll is held before its reboot, and puts the node back where that lasts. */
export const OTHERS_WORK_ROWS: readonly TroubleRow[] = [
  {
    title: 'kured, which takes its lock for another node in the middle of the drain',
    once: [step('drain'), ({ world }) => world.apply([kured('another-node')])],
    held: {
      code: 'KuredLockHeld',
      says: /^the lock of kured \(DaemonSet default\/kured\) is held by another-node, which is no node of this cluster$/,
      explain: [{ of: 'node', code: 'KuredLockHeld', says: /is held by another-node/ }],
    },
    after: ({ world }) => world.remove(KURED),
    movesPods: true,
    exit: 3,
  },
  {
    title: 'kured, which says that it reboots the node that the roll drains',
    once: [step('drain'), (ground, at) => annotated(ground, at, '2026-01-01T00:00:00Z')],
    held: {
      code: 'NodeInOthersWork',
      says: /^kured reboots n\d: it has the annotation weave\.works\/kured-reboot-in-progress$/,
    },
    after: (ground, at) => annotated(ground, at, null),
    movesPods: true,
    exit: 3,
  },
  {
    title: 'kured, which takes its lock in the middle of the drain and gives it back in time',
    once: [
      step('drain'),
      async ({ world }) => {
        await world.apply([kured('another-node')])
        await world.pause(8_000)
        await world.remove(KURED)
      },
    ],
    exit: 0,
  },
]
