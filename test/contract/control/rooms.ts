import assert from 'node:assert/strict'
import type { ControlGround, ControlRow } from './control-plane.ts'

const requests = (of: object) => ({ container: { resources: { requests: of } } })
const HOST = 'kubernetes.io/hostname'
const term = (app: string, more: object = {}) => ({
  topologyKey: HOST,
  labelSelector: { matchLabels: { app } },
  ...more,
})
const affinity = (kind: string, ...terms: readonly object[]) => ({
  affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
})
const spread = (app: string, more: object = {}) => ({
  topologySpreadConstraints: [{ ...term(app), maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', ...more }],
})

const says = async (ground: ControlGround, pod: string, ...reasons: readonly string[]): Promise<void> => {
  const place = await ground.placeOf(pod)
  for (const reason of reasons) assert.ok(place.includes(reason), `${pod}: ${place}`)
}

/** Where the scheduler puts pods, and what it says of those that it does not put anywhere. */
export const ROOM_ROWS: readonly ControlRow[] = [
  {
    title: 'a node has room for so much cpu and memory, for so many pods, and for one pod on each of its ports',
    run: async (ground) => {
      await ground.node('r', { cpu: '1', memory: '1Gi', pods: '3', 'test.local/disk': '1' })
      const disk = { 'test.local/disk': '1' }
      await ground.pod('a', { container: { resources: { requests: { cpu: '800m', ...disk }, limits: disk } } })
      assert.equal(await ground.placeOf('a'), 'r')
      await ground.pod('b', requests({ cpu: '800m', memory: '512Mi' }))
      await says(ground, 'b', '1 Insufficient cpu', '1 No preemption victims found for incoming pod')
      await ground.pod('c', requests({ memory: '2Gi' }))
      await says(ground, 'c', '1 Insufficient memory')
      await ground.pod('d', { container: { resources: { limits: disk } } })
      await says(ground, 'd', '1 Insufficient test.local/disk')
      const port = { container: { ports: [{ containerPort: 80, hostPort: 8080 }] } }
      await ground.pod('e', port)
      assert.equal(await ground.placeOf('e'), 'r')
      await ground.pod('f', port)
      await says(ground, 'f', "1 node(s) didn't have free ports for the requested pod ports")
      await ground.pod('g')
      assert.equal(await ground.placeOf('g'), 'r')
      await ground.pod('h')
      await says(ground, 'h', '1 Too many pods')
      for (const name of ['d', 'h', 'a']) await ground.remove(name)
      await ground.until('the next to have its room', 10_000, async () => (await ground.placeOf('b')) === 'r')
    },
  },
  {
    title: 'a spread that has to hold keeps a replacement waiting while its node is cordoned, which stays a domain',
    run: async (ground) => {
      const [one] = [await ground.node('s1'), await ground.node('s2')]
      for (const name of ['a', 'b']) {
        await ground.pod(name, spread('web'), { app: 'web' })
        await ground.placeOf(name)
      }
      const onOne = (await ground.placeOf('a')) === 's1' ? 'a' : 'b'
      assert.deepEqual([await ground.placeOf('a'), await ground.placeOf('b')].toSorted(), ['s1', 's2'])
      await ground.patch(`/api/v1/nodes/${one}`, { spec: { unschedulable: true } })
      await ground.remove(onOne)
      await ground.pod('c', spread('web'), { app: 'web' })
      await says(ground, 'c', '1 node(s) were unschedulable', "1 node(s) didn't match pod topology spread constraints")
      await ground.pod('d', spread('web', { nodeTaintsPolicy: 'Honor' }), { app: 'web' })
      await ground.until('the cordon to be honoured', 10_000, async () => (await ground.placeOf('d')) === 's2')
      await ground.patch(`/api/v1/nodes/${one}`, { spec: { unschedulable: null } })
      await ground.until('the node to be open', 10_000, async () => (await ground.placeOf('c')) === 's1')
    },
  },
  {
    title: 'a pod that wants to be near another waits for it, and the first of its kind does not wait for itself',
    run: async (ground) => {
      await ground.node('n1')
      await ground.pod('near', affinity('podAffinity', term('db')))
      await says(ground, 'near', "1 node(s) didn't match pod affinity rules")
      await ground.pod('own', affinity('podAffinity', term('own')), { app: 'own' })
      assert.equal(await ground.placeOf('own'), 'n1')
      await ground.pod('db', {}, { app: 'db' })
      await ground.until('the other to follow', 10_000, async () => (await ground.placeOf('near')) === 'n1')
    },
  },
  {
    title: 'a pod of a higher priority drives out one of a lower, unless its class says that it never does',
    run: async (ground) => {
      const path = '/apis/scheduling.k8s.io/v1/priorityclasses'
      await ground.create(path, { metadata: { name: `${ground.name}-high` }, value: 1000 })
      await ground.create(path, { metadata: { name: `${ground.name}-shy` }, value: 1000, preemptionPolicy: 'Never' })
      await ground.node('x', { cpu: '1' })
      await ground.pod('low', requests({ cpu: '600m' }))
      assert.equal(await ground.placeOf('low'), 'x')
      await ground.pod('shy', { ...requests({ cpu: '600m' }), priorityClassName: `${ground.name}-shy` })
      await says(ground, 'shy', '1 Insufficient cpu', 'not eligible due to preemptionPolicy=Never.')
      await ground.remove('shy')
      await ground.pod('high', { ...requests({ cpu: '600m' }), priorityClassName: `${ground.name}-high` })
      await ground.until(
        'the low one to be told to go',
        10_000,
        async () => (await ground.get(`${ground.path('pods')}/low`, 'metadata.deletionTimestamp')) !== undefined,
      )
      const conditions = (await ground.get(`${ground.path('pods')}/low`, 'status.conditions')) as readonly {
        readonly type: string
      }[]
      const target = conditions.find(({ type }) => type === 'DisruptionTarget') as Record<string, string> | undefined
      assert.deepEqual(
        [target?.reason, target?.message],
        ['PreemptionByScheduler', 'default-scheduler: preempting to accommodate a higher priority pod'],
      )
      const high = `${ground.path('pods')}/high`
      assert.equal(await ground.get(high, 'status.nominatedNodeName'), `${ground.name}-x`)
      await ground.pod('late', requests({ cpu: '600m' }))
      await says(ground, 'late', '1 Insufficient cpu')
      await ground.remove('low')
      await ground.until('its room', 10_000, async () => (await ground.placeOf('high')) === 'x')
      assert.equal(await ground.get(high, 'status.nominatedNodeName'), undefined)
      await ground.remove('late')
    },
  },
  {
    title: 'of pods that matter alike and have not begun, the one that was placed first has to go',
    run: async (ground) => {
      const path = '/apis/scheduling.k8s.io/v1/priorityclasses'
      await ground.create(path, { metadata: { name: `${ground.name}-high` }, value: 1000 })
      await ground.node('y', { cpu: '1' })
      for (const name of ['one', 'two']) {
        await ground.pod(name, requests({ cpu: '500m' }))
        assert.equal(await ground.placeOf(name), 'y')
      }
      await ground.pod('high', { ...requests({ cpu: '500m' }), priorityClassName: `${ground.name}-high` })
      const isGoing = async (name: string): Promise<boolean> =>
        (await ground.get(`${ground.path('pods')}/${name}`, 'metadata.deletionTimestamp')) !== undefined
      await ground.until('one of them to be told to go', 10_000, async () => (await isGoing('one')) || isGoing('two'))
      assert.deepEqual([await isGoing('one'), await isGoing('two')], [true, false])
      await ground.remove('one')
      await ground.until('its room', 10_000, async () => (await ground.placeOf('high')) === 'y')
    },
  },
]
