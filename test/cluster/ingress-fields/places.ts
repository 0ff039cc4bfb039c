import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFleet, newFleet } from '../../support/ingress-api/api-fleet.ts'
import { hostOf, isLeaving } from '../../support/ingress-api/api-object.ts'
import type { IngressApiGround } from '../../support/ingress-api/ingress-api-ground.ts'
import { atNight } from '../../support/roll-bed/at-night.ts'

/** How many pods run, where, and under which labels. */
export function fieldsOfPlaces(ground: () => IngressApiGround): void {
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
