import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFleet, newFleet } from '../../support/ingress-api/api-fleet.ts'
import { hostOf, imageOf, isLeaving, operationOf } from '../../support/ingress-api/api-object.ts'
import type { IngressApiGround } from '../../support/ingress-api/ingress-api-ground.ts'
import { atNight } from '../../support/roll-bed/at-night.ts'

/** How many nodes and pods change at once. */
export function fieldsOfLimits(ground: () => IngressApiGround): void {
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
