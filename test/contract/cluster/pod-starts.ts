import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterGround } from './cluster-ground.ts'
import type { Change } from './cluster-log.ts'
import { condition, containerId, isReady, restarts } from './pod-facts.ts'
import type { SeenContainer, SeenPod } from './seen-objects.ts'

const PODS = '/api/v1/namespaces/default/pods'
const NODE = 'n1'
const GATE = 'test.local/gate'
/** No node has it, and no registry. */
export const NO_IMAGE = 'testbed.local/none:1'
const IMAGE = 'testbed.local/app:1'

const probe = (port: number, more: object = {}): object => ({
  httpGet: { path: '/readyz', port },
  periodSeconds: 1,
  ...more,
})
const NEVER = probe(9)
const app = (name: string, port: number, more: object = {}): object => ({
  name,
  image: IMAGE,
  imagePullPolicy: 'Never',
  env: [
    { name: 'STOP', value: 'immediate' },
    { name: 'PORT', value: String(port) },
  ],
  ports: [{ containerPort: port }],
  ...more,
})
/** Ends with 0 where that answers, else with 1. */
const client = (name: string, url: string): object => ({
  name,
  image: IMAGE,
  imagePullPolicy: 'Never',
  args: ['get', url],
})
const NOBODY = 'http://127.0.0.1:9/'

/** All that the contract starts, by name; together, since some of it takes half a minute. */
const specs = (answers: string): Readonly<Record<string, object>> => ({
  gated: { readinessGates: [{ conditionType: GATE }], containers: [app('app', 8080)] },
  'never-done': { initContainers: [app('wait', 8080)], containers: [app('app', 8080)] },
  'one-by-one': {
    initContainers: [
      client('first', answers),
      app('beside', 8081, { restartPolicy: 'Always', startupProbe: probe(8081) }),
      client('last', answers),
    ],
    containers: [app('app', 8080)],
  },
  fails: { initContainers: [client('check', NOBODY)], containers: [app('app', 8080)] },
  'half-ready': { containers: [app('app', 8080), app('second', 8081, { readinessProbe: NEVER })] },
  'not-alive': {
    containers: [app('app', 8080), app('second', 8081, { livenessProbe: { ...NEVER, failureThreshold: 2 } })],
  },
  'not-started': {
    containers: [app('app', 8080, { startupProbe: { ...NEVER, failureThreshold: 3 }, readinessProbe: probe(8080) })],
  },
  slow: {
    containers: [
      app('app', 8080, {
        env: [
          { name: 'STOP', value: 'immediate' },
          { name: 'START_DELAY', value: '4s' },
        ],
        startupProbe: probe(8080, { failureThreshold: 30 }),
        livenessProbe: probe(8080, { failureThreshold: 1 }),
      }),
    ],
  },
  rare: { containers: [app('app', 8080, { readinessProbe: probe(8080, { periodSeconds: 20 }) })] },
  later: { containers: [app('app', 8080, { readinessProbe: probe(8080, { initialDelaySeconds: 5 }) })] },
  'no-image': {
    containers: [app('app', 8080, { image: NO_IMAGE, imagePullPolicy: 'IfNotPresent' }), app('second', 8081)],
  },
  crashes: { containers: [client('app', NOBODY)] },
})

/** What a kubelet waits for before it says that a pod is Ready, and what it starts again. */
export function podStartsContract(ground: () => ClusterGround): void {
  let names: readonly string[] = []
  let from = 0
  const pod = (name: string): SeenPod => {
    const found = ground().log.named('pod', name)
    if (found === undefined) throw new Error(`there is no pod ${name}`)
    return found
  }
  const changes = (name: string): readonly Change<'pod'>[] =>
    ground()
      .log.changes('pod', from)
      .filter(({ object }) => object.metadata.name === name)
  const when = async (name: string, what: string, is: (pod: SeenPod) => boolean): Promise<Change<'pod'>> =>
    ground().door.waitUntil({ what: `${name}: ${what}`, limitMs: 60_000 }, () =>
      changes(name).find(({ object }) => is(object)),
    )
  const said = (object: SeenPod, type: string): readonly (string | undefined)[] => {
    const { status, reason, message } = condition(object, type) ?? {}
    return [status, reason, message]
  }
  const reads = ({ state }: SeenContainer): string => {
    const [[kind, { reason }] = ['', {}]] = Object.entries(state)
    return reason === undefined ? kind : `${kind} ${reason}`
  }
  const inits = (object: SeenPod): readonly string[] => (object.status.initContainerStatuses ?? []).map(reads)
  const mains = (object: SeenPod): readonly string[] => (object.status.containerStatuses ?? []).map(reads)

  test('a pod whose gate nobody has set is not Ready, though its containers are', async () => {
    const other = ground().pods('whoami')[0]?.status.podIP
    const wanted = specs(`http://${other}:8080/`)
    names = Object.keys(wanted)
    from = (await ground().now()).revision
    for (const [name, spec] of Object.entries(wanted))
      await ground().create(PODS, {
        metadata: { name },
        spec: { nodeName: NODE, terminationGracePeriodSeconds: 1, ...spec },
      })
    await when('gated', 'containers ready', (object) => condition(object, 'ContainersReady')?.status === 'True')
    assert.deepEqual(said(pod('gated'), 'Ready'), [
      'False',
      'ReadinessGatesNotReady',
      `corresponding condition of pod readiness gate "${GATE}" does not exist.`,
    ])
  })

  test('it is Ready as soon as somebody sets it, and not for longer', async () => {
    const set = (status: string): Promise<unknown> =>
      ground().ask('PATCH', `${PODS}/gated/status`, {
        contentType: 'application/strategic-merge-patch+json',
        body: { status: { conditions: [{ type: GATE, status }] } },
      })
    await set('True')
    await ground().until('it to be Ready', () => isReady(pod('gated')))
    await set('False')
    await ground().until('it to be not Ready', () => !isReady(pod('gated')))
    assert.deepEqual(said(pod('gated'), 'Ready').slice(1), [
      'ReadinessGatesNotReady',
      `the status of pod readiness gate "${GATE}" is not "True", but False`,
    ])
  })

  test('a pod whose init container does not end is Pending, with an address, and starts nothing else', async () => {
    await when('never-done', 'the init container to run', (object) => inits(object)[0] === 'running')
    const object = pod('never-done')
    assert.deepEqual(said(object, 'Initialized'), [
      'False',
      'ContainersNotInitialized',
      'containers with incomplete status: [wait]',
    ])
    assert.deepEqual(said(object, 'Ready'), ['False', 'ContainersNotReady', 'containers with unready status: [app]'])
    assert.deepEqual([object.status.phase, mains(object)], ['Pending', ['waiting PodInitializing']])
    assert.match(String(object.status.podIP), /^10\.244\./)
  })

  test('init containers run one after the other, but for one that runs beside the others', async () => {
    await when('one-by-one', 'Ready', isReady)
    const stages = changes('one-by-one').map(({ object }) => [...inits(object), ...mains(object)].join(' | '))
    const done = 'terminated Completed'
    const waiting = 'waiting PodInitializing'
    assert.equal(stages.at(-1), [done, 'running', done, 'running'].join(' | '))
    assert.ok(stages.includes([done, 'running', waiting, waiting].join(' | ')), stages.join('\n'))
    const early = (at: number): boolean =>
      stages.some((stage) => {
        const each = stage.split(' | ')
        return each[at] !== waiting && each.slice(0, at).some((before) => before === waiting)
      })
    assert.deepEqual([1, 2, 3].map(early), [false, false, false], stages.join('\n'))
    const object = pod('one-by-one')
    assert.deepEqual(said(object, 'Initialized').slice(0, 2), ['True', undefined])
    assert.deepEqual(
      object.status.initContainerStatuses?.map(({ ready }) => ready),
      [true, true, true],
    )
  })

  test('a container whose readiness probe fails keeps its pod from being Ready, whatever the others say', async () => {
    await when('half-ready', 'Running', ({ status }) => status.phase === 'Running')
    await when('one-by-one', 'Ready', isReady)
    const object = pod('half-ready')
    assert.deepEqual(said(object, 'Ready'), ['False', 'ContainersNotReady', 'containers with unready status: [second]'])
    assert.deepEqual(
      object.status.containerStatuses?.map(({ ready }) => ready),
      [true, false],
    )
  })

  test('a container whose liveness probe fails is started again, and the other one runs on', async () => {
    const { object } = await when('not-alive', 'a restart', ({ status }) =>
      (status.containerStatuses ?? []).some(({ restartCount }) => restartCount > 0),
    )
    assert.deepEqual(
      object.status.containerStatuses?.map(({ restartCount }) => restartCount),
      [0, 1],
    )
    assert.equal(object.status.containerStatuses?.[1]?.lastState.terminated?.exitCode, 0)
  })

  test('a container whose startup probe fails is never started for the other probes, and is started again', async () => {
    await when('not-started', 'a restart', (object) => restarts(object) > 0)
    for (const { object } of changes('not-started')) {
      const [first] = object.status.containerStatuses ?? []
      assert.deepEqual([first?.ready ?? false, first?.started ?? false], [false, false])
    }
  })

  test('until the startup probe has passed, no other one asks', async () => {
    const running = await when('slow', 'its container to run', (object) => mains(object)[0] === 'running')
    const ready = await when('slow', 'Ready', isReady)
    const afterMs = ready.atMs - running.atMs
    assert.ok(afterMs >= 3_000 && afterMs <= 8_000, `after ${afterMs} ms`)
    assert.equal(restarts(pod('slow')), 0)
  })

  test('a container is asked as soon as it runs, however long the period, unless there is a delay', async () => {
    const afterS = async (name: string): Promise<number> => {
      const { object } = await when(name, 'Ready', isReady)
      // By the stamps of the kubelet, in whole seconds: on a busy machine it may write late that the container runs.
      const startedAt = object.status.containerStatuses?.[0]?.state.running?.startedAt ?? ''
      const readyAt = condition(object, 'Ready')?.lastTransitionTime ?? ''
      return (Date.parse(readyAt) - Date.parse(startedAt)) / 1_000
    }
    const [rare, later] = [await afterS('rare'), await afterS('later')]
    assert.ok(rare >= 0 && rare <= 5, `rare after ${rare} s`)
    assert.ok(later >= 4 && later <= 10, `later after ${later} s`)
  })

  test('a pod whose image cannot be pulled is Pending, and its other container runs', async () => {
    await when('no-image', 'an error', (object) => mains(object)[0] === 'waiting ErrImagePull')
    const { object } = await when('no-image', 'to wait', (seen) => mains(seen)[0] === 'waiting ImagePullBackOff')
    assert.deepEqual([object.status.phase, mains(object)[1]], ['Pending', 'running'])
    assert.deepEqual(said(object, 'Initialized')[0], 'True')
    assert.deepEqual(said(object, 'Ready').slice(0, 2), ['False', 'ContainersNotReady'])
    assert.match(String(object.status.podIP), /^10\.244\./)
  })

  test('it starts at once when it is given another image', async () => {
    const { atMs } = await ground().now()
    const body = { spec: { containers: [{ name: 'app', image: IMAGE }] } }
    const contentType = 'application/strategic-merge-patch+json'
    assert.equal((await ground().ask('PATCH', `${PODS}/no-image`, { contentType, body })).status, 200)
    const ready = await when('no-image', 'Ready', isReady)
    assert.ok(ready.atMs - atMs < 8_000, `after ${ready.atMs - atMs} ms`)
  })

  test('a status that another client has changed is set right within ten seconds', async () => {
    const { atMs, revision } = await ground().now()
    await ground().ask('PATCH', `${PODS}/slow/status`, {
      contentType: 'application/strategic-merge-patch+json',
      body: { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    })
    const right = await ground().door.waitUntil({ what: 'it to be right', limitMs: 30_000 }, () =>
      ground()
        .log.changes('pod', revision)
        .find((change) => change.object.metadata.name === 'slow' && isReady(change.object)),
    )
    assert.ok(right.atMs - atMs < 15_000, `after ${right.atMs - atMs} ms`)
  })

  test('a container that ends is started again at once, then after 10 and 20 s, and so is an init container', async () => {
    for (const [name, container] of [
      ['crashes', (object: SeenPod) => object.status.containerStatuses?.[0]],
      ['fails', (object: SeenPod) => object.status.initContainerStatuses?.[0]],
    ] as const) {
      const starts: number[] = []
      for (const count of [0, 1, 2, 3]) {
        const begun = await when(name, `restart ${count}`, (object) => {
          const seen = container(object)
          return seen !== undefined && seen.restartCount === count && seen.containerID !== undefined
        })
        starts.push(begun.atMs)
      }
      const [first = 0, second = 0, third = 0, fourth = 0] = starts
      assert.ok(second - first < 6_000, `${name}: the first restart after ${second - first} ms`)
      assert.ok(third - second > 9_000 && third - second < 19_000, `${name}: the second after ${third - second} ms`)
      assert.ok(fourth - third > 18_000 && fourth - third < 36_000, `${name}: the third after ${fourth - third} ms`)
      const seen = changes(name).map(({ object }) => container(object))
      assert.ok(seen.some((status) => status?.state.waiting?.reason === 'CrashLoopBackOff'))
      assert.ok(seen.some((status) => status?.lastState.terminated?.exitCode === 1))
    }
    assert.deepEqual(mains(pod('fails')), ['waiting PodInitializing'])
    assert.equal(containerId(pod('fails')), '')
  })

  test('deleted, they leave the cluster as it was', async () => {
    for (const name of names) assert.equal((await ground().ask('DELETE', `${PODS}/${name}`)).status, 200)
    await ground().settled(10)
  })
}
