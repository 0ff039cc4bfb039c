import { scaled, step, written } from './held-rows.ts'
import type { TroubleRow } from './trouble-row.ts'

const SERVICES = '/api/v1/namespaces/default/services'
const SETS = '/apis/apps/v1/namespaces/default/replicasets'

const service = (name: string, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { ports: [{ port: 80 }], ...spec },
})

const NAMES = ['headless', 'early', 'without-selector']

/** Would have a pod that was let go: it selects the value that a polite drain writes. */
const adopter = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'adopter', namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'whoami', 'pod-template-hash': 'evenkeel-leaving' } },
    template: {
      metadata: { labels: { app: 'whoami', 'pod-template-hash': 'evenkeel-leaving' } },
      spec: { nodeSelector: { nowhere: 'at-all' }, containers: [{ name: 'app', image: 'none' }] },
    },
  },
}

/** The roll goes through all the same, and no request fails. */
export const PASSING_ROWS: readonly TroubleRow[] = [
  {
    title: 'a Service without selector, a headless one, and one that publishes addresses that are not ready',
    before: ({ world }) =>
      world.apply([
        service('headless', { clusterIP: 'None', selector: { app: 'whoami' } }),
        service('early', { publishNotReadyAddresses: true, selector: { app: 'whoami' } }),
        service('without-selector', {}),
      ]),
    after: async ({ world }) => {
      for (const name of NAMES) await world.remove(`${SERVICES}/${name}`)
    },
    exit: 0,
  },
  {
    title: 'a Deployment that is scaled up once its pod was let go',
    once: [written('releasePod'), (ground) => scaled(ground, 2)],
    after: (ground) => scaled(ground, 1),
    exit: 0,
  },
  {
    title: 'a ReplicaSet that takes over the pod that was let go',
    once: [written('releasePod'), ({ world }) => world.apply([adopter])],
    after: ({ world }) => world.remove(`${SETS}/adopter`),
    exit: 0,
  },
  ...['detach', 'drain'].map(
    (name): TroubleRow => ({
      title: `the API server away for a minute from the step ${name} on`,
      once: [step(name), ({ world }) => awayForAMinute(world)],
      drain: { blockedLimit: '5min', stageLimit: '5min' },
      exit: 0,
    }),
  ),
  ...['releasePod', 'withdrawPod', 'evict'].map(
    (action): TroubleRow => ({
      title: `the API server away for a minute from the write ${action} on`,
      once: [written(action), ({ world }) => awayForAMinute(world)],
      drain: { blockedLimit: '5min', stageLimit: '5min' },
      exit: 0,
    }),
  ),
]

async function awayForAMinute(world: Parameters<NonNullable<TroubleRow['before']>>[0]['world']): Promise<void> {
  await world.killApiServer()
  await world.pause(60_000)
  await world.startApiServer()
}
