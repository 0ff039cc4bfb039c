import assert from 'node:assert/strict'
import { field } from '../api/field.ts'
import type { ControlGround, ControlRow } from './control-plane.ts'

const APPS = 'apis/apps/v1'
const CONTAINER = '/spec/template/spec/containers/0/image'
const JSON_PATCH = 'application/json-patch+json'

const setImage = (ground: ControlGround, path: string, image: string) =>
  ground.plane.door.ask('PATCH', path, {
    body: [{ op: 'replace', path: CONTAINER, value: image }],
    contentType: JSON_PATCH,
  })

/** `name:image` of each pod that is not being deleted. */
async function images(ground: ControlGround, app: string): Promise<readonly string[]> {
  const pods = await ground.pods(app)
  return pods
    .filter((pod) => field(pod, 'metadata.deletionTimestamp') === undefined)
    .map((pod) => `${String(field(pod, 'metadata.name'))}:${String(field(pod, 'spec.containers.0.image'))}`)
    .toSorted()
}

/** `node:image`, the same. */
async function placed(ground: ControlGround, app: string): Promise<readonly string[]> {
  const pods = await ground.pods(app)
  return pods
    .filter((pod) => field(pod, 'metadata.deletionTimestamp') === undefined)
    .map((pod) => {
      const node = String(field(pod, 'spec.nodeName')).replace(`${ground.name}-`, '')
      return `${node}:${String(field(pod, 'spec.containers.0.image'))}`
    })
    .toSorted()
}

const workload = (ground: ControlGround, app: string, more: object): object => ({
  metadata: { name: app },
  spec: {
    ...more,
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: ground.podSpec({ nodeSelector: { no: 'where' } }) },
  },
})

export const ROLLOUT_ROWS: readonly ControlRow[] = [
  {
    title: 'a pod of a StatefulSet below the partition comes back as it was before the rollout',
    run: async (ground) => {
      const app = 'parted'
      const path = `${ground.path('statefulsets', APPS)}/${app}`
      const spec = ground.podSpec({ nodeSelector: { no: 'where' }, container: { image: 'old' } })
      await ground.create(ground.path('statefulsets', APPS), {
        metadata: { name: app },
        spec: {
          replicas: 2,
          serviceName: 'none',
          podManagementPolicy: 'Parallel',
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
          selector: { matchLabels: { app } },
          template: { metadata: { labels: { app } }, spec },
        },
      })
      await ground.until('both pods', 10_000, async () => (await images(ground, app)).length === 2)
      await ground.until('its status', 10_000, async () => (await ground.get(path, 'status.currentReplicas')) === 2)
      assert.equal((await setImage(ground, path, 'new')).status, 200)
      const half = ['parted-0:old', 'parted-1:new']
      await ground.until('the update', 10_000, async () => String(await images(ground, app)) === String(half))
      await ground.remove('parted-0')
      await ground.until('it to be made anew', 10_000, async () => (await images(ground, app)).length === 2)
      assert.deepEqual(await images(ground, app), half)
      await ground.until('its status', 10_000, async () => (await ground.get(path, 'status.updatedReplicas')) === 1)
      const status = await ground.get(path, 'status')
      assert.notEqual(field(status, 'currentRevision'), field(status, 'updateRevision'))
      const revisions = ground.path('controllerrevisions', APPS)
      const kept = (await ground.get(revisions, 'items')) as readonly unknown[]
      const named = kept.map((revision) => [field(revision, 'metadata.name'), field(revision, 'revision')])
      assert.deepEqual(
        new Map(named as [string, number][]),
        new Map([
          [field(status, 'currentRevision'), 1],
          [field(status, 'updateRevision'), 2],
        ]),
      )
    },
  },
  {
    title: 'a DaemonSet with a surge makes the new pod beside the old one, on as many nodes at once as it may',
    run: async (ground) => {
      const app = 'surge'
      for (const short of ['d1', 'd2']) await ground.node(short)
      const path = `${ground.path('daemonsets', APPS)}/${app}`
      await ground.create(ground.path('daemonsets', APPS), {
        metadata: { name: app },
        spec: {
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
          selector: { matchLabels: { app } },
          template: { metadata: { labels: { app } }, spec: ground.podSpec({ container: { image: 'old' } }) },
        },
      })
      const readyAll = async () => {
        for (const pod of await ground.pods(app)) await ground.setReady(String(field(pod, 'metadata.name')))
      }
      const old = ['d1:old', 'd2:old']
      await ground.until('its pods', 10_000, async () => String(await placed(ground, app)) === String(old))
      await readyAll()
      await ground.until('its status', 10_000, async () => (await ground.get(path, 'status.numberAvailable')) === 2)
      assert.equal((await setImage(ground, path, 'new')).status, 200)
      const isNew = (place: string): boolean => place.endsWith(':new')
      await ground.until('a new pod', 10_000, async () => (await placed(ground, app)).filter(isNew).length === 1)
      await ground.plane.pass(1_000)
      const first = await placed(ground, app)
      assert.deepEqual([first.length, first.filter(isNew).length], [3, 1], first.join(' '))
      await readyAll()
      await ground.until('the next', 10_000, async () => (await placed(ground, app)).filter(isNew).length === 2)
      const going = async () =>
        (await ground.pods(app)).filter((pod) => field(pod, 'metadata.deletionTimestamp') !== undefined)
      assert.equal((await going()).length, 1)
      await readyAll()
      const done = ['d1:new', 'd2:new']
      await ground.until('the end', 10_000, async () => String(await placed(ground, app)) === String(done))
      for (const pod of await going()) await ground.remove(String(field(pod, 'metadata.name')))
      await ground.until(
        'its status',
        10_000,
        async () => (await ground.get(path, 'status.updatedNumberScheduled')) === 2,
      )
    },
  },
  {
    title: 'a Deployment says that it makes no progress once its deadline has passed',
    run: async (ground) => {
      const app = 'late'
      const path = `${ground.path('deployments', APPS)}/${app}`
      const more = { replicas: 1, progressDeadlineSeconds: 3 }
      await ground.create(ground.path('deployments', APPS), workload(ground, app, more))
      const progress = async () => {
        const all = ((await ground.get(path, 'status.conditions')) ?? []) as readonly Record<string, string>[]
        const { status, reason } = all.find(({ type }) => type === 'Progressing') ?? {}
        return `${status} ${reason}`
      }
      await ground.until('it to begin', 5_000, async () => (await progress()) === 'True ReplicaSetUpdated')
      const took = await ground.until('it to be late', 12_000, async () => (await progress()).startsWith('False'))
      assert.equal(await progress(), 'False ProgressDeadlineExceeded')
      assert.ok(took > 1_500, `late after ${took} ms`)
    },
  },
  {
    title: 'a budget counts anew with the next pod, and not where its controller is scaled',
    // A node that comes changes what the scheduler says of the first pod, and with each change of it the budget counts.
    isAlone: true,
    run: async (ground) => {
      const app = 'counted'
      const sets = ground.path('statefulsets', APPS)
      await ground.create(sets, workload(ground, app, { replicas: 1, serviceName: 'none' }))
      await ground.until('its pod', 10_000, async () => (await ground.pods(app)).length === 1)
      const budgets = ground.path('poddisruptionbudgets', 'apis/policy/v1')
      const spec = { minAvailable: '50%', selector: { matchLabels: { app } } }
      await ground.create(budgets, { metadata: { name: app }, spec })
      const expected = () => ground.get(`${budgets}/${app}`, 'status.expectedPods')
      await ground.until('its count', 10_000, async () => (await expected()) === 1)
      await ground.placeOf(`${app}-0`)
      // What has changed so far is counted by then. Its second pod waits until the first is Ready.
      await ground.plane.pass(1_000)
      await ground.patch(`${sets}/${app}`, { spec: { replicas: 2 } })
      await ground.plane.pass(2_000)
      assert.equal(await expected(), 1)
      await ground.setReady(`${app}-0`)
      await ground.until('its next count', 10_000, async () => (await expected()) === 2)
    },
  },
  {
    title: 'of two budgets over a pod one alone is counted anew with it',
    run: async (ground) => {
      const app = 'twice'
      const nodeName = await ground.node('t')
      const budgets = ground.path('poddisruptionbudgets', 'apis/policy/v1')
      const spec = { minAvailable: 1, selector: { matchLabels: { app } } }
      const expected = async () => [
        await ground.get(`${budgets}/one`, 'status.expectedPods'),
        await ground.get(`${budgets}/other`, 'status.expectedPods'),
      ]
      await ground.pod('first', { nodeName }, { app })
      for (const name of ['one', 'other']) await ground.create(budgets, { metadata: { name }, spec })
      await ground.until('both counts', 10_000, async () => String(await expected()) === '1,1')
      // What has changed so far is counted by then.
      await ground.plane.pass(1_000)
      await ground.pod('second', { nodeName }, { app })
      await ground.until('the next count', 10_000, async () => (await expected()).includes(2))
      await ground.plane.pass(1_000)
      assert.ok((await expected()).includes(1), String(await expected()))
    },
  },
  {
    title: 'a Job that is going lets its pods go, also those that run',
    run: async (ground) => {
      const app = 'going'
      const jobs = ground.path('jobs', 'apis/batch/v1')
      const spec = ground.podSpec({ nodeSelector: { no: 'where' }, restartPolicy: 'Never' })
      const metadata = { name: app, finalizers: ['test.local/held'] }
      await ground.create(jobs, { metadata, spec: { template: { metadata: { labels: { app } }, spec } } })
      const held = async () => (await ground.pods(app)).map((pod) => String(field(pod, 'metadata.finalizers')))
      await ground.until('its pod', 10_000, async () => (await held()).length === 1)
      assert.deepEqual(await held(), ['batch.kubernetes.io/job-tracking'])
      await ground.ask('DELETE', `${jobs}/${app}`, { propagationPolicy: 'Background' })
      await ground.until('its pod to be let go', 10_000, async () => String(await held()) === 'undefined')
      await ground.patch(`${jobs}/${app}`, { metadata: { finalizers: null } })
    },
  },
  {
    title: 'a DaemonSet removes the pod of a node that is gone, if the pod was never on it',
    run: async (ground) => {
      const app = 'forsaken'
      const node = await ground.node('gone', { pods: '0' })
      await ground.create(ground.path('daemonsets', APPS), {
        metadata: { name: app },
        spec: {
          selector: { matchLabels: { app } },
          template: { metadata: { labels: { app } }, spec: ground.podSpec() },
        },
      })
      await ground.until('its pod', 10_000, async () => (await ground.pods(app)).length === 1)
      await ground.ask('DELETE', `/api/v1/nodes/${node}`)
      await ground.until('no pod', 10_000, async () => (await ground.pods(app)).length === 0)
    },
  },
  {
    title: 'a Deployment that is paused keeps its replicas, is scaled without a surge, and its annotations go on',
    run: async (ground) => {
      const app = 'paused'
      const path = `${ground.path('deployments', APPS)}/${app}`
      await ground.create(ground.path('deployments', APPS), workload(ground, app, { replicas: 1 }))
      const sets = async (name: string): Promise<readonly unknown[]> => {
        const all = (await ground.get(ground.path('replicasets', APPS), 'items')) as readonly unknown[]
        return all.map((set) => field(set, name))
      }
      await ground.until('its pod', 10_000, async () => (await ground.pods(app)).length === 1)
      await ground.patch(path, { metadata: { annotations: { note: 'a' } }, spec: { paused: true } })
      await ground.until('its note', 10_000, async () => String(await sets('metadata.annotations.note')) === 'a')
      await ground.plane.pass(1_000)
      assert.deepEqual(await sets('metadata.generation'), [1])
      await ground.patch(path, { spec: { replicas: 3 } })
      await ground.until('its pods', 10_000, async () => (await ground.pods(app)).length === 3)
      await ground.plane.pass(1_000)
      assert.deepEqual(await sets('spec.replicas'), [3])
    },
  },
  {
    title: 'a Deployment tells the first refusal of its pods, and since when',
    run: async (ground) => {
      const app = 'refused'
      const path = `${ground.path('deployments', APPS)}/${app}`
      await ground.create(ground.path('resourcequotas'), { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } })
      await ground.create(ground.path('deployments', APPS), workload(ground, app, { replicas: 1 }))
      const failure = async () => {
        const all = ((await ground.get(path, 'status.conditions')) ?? []) as readonly Record<string, string>[]
        return all.find(({ type }) => type === 'ReplicaFailure')
      }
      await ground.until('the refusal', 10_000, async () => (await failure()) !== undefined)
      const first = await failure()
      assert.equal(first?.lastUpdateTime, first?.lastTransitionTime)
      assert.match(String(first?.lastUpdateTime), /^\d{4}-/)
      await ground.plane.pass(2_000)
      assert.deepEqual(await failure(), first)
    },
  },
]
