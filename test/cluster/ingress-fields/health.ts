import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HealthOrder, parseHealthOrder } from '../../../src/service/model/health-order.ts'
import { type ApiFleet, newFleet } from '../../support/ingress-api/api-fleet.ts'
import { type ApiObject, annotationOf, hostOf, imageOf, isReady } from '../../support/ingress-api/api-object.ts'
import type { IngressApiGround } from '../../support/ingress-api/ingress-api-ground.ts'
import { atNight } from '../../support/roll-bed/at-night.ts'

type Json = Readonly<Record<string, unknown>>

function orderOf(deployment: ApiObject): HealthOrder | undefined {
  const order = parseHealthOrder(annotationOf(deployment, 'evenkeel.dev/health-check') ?? '')
  return typeof order === 'string' ? undefined : order
}

/** The pods of the health checker. No kubelet runs them here: what they answer is seen on a whole cluster. */
export function fieldsOfHealth(ground: () => IngressApiGround): void {
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
