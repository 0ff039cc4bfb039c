import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { type HealthOrder, parseHealthOrder } from '../../src/service/model/health-order.ts'
import { ApiFleet, newFleet } from '../support/ingress-api/api-fleet.ts'
import {
  type ApiObject,
  annotationOf,
  conditionOf,
  hostOf,
  imageOf,
  isLeaving,
  isReady,
  operationOf,
} from '../support/ingress-api/api-object.ts'
import { IngressApiGround } from '../support/ingress-api/ingress-api-ground.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { refusedRequests } from '../support/roll-bed/audit.ts'

/** What the pods are made of, and what the object says of itself. */
function fieldsOfWords(ground: () => IngressApiGround): void {
  test('template: labels, annotations and every field of the pod stay as they were written', async () => {
    const fleet = await newFleet(ground(), 'of-template', 2)
    const labels = { app: 'ingress-nginx', 'app.kubernetes.io/name': 'ingress-nginx' }
    const annotations = { 'prometheus.io/port': '10254' }
    const container = { name: 'web', image: 'web:1', args: ['--v=1'], env: [{ name: 'A', value: 'b' }] }
    const pod = { terminationGracePeriodSeconds: 300, containers: [container] }
    await fleet.create('web:1', { template: { metadata: { labels, annotations }, spec: pod } })
    for (const { metadata, spec = {} } of fleet.pods()) {
      assert.deepEqual({ ...metadata.labels, ...labels }, metadata.labels)
      assert.deepEqual({ ...metadata.annotations, ...annotations }, metadata.annotations)
      const [made] = spec.containers as readonly Readonly<Record<string, unknown>>[]
      assert.deepEqual(
        [spec.terminationGracePeriodSeconds, made?.args, made?.env],
        [300, container.args, container.env],
      )
    }
    const { length } = fleet.pods()
    assert.equal(length, 2)
  })

  test('status: counts, conditions and columns say how far a rollout is, and of which spec', async () => {
    const fleet = await newFleet(ground(), 'says-so', 2)
    const { kubectl } = ground().bed
    const row = async (): Promise<Readonly<Record<string, string>>> => {
      const table = await kubectl(['get', 'ingressdaemonsets.evenkeel.dev', fleet.name, '-o', 'wide'])
      const [heads = [], cells = []] = table.split('\n').map((line) => line.trim().split(/\s{2,}/))
      return Object.fromEntries(heads.map((head, i) => [head, cells[i] ?? '']))
    }
    const grace = { annotateDeploymentToDetach: { gracePeriodSeconds: 6 } }
    await fleet.create('web:1', fleet.detaching(grace))
    await kubectl(['wait', `ingressdaemonset.evenkeel.dev/${fleet.name}`, '--for=condition=Ready', '--timeout=10s'])
    const { AGE: _age, REVISION: first, ...settled } = await row()
    assert.deepEqual(settled, {
      ...{ NAME: 'says-so', DESIRED: '2', READY: '2', UPDATED: '2', DETACHED: '0', STUCK: '0' },
      ...{ STATUS: 'AllInService', 'PODS/NODE': '2', IMAGES: 'web:1' },
    })
    await fleet.changeImage('web:2')
    const detached = () => fleet.object()?.status?.detachedNodes === 1
    await ground().until('a node to be detached', detached)
    const { DETACHED, STATUS, REVISION: second, UPDATED } = await row()
    assert.deepEqual([DETACHED, STATUS, UPDATED], ['1', 'RollingOut', '0'])
    assert.notEqual(first, second)
    const object = fleet.object()
    assert.ok(object)
    const [out, ...others] = (object.status?.nodes ?? []) as readonly {
      readonly name: string
      readonly state: string
    }[]
    assert.deepEqual([out?.state, others.map(({ state }) => state)], ['Detaching', ['Queued']])
    assert.deepEqual(
      ['Available', 'Progressing', 'Stalled', 'Degraded', 'Ready'].map((type) => conditionOf(object, type)),
      ['True EnoughInService', 'True RollingOut', 'False NotStalled', 'False AsWanted', 'False RollingOut'],
    )
    assert.equal(object.status?.observedGeneration, object.metadata.generation)
    await fleet.rolledOut('web:2')
    const { UPDATED: updated, READY, STATUS: last } = await row()
    assert.deepEqual([updated, READY, last], ['2', '2', 'AllInService'])
  })
}

/** How many pods run, where, and under which labels. */
function fieldsOfPlaces(ground: () => IngressApiGround): void {
  test('podsPerNode: so many pods run on each node, and another number changes no pod that is there', async () => {
    const fleet = await newFleet(ground(), 'per-node', 2)
    await fleet.create('web:1', fleet.detaching({}))
    const counts = () => fleet.nodes.map((node) => fleet.podsOn(node).length)
    assert.deepEqual(counts(), [2, 2])
    const before = fleet.pods().map(({ metadata }) => metadata.uid)
    const since = await fleet.change({ podsPerNode: 3 })
    await ground().until('three pods on each node', () => counts().join() === '3,3' && fleet.isRolledOut('web:1'))
    const now = fleet.pods().map(({ metadata }) => metadata.uid)
    assert.deepEqual(
      before.filter((uid) => !now.includes(uid)),
      [],
    )
    assert.deepEqual(
      fleet.deployments().map(({ spec }) => spec?.replicas),
      [3, 3],
    )
    assert.equal(fleet.mostClaimed(since), 0)
    const stdin = JSON.stringify(fleet.manifest('web:1', { replicas: 2 }))
    await assert.rejects(
      ground().bed.kubectl(['apply', '--dry-run=server', '--validate=strict', '-f', '-'], { stdin }),
      /unknown field "spec\.replicas"/,
      'the second name that the page of the original has for it is refused, and not left without effect',
    )
  })

  atNight(
    'selector: Deployments and pods bear its labels, a Service by it finds all pods, and two objects share none',
    {},
    async () => {
      const labels = { app: 'edge', tier: 'front' }
      const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } }
      const spec = { selector: { matchLabels: labels }, template }
      const one = await newFleet(ground(), 'selects', 2)
      const other = new ApiFleet(ground(), { name: 'selects-too', nodes: 2, on: 'selects' })
      await Promise.all([one.create('web:1', spec), other.create('web:1', spec)])
      const selected = ground()
        .history.now('deployments')
        .filter(({ metadata }) => metadata.labels?.app === 'edge' && metadata.labels.tier === 'front')
      assert.equal(selected.length, 4)
      for (const fleet of [one, other]) assert.deepEqual(fleet.pods().map(hostOf).toSorted(), fleet.nodes)
      await ground().bed.apply([
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'edge', namespace: 'default' },
          spec: { selector: labels, ports: [{ port: 80 }] },
        },
      ])
      const words = ['get', 'endpointslices', '-l', 'kubernetes.io/service-name=edge', '-o']
      const path = 'jsonpath={.items[*].endpoints[*].targetRef.name}'
      let found: readonly string[] = []
      const all = [...one.pods(), ...other.pods()].map(({ metadata }) => metadata.name).toSorted()
      await ground().until('the Service to find a pod', () => all.length === 4)
      for (let look = 0; look < 40 && found.length < 4; look += 1)
        found = (await ground().bed.kubectl([...words, path])).split(/\s+/).filter((word) => word !== '')
      assert.deepEqual(found.toSorted(), all)
    },
  )

  test('nodeSelector: only nodes that fit it and that of the template have pods, and a node that fits no more is detached first', async () => {
    const fleet = await newFleet(ground(), 'places', 3)
    const label = (node: string, edge: string | null) =>
      ground().mustAsk('PATCH', `/api/v1/nodes/${node}`, { metadata: { labels: { edge } } })
    await label('places-1', 'yes')
    await ground().nodes(['elsewhere-1'], { edge: 'yes' })
    const template = {
      metadata: { labels: { app: 'places' } },
      spec: { nodeSelector: { edge: 'yes' }, containers: [{ name: 'web', image: 'web:1' }] },
    }
    await fleet.create(
      'web:1',
      fleet.detaching({ annotateDeploymentToDetach: { gracePeriodSeconds: 1 } }, { template }),
    )
    const hosts = () => [...new Set(fleet.pods().map(hostOf))].toSorted().join()
    assert.equal(hosts(), 'places-1')
    await label('places-2', 'yes')
    await ground().until('pods on the second node', () => hosts() === 'places-1,places-2' && fleet.isRolledOut('web:1'))
    const since = ground().history.version()
    await label('places-1', null)
    await ground().until('no pods on the first node', () => hosts() === 'places-2')
    let wasClaimed = false
    fleet.replay(since, (world, { kind, object }) => {
      if (kind === 'pods' && isLeaving(object) && hostOf(object) === 'places-1')
        wasClaimed ||= fleet.claimed(world).includes('places-1')
    })
    assert.ok(wasClaimed)
    await ground().until(
      'the node to be free',
      () => fleet.node('places-1')?.metadata.annotations?.[CLAIMS] === undefined,
    )
  })

  atNight(
    'an object that is made again after it was deleted without what belongs to it takes over its Deployments and its gates',
    {},
    async () => {
      const fleet = await newFleet(ground(), 'orphans', 2)
      await fleet.create('web:1', fleet.detaching({}))
      const uid = fleet.object()?.metadata.uid
      const gates = (owner: string | undefined) =>
        ground()
          .history.now('gates')
          .filter(({ metadata }) => metadata.ownerReferences?.some((one) => one.uid === owner))
      await ground().until('two gates', () => gates(uid).length === 2)
      await ground().mustAsk('DELETE', `${fleet.path}/orphans`, { propagationPolicy: 'Orphan' })
      await ground().until('it to be gone', () => fleet.object() === undefined)
      await fleet.create('web:1', fleet.detaching({}))
      const now = fleet.object()?.metadata.uid
      assert.notEqual(now, uid)
      await ground().until('two gates of the new one', () => gates(now).length === 2)
      await fleet.changeImage('web:2')
      await fleet.rolledOut('web:2')
    },
  )
}

const CLAIMS = 'evenkeel.dev/maintenance'

/** The watch tells of two changes with delays that differ by less. */
const WATCH_MS = 400

/** What asks a node to leave, and what is waited for. */
function fieldsOfMarks(ground: () => IngressApiGround): void {
  const marks = [
    ['annotateDeploymentToDetach', 'deployments', 'marks-deployment', 'soon'],
    ['annotateDeploymentToDetach', 'deployments', 'marks-deployment-bare', ''],
    ['annotateNodeToDetach', 'nodes', 'marks-node', 'true'],
    ['annotateNodeToDetach', 'nodes', 'marks-node-bare', ''],
  ] as const
  for (const [field, of, name, value] of marks) {
    const said = value === '' ? 'its key alone' : 'its key and value'
    const declare = value === '' ? atNight : test
    declare(
      `${field}: ${said} stand for the grace before a pod changes, and are gone when the node is back`,
      {},
      async () => {
        const fleet = await newFleet(ground(), name, 2)
        const key = `${name}.example/detach`
        const mark = { key, ...(value === '' ? {} : { value }), gracePeriodSeconds: 2 }
        await fleet.create('web:1', fleet.detaching({ [field]: mark }))
        const since = await fleet.changeImage('web:2')
        await fleet.rolledOut('web:2')
        for (const node of fleet.nodes) {
          const tookMs = fleet.markToPods(since, { node, of, key, value })
          assert.ok(tookMs >= 2_000 - WATCH_MS, `pods of ${node} changed ${tookMs} ms after the mark`)
          const marked = of === 'nodes' ? fleet.node(node) : fleet.deploymentOf(node)
          assert.ok(marked !== undefined)
          assert.equal(annotationOf(marked, key), undefined)
        }
      },
    )
  }

  atNight('annotateNodeToDetach: a mark that was there before keeps its value, and stays', {}, async () => {
    const fleet = await newFleet(ground(), 'marked-before', 2)
    const key = 'marked-before.example/detach'
    await ground().annotateNode('marked-before-1', { [key]: 'by hand' })
    const annotateNodeToDetach = { key, value: 'true', gracePeriodSeconds: 0 }
    const spec = fleet.detaching({ annotateNodeToDetach, maxUnavailableNodes: 2, minInServiceNodes: 0 })
    await ground().mustAsk('POST', fleet.path, fleet.manifest('web:1', spec))
    const allOf = (image: string) =>
      ground().until(`four pods of ${image}`, () => {
        const pods = fleet.pods().filter((pod) => imageOf(pod) === image && isReady(pod))
        const isQuiet = fleet.deployments().every((one) => operationOf(one) === undefined)
        return pods.length === 4 && fleet.pods().length === 4 && isQuiet
      })
    await allOf('web:1')
    const since = await fleet.changeImage('web:2')
    await allOf('web:2')
    await ground().until('the mark of the second node to go', () => {
      const node = fleet.node('marked-before-2')
      return node !== undefined && annotationOf(node, key) === undefined
    })
    const values = new Map<string, Set<string | undefined>>(fleet.nodes.map((name) => [name, new Set()]))
    fleet.replay(since, (_world, { kind, object }) => {
      if (kind === 'nodes') values.get(object.metadata.name)?.add(annotationOf(object, key))
    })
    assert.deepEqual(
      [...values.values()].map((seen) => [...seen]),
      [['by hand'], [undefined, 'true']],
    )
  })

  test('waitForDetachmentByAnnotatedTimestamp: pods change when the grace from a new timestamp on the Node is over, and no earlier', async () => {
    const fleet = await newFleet(ground(), 'acknowledged', 2)
    const [asked, answered] = ['acknowledged.example/detach', 'acknowledged.example/detached-at']
    const annotateNodeToDetach = { key: asked, value: 'true', gracePeriodSeconds: 0 }
    const waitForDetachmentByAnnotatedTimestamp = { key: answered, format: 'RFC3339', gracePeriodSeconds: 2 }
    await fleet.create('web:1', fleet.detaching({ annotateNodeToDetach, waitForDetachmentByAnnotatedTimestamp }))
    // Of an earlier cycle.
    const stale = '2026-01-01T00:00:00Z'
    for (const node of fleet.nodes) await ground().annotateNode(node, { [answered]: stale })
    const since = await fleet.changeImage('web:2')
    const message = () => JSON.stringify(fleet.object()?.status?.nodes)
    const said = (why: RegExp) => ground().until(`it to say that ${why}`, () => why.test(message()))
    await said(/is still the one from before the request/)
    const { name: node } = ground()
      .history.now('nodes')
      .find((one) => annotationOf(one, asked) !== undefined)?.metadata ?? { name: '' }
    assert.ok(fleet.nodes.includes(node))
    await ground().annotateNode(node, { [answered]: '2026-01-01T00:00:01Z' })
    await said(/is older than the request/)
    await ground().annotateNode(node, { [answered]: 'yes' })
    await said(/is no RFC 3339 time/)
    const deployment = fleet.deploymentOf(node)?.metadata
    await ground().annotateNode(node, { [answered]: null })
    await said(/is missing/)
    // Where the original looked for it, and no detacher writes it.
    await ground().mustAsk('PATCH', `/apis/apps/v1/namespaces/default/deployments/${deployment?.name}`, {
      metadata: { annotations: { [answered]: new Date().toISOString() } },
    })
    await ground().until('the Deployment to be seen', () => {
      const seen = fleet.deploymentOf(node)
      return seen !== undefined && annotationOf(seen, answered) !== undefined
    })
    assert.ok(fleet.pods().every((pod) => imageOf(pod) === 'web:1' && !isLeaving(pod)))
    const stamp = new Date().toISOString()
    ground().detacher(asked, answered)
    await fleet.rolledOut('web:2')
    for (const one of fleet.nodes) {
      const isNew = (object: ApiObject): boolean =>
        object.metadata.name === one && (annotationOf(object, answered) ?? stale) >= stamp
      const answeredAt = fleet.firstSeen(since, 'nodes', isNew)
      const left = fleet.firstSeen(since, 'pods', (pod) => hostOf(pod) === one && isLeaving(pod))
      const tookMs = (left ?? Number.NaN) - (answeredAt ?? Number.NaN)
      assert.ok(tookMs >= 2_000 - WATCH_MS, `pods of ${one} changed ${tookMs} ms after the timestamp`)
    }
    for (const one of fleet.nodes) assert.equal(annotationOf(fleet.node(one) ?? NOTHING, asked), undefined)
  })
}

const NOTHING = { metadata: { name: '', uid: '', resourceVersion: '' } }

/** How many nodes and pods change at once. */
function fieldsOfLimits(ground: () => IngressApiGround): void {
  test('updateStrategy.type: RollingUpdate alone is taken', async () => {
    const fleet = new ApiFleet(ground(), { name: 'of-type', nodes: 0 })
    const tried = async (type: string) =>
      (await ground().api('POST', `${fleet.path}?dryRun=All`, fleet.manifest('web:1', { updateStrategy: { type } })))
        .status
    assert.deepEqual([await tried('RollingUpdate'), await tried('OnDelete'), await tried('Recreate')], [201, 422, 422])
  })

  test('maxUnavailableNodes: as many nodes as that are out at once, each detached before all of its pods are replaced at once', async () => {
    const fleet = await newFleet(ground(), 'nodes-out', 4)
    await fleet.create('web:1', fleet.detaching({ maxUnavailableNodes: 2, ...GRACE_OF_ONE_SECOND }))
    const since = await fleet.changeImage('web:2')
    await fleet.rolledOut('web:2')
    assert.equal(fleet.mostClaimed(since), 2)
    const leftFrom = new Set<string>()
    const early: string[] = []
    const atOnce = new Set<string>()
    fleet.replay(since, (world, { kind, object }) => {
      const host = kind === 'pods' ? (hostOf(object) ?? '') : ''
      if (!fleet.nodes.includes(host)) return
      if (isLeaving(object) && !fleet.claimed(world).includes(host)) early.push(host)
      if (isLeaving(object)) leftFrom.add(host)
      const here = [...world.pods.values()].filter((pod) => fleet.owns(pod) && hostOf(pod) === host)
      if (here.length > 0 && here.every((pod) => isLeaving(pod) && imageOf(pod) === 'web:1')) atOnce.add(host)
    })
    assert.deepEqual([[...leftFrom].toSorted(), early, [...atOnce].toSorted()], [fleet.nodes, [], fleet.nodes])
    for (const [fields, says] of [
      [{ maxDegradedNodes: 1 }, /maxUnavailableNodes and maxDegradedNodes are both set/],
      [{ maxUnavailablePodsPerNode: 1 }, /maxUnavailablePodsPerNode is set beside maxUnavailableNodes/],
      [{ maxSurgedPodsPerNode: 1 }, /maxSurgedPodsPerNode is set beside maxUnavailableNodes/],
    ] as const) {
      const body = { spec: { updateStrategy: { rollingUpdate: fields } } }
      const reply = await ground().api('PATCH', `${fleet.path}/${fleet.name}`, body)
      assert.equal(reply.status, 422)
      assert.match(JSON.stringify(reply.body), says)
    }
  })

  for (const [title, name, strategy, most] of [
    ['one node at a time where nothing is said', 'in-place', {}, 1],
    ['as many nodes as it says', 'in-place-two', { updateStrategy: { rollingUpdate: { maxDegradedNodes: 2 } } }, 2],
  ] as const) {
    const declare = most === 1 ? atNight : test
    declare(`maxDegradedNodes: ${title}, and none of them is detached`, {}, async () => {
      const fleet = await newFleet(ground(), name, 3)
      await fleet.create('web:1', { podsPerNode: 2, ...strategy })
      const since = await fleet.changeImage('web:2')
      await fleet.rolledOut('web:2')
      let mostAtOnce = 0
      fleet.replay(since, (world) => {
        const busy = [...world.deployments.values()].filter((one) => fleet.owns(one) && operationOf(one) !== undefined)
        mostAtOnce = Math.max(mostAtOnce, busy.length)
      })
      assert.deepEqual([mostAtOnce, fleet.mostClaimed(since)], [most, 0])
    })
  }

  /** The fewest Ready pods of a node, the most pods that it had, and the strategy of its Deployment, in a change in place. */
  async function inPlace(name: string, rollingUpdate: object) {
    const fleet = await newFleet(ground(), name, 1)
    const updateStrategy = { rollingUpdate: { ...rollingUpdate, minInServiceNodes: 0 } }
    await fleet.create('web:1', { podsPerNode: 4, updateStrategy })
    const since = await fleet.changeImage('web:2')
    await fleet.rolledOut('web:2')
    const [node = ''] = fleet.nodes
    let [least, most] = [4, 4]
    fleet.replay(since, (world) => {
      least = Math.min(least, fleet.readyOn(world, node))
      const living = [...world.pods.values()].filter((pod) => fleet.owns(pod) && !isLeaving(pod))
      most = Math.max(most, living.length)
    })
    const { rollingUpdate: strategy } = (fleet.deploymentOf(node)?.spec?.strategy ?? {}) as { rollingUpdate?: object }
    return { least, most, strategy }
  }

  test('maxUnavailablePodsPerNode: so many pods of a node are replaced at once while it serves', async () => {
    const { least, strategy } = await inPlace('pods-out', { maxUnavailablePodsPerNode: 1 })
    assert.deepEqual([least, strategy], [3, { maxUnavailable: 1, maxSurge: 0 }])
  })

  for (const [name, alias] of [
    ['pods-out-page', 'maxUnavaiablePodsPerNode'],
    ['pods-out-code', 'maxUnavailablePodsPerNodes'],
  ] as const) {
    atNight(`maxUnavailablePodsPerNode: ${alias}, as the original spells it, does the same`, {}, async () => {
      const { least, strategy } = await inPlace(name, { [alias]: 2 })
      assert.deepEqual([least, strategy], [2, { maxUnavailable: 2, maxSurge: 0 }])
    })
  }

  test('maxSurgedPodsPerNode: so many pods more are started before the old ones stop', async () => {
    const limits = { maxUnavailablePodsPerNode: 0, maxSurgedPodsPerNode: 1 }
    const { least, most, strategy } = await inPlace('pods-more', limits)
    assert.deepEqual([least, strategy], [4, { maxUnavailable: 0, maxSurge: 1 }])
    // The Deployment controller counts a pod as gone as soon as it has asked for that.
    assert.ok(most > 4, `${most} pods at most`)
  })
}

const GRACE_OF_ONE_SECOND = { annotateDeploymentToDetach: { gracePeriodSeconds: 1 } }

type Json = Readonly<Record<string, unknown>>

function orderOf(deployment: ApiObject): HealthOrder | undefined {
  const order = parseHealthOrder(annotationOf(deployment, 'evenkeel.dev/health-check') ?? '')
  return typeof order === 'string' ? undefined : order
}

/** The pods of the health checker. No kubelet runs them here: what they answer is seen on a whole cluster. */
function fieldsOfHealth(ground: () => IngressApiGround): void {
  const daemonSetOf = ({ name }: ApiFleet): ApiObject | undefined =>
    ground()
      .history.now('daemonSets')
      .find(({ metadata }) => metadata.name === `${name}-hc`)
  const podsOf = ({ name }: ApiFleet): readonly ApiObject[] =>
    ground()
      .history.now('pods')
      .filter(({ metadata }) => metadata.labels?.['evenkeel.dev/health-checker'] === name)
  const hostsOf = (fleet: ApiFleet): readonly (string | undefined)[] => podsOf(fleet).map(hostOf).toSorted()
  const answeredBy = (fleet: ApiFleet) => fleet.deployments().map((one) => orderOf(one)?.by ?? 'agents')
  const portsOf = (fleet: ApiFleet) => fleet.deployments().map((one) => orderOf(one)?.ports.length)
  const isOnAll = (fleet: ApiFleet, fits: (pod: ApiObject) => boolean): boolean =>
    hostsOf(fleet).join() === fleet.nodes.join() && podsOf(fleet).every((pod) => isReady(pod) && fits(pod))

  test('healthChecker.image: one pod of it on each node of the object and on no other, also on one that is cordoned, and it goes with the field', async () => {
    const fleet = await newFleet(ground(), 'checked', 3)
    const cordon = (unschedulable: boolean) =>
      ground().mustAsk('PATCH', '/api/v1/nodes/checked-3', { spec: { unschedulable } })
    await cordon(true)
    const healthChecker = { image: 'checker:1' }
    const spec = { healthCheckNodePorts: [10_080], healthChecker }
    await ground().mustAsk('POST', fleet.path, fleet.manifest('web:1', spec))
    await ground().until('a pod on each node', () => isOnAll(fleet, (pod) => imageOf(pod) === 'checker:1'))
    const made = daemonSetOf(fleet)
    await cordon(false)
    await fleet.rolledOut('web:1')
    await fleet.changeImage('web:2')
    await fleet.rolledOut('web:2')
    await fleet.change({ healthCheckNodePorts: [10_080, 10_081] })
    await ground().until('the second port', () => portsOf(fleet).every((count) => count === 2))
    assert.deepEqual([...new Set(answeredBy(fleet))], ['pods'])
    const { uid, generation } = daemonSetOf(fleet)?.metadata ?? {}
    assert.deepEqual([uid, generation], [made?.metadata.uid, 1], 'what the API server fills in is not written again')
    await fleet.change({ healthChecker: { image: 'checker:2' } })
    await ground().until('the other image', () => isOnAll(fleet, (pod) => imageOf(pod) === 'checker:2'))
    assert.equal(daemonSetOf(fleet)?.metadata.generation, 2)
    await fleet.change({ healthChecker: null })
    await ground().until('no health checker', () => daemonSetOf(fleet) === undefined && podsOf(fleet).length === 0)
    assert.deepEqual([...new Set(answeredBy(fleet))], ['agents'])
  })

  atNight('healthChecker.image: where agents answered they do so until all of its pods are available', {}, async () => {
    const fleet = await newFleet(ground(), 'handed-over', 2)
    await fleet.create('web:1', { healthCheckNodePorts: [10_080] })
    assert.deepEqual([daemonSetOf(fleet), answeredBy(fleet)], [undefined, ['agents', 'agents']])
    const since = await fleet.change({ healthChecker: { image: 'checker:1' } })
    await ground().until('the pods to answer', () => answeredBy(fleet).join() === 'pods,pods')
    let early = 0
    fleet.replay(since, (world, { kind, object }) => {
      if (kind !== 'deployments' || !fleet.owns(object)) return
      const { numberAvailable } = (world.daemonSets.get('default/handed-over-hc')?.status ?? {}) as Json
      if (orderOf(object)?.by === 'pods' && numberAvailable !== 2) early += 1
    })
    assert.equal(early, 0)
  })

  const specOf = (fleet: ApiFleet): Json => {
    const { template } = (daemonSetOf(fleet)?.spec ?? {}) as { readonly template?: { readonly spec: Json } }
    return template?.spec ?? {}
  }
  const pullPolicyOf = (fleet: ApiFleet): unknown => (specOf(fleet).containers as readonly Json[])[0]?.imagePullPolicy

  atNight('healthChecker.imagePullPolicy: IfNotPresent where nothing is said, otherwise as it says', {}, async () => {
    const fleet = await newFleet(ground(), 'pulled', 1)
    const checkedBy = (healthChecker: Json) => ({ healthCheckNodePorts: [10_080], healthChecker })
    await fleet.create('web:1', checkedBy({ image: 'checker:1' }))
    assert.equal(pullPolicyOf(fleet), 'IfNotPresent')
    await fleet.change(checkedBy({ image: 'checker:1', imagePullPolicy: 'Always' }))
    await ground().until('the other policy', () => pullPolicyOf(fleet) === 'Always')
  })

  atNight(
    'healthChecker.serviceAccountName: the pods have that account, and default where nothing is said',
    {},
    async () => {
      const fleet = await newFleet(ground(), 'account', 1)
      const accountOf = (pod: ApiObject): unknown => pod.spec?.serviceAccountName
      await ground().mustAsk('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'checker' } })
      await fleet.create('web:1', { healthCheckNodePorts: [10_080], healthChecker: { image: 'checker:1' } })
      await ground().until('a pod', () => isOnAll(fleet, (pod) => accountOf(pod) === 'default'))
      await fleet.change({ healthChecker: { serviceAccountName: 'checker' } })
      await ground().until('a pod of the other account', () => isOnAll(fleet, (pod) => accountOf(pod) === 'checker'))
    },
  )
}

const ACCOUNT = 'system:serviceaccount:evenkeel:evenkeel-agent-controller'

/** Each field of an IngressDaemonSet, by the meaning that the page of the original gives it. All of them at once. */
describe('on a real API server', { ...requires('testbed', 'helm'), concurrency: true }, () => {
  let opened: IngressApiGround | undefined
  const ground = (): IngressApiGround => {
    assert.ok(opened)
    return opened
  }

  before(async () => {
    // Room for every object here at once.
    opened = await IngressApiGround.open('20')
    await opened.controller()
  })
  after(async () => {
    if (opened === undefined) return
    const lines = readFileSync(opened.bed.auditLog, 'utf8').split('\n')
    const failures = opened.failures()
    await opened.close()
    const asked = lines.filter((line) => line !== '')
    assert.deepEqual([failures, refusedRequests(asked, ACCOUNT)], [[], []], 'the rights of the chart are enough')
  })

  fieldsOfPlaces(ground)
  fieldsOfLimits(ground)
  fieldsOfMarks(ground)
  fieldsOfWords(ground)
  fieldsOfHealth(ground)
})
