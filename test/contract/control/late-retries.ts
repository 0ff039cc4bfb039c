import assert from 'node:assert/strict'
import { field } from '../api/field.ts'
import type { ControlRow } from './control-plane.ts'

/** How long it takes until something is tried again whose cause has gone. */
export const RETRY_ROWS: readonly ControlRow[] = [
  {
    title: 'a ReplicaSet whose pods were refused tries again after a time that doubles with each refusal',
    // A node that comes changes what the scheduler says of the first pod, and with each change of it the ReplicaSet tries at once.
    isAlone: true,
    run: async (ground) => {
      const quota = ground.path('resourcequotas')
      await ground.create(quota, { metadata: { name: 'few' }, spec: { hard: { pods: '1' } } })
      await ground.until('the quota to be counted', 10_000, async () => {
        const hard = (await ground.get(`${quota}/few`, 'status.hard')) as Record<string, string> | undefined
        return hard === undefined || hard.pods === '1'
      })
      const app = 'quota'
      await ground.create(ground.path('replicasets', 'apis/apps/v1'), {
        metadata: { name: app },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app } },
          template: { metadata: { labels: { app } }, spec: ground.podSpec({ nodeSelector: { no: 'where' } }) },
        },
      })
      await ground.until('the first pod', 10_000, async () => (await ground.pods(app)).length === 1)
      // Tried after 5 ms, 10 ms and so on: 5.1 s after the first refusal, and then 10.2 s after it.
      await ground.plane.pass(6_000)
      await ground.patch(`${quota}/few`, { spec: { hard: { pods: '5' } } })
      // On a busy machine the next try may come before the quota is counted anew, and the one after that 20 or 41 s after the first.
      const took = await ground.until('the second pod', 60_000, async () => (await ground.pods(app)).length === 2)
      assert.ok(took > 1_500, `the second pod came after ${took} ms`)
    },
  },
  {
    title: 'a pod that the anti-affinity of another has kept away does not notice at once that the other is gone',
    isAlone: true,
    run: async (ground) => {
      await ground.node('h')
      const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'kept' } } }
      const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
      await ground.pod('keeper', { affinity }, { app: 'keeper' })
      assert.equal(await ground.placeOf('keeper'), 'h')
      await ground.pod('kept', {}, { app: 'kept' })
      const why = await ground.placeOf('kept')
      assert.ok(why.includes("1 node(s) didn't satisfy existing pods anti-affinity rules"), why)
      await ground.remove('keeper')
      await ground.plane.pass(6_000)
      assert.notEqual(await ground.placeOf('kept'), 'h')
    },
  },
  {
    title: 'a pod of a DaemonSet that has failed is replaced at once, and those after it later and later',
    // Each node that comes has every DaemonSet looked at again, and rows side by side keep the controllers busy.
    isAlone: true,
    run: async (ground) => {
      const app = 'failing'
      await ground.node('f')
      await ground.create(ground.path('daemonsets', 'apis/apps/v1'), {
        metadata: { name: app },
        spec: {
          selector: { matchLabels: { app } },
          template: { metadata: { labels: { app } }, spec: ground.podSpec() },
        },
      })
      const running = async (): Promise<string | undefined> => {
        const pods = await ground.pods(app)
        const there = pods.filter((pod) => field(pod, 'status.phase') !== 'Failed' && field(pod, 'spec.nodeName'))
        return there.map((pod) => String(field(pod, 'metadata.name')))[0]
      }
      const took: number[] = []
      for (const _ of [1, 2, 3, 4]) {
        await ground.until('its pod', 20_000, async () => (await running()) !== undefined)
        await ground.patch(`${ground.path('pods')}/${await running()}/status`, { status: { phase: 'Failed' } })
        took.push(await ground.until('another pod', 20_000, async () => (await running()) !== undefined))
      }
      const [first = 0, second = 0, third = 0, fourth = 0] = took
      assert.ok(first < 800 && second > 500 && third > 1_500 && fourth > 3_500 && fourth < 10_000, took.join())
    },
  },
]
