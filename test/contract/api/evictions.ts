import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDoor } from './api-door.ts'
import { eventually } from './eventually.ts'
import { field, fields } from './field.ts'

const PODS = '/api/v1/namespaces/default/pods'
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
const MERGE = 'application/merge-patch+json'

/** The subresource eviction under every kind of budget. Needs a node n1 that no kubelet runs. */
export function evictionsContract(door: () => ApiDoor): void {
  const ask: ApiDoor['ask'] = (...words) => door().ask(...words)

  async function aRunningPod(name: string, app: string, ready = true): Promise<unknown> {
    const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'none' }] }
    const { body } = await ask('POST', PODS, { body: { metadata: { name, labels: { app } }, spec } })
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] }
    await ask('PATCH', `${PODS}/${name}/status`, { contentType: MERGE, body: { status } })
    return body
  }

  async function aBudget(name: string, app: string, spec: object, healthy: number): Promise<void> {
    await ask('POST', BUDGETS, { body: { metadata: { name }, spec: { selector: { matchLabels: { app } }, ...spec } } })
    await eventually(`the numbers of ${name}`, async () => {
      const [observed, current] = fields(
        (await ask('GET', `${BUDGETS}/${name}`)).body,
        'status.observedGeneration',
        'status.currentHealthy',
      )
      return observed === 1 && current === healthy
    })
  }

  const evict = (name: string, deleteOptions: object = {}) =>
    ask('POST', `${PODS}/${name}/eviction`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' }, deleteOptions },
    })

  test('a pod that no budget guards is marked with its grace', async () => {
    await aRunningPod('free', 'free')
    const { status, body } = await evict('free', { gracePeriodSeconds: 44 })
    assert.deepEqual([status, field(body, 'status')], [201, 'Success'])
    const marked = (await ask('GET', `${PODS}/free`)).body
    assert.equal(field(marked, 'metadata.deletionGracePeriodSeconds'), 44)
    const conditions = field(marked, 'status.conditions') as readonly Readonly<Record<string, unknown>>[]
    const target = conditions.find(({ type }) => type === 'DisruptionTarget')
    assert.deepEqual(
      [target?.status, target?.reason, target?.message],
      ['True', 'EvictionByEvictionAPI', 'Eviction API: evicting'],
    )
    assert.equal((await evict('nobody')).status, 404)
  })

  test('a dry run evicts nothing and spends nothing', async () => {
    await aRunningPod('tried-1', 'tried')
    await aRunningPod('tried-2', 'tried')
    await aBudget('tried', 'tried', { minAvailable: 1 }, 2)
    for (let i = 0; i < 2; i += 1) assert.equal((await evict('tried-1', { dryRun: ['All'] })).status, 201)
    const { body } = await ask('GET', `${PODS}/tried-1`)
    assert.equal(field(body, 'metadata.deletionTimestamp'), undefined)
    assert.equal(field((await ask('GET', `${BUDGETS}/tried`)).body, 'status.disruptionsAllowed'), 1)
  })

  test('another pod of that name is left alone, whatever budget guards it', async () => {
    await aRunningPod('reborn', 'reborn')
    await aBudget('reborn', 'reborn', { minAvailable: 0 }, 1)
    const uid = '00000000-0000-4000-8000-000000000000'
    const { status, body } = await evict('reborn', { preconditions: { uid } })
    assert.equal(status, 409)
    assert.match(String(field(body, 'message')), /the UID in the precondition|UID in precondition/)
    assert.equal(field((await ask('GET', `${PODS}/reborn`)).body, 'metadata.deletionTimestamp'), undefined)
  })

  test('a budget at its limit says its numbers and is not spent', async () => {
    await aRunningPod('tight-1', 'tight')
    await aRunningPod('tight-2', 'tight')
    await aBudget('tight', 'tight', { minAvailable: 2 }, 2)
    const { status, body } = await evict('tight-1')
    assert.deepEqual(
      [status, ...fields(body, 'reason', 'message')],
      [429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget."],
    )
    assert.deepEqual(field(body, 'details.causes'), [
      { reason: 'DisruptionBudget', message: 'The disruption budget tight needs 2 healthy pods and has 2 currently' },
    ])
  })

  test('a pod is deleted in its own grace whatever its budget says, and not by the uid of another one', async () => {
    const made = await aRunningPod('shut', 'shut')
    await aBudget('shut', 'shut', { minAvailable: 1 }, 1)
    assert.equal((await evict('shut')).status, 429)
    const remove = (uid: unknown) => ask('DELETE', `${PODS}/shut`, { body: { preconditions: { uid } } })
    const other = await remove('00000000-0000-4000-8000-000000000000')
    assert.equal(other.status, 409)
    assert.match(String(field(other.body, 'message')), /the UID in the precondition|UID in precondition/)
    const { status, body } = await remove(field(made, 'metadata.uid'))
    assert.deepEqual([status, ...fields(body, 'kind', 'metadata.deletionGracePeriodSeconds')], [200, 'Pod', 30])
  })

  test('a budget is spent by an eviction, at once, and opens again when another pod is Ready', async () => {
    for (const name of ['spent-1', 'spent-2', 'spent-3']) await aRunningPod(name, 'spent')
    await aBudget('spent', 'spent', { minAvailable: 2 }, 3)
    assert.equal((await evict('spent-1')).status, 201)
    assert.equal((await evict('spent-2')).status, 429)
    await aRunningPod('spent-4', 'spent')
    await eventually('the budget to open', async () => (await evict('spent-2')).status === 201)
  })

  test('a pod under two budgets cannot be evicted', async () => {
    await aRunningPod('double', 'double')
    await aBudget('double-a', 'double', { minAvailable: 0 }, 1)
    await aBudget('double-b', 'double', { minAvailable: 0 }, 1)
    const { status, body } = await evict('double')
    assert.deepEqual(
      [status, field(body, 'message')],
      [500, 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'],
    )
  })

  test('a pod that is not Ready goes where its budget is healthy without it, or always allows it', async () => {
    await aRunningPod('ill-1', 'ill', false)
    await aRunningPod('ill-2', 'ill')
    await aBudget('ill', 'ill', { minAvailable: 1 }, 1)
    assert.equal((await evict('ill-1')).status, 201)
    await aRunningPod('worse-1', 'worse', false)
    await aBudget('worse', 'worse', { minAvailable: 1 }, 0)
    assert.equal((await evict('worse-1')).status, 429)
    const body = { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } }
    await ask('PATCH', `${BUDGETS}/worse`, { contentType: MERGE, body })
    assert.equal((await evict('worse-1')).status, 201)
  })

  test('a pod that has finished or is pending goes whatever its budget says', async () => {
    await aRunningPod('over-1', 'over')
    await aBudget('over', 'over', { minAvailable: 1 }, 1)
    assert.equal((await evict('over-1')).status, 429)
    await ask('PATCH', `${PODS}/over-1/status`, { contentType: MERGE, body: { status: { phase: 'Succeeded' } } })
    assert.equal((await evict('over-1')).status, 201)
    assert.equal((await ask('GET', `${PODS}/over-1`)).status, 404)
    const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'none' }] }
    await ask('POST', PODS, { body: { metadata: { name: 'begun', labels: { app: 'begun' } }, spec } })
    await aBudget('begun', 'begun', { minAvailable: 1 }, 0)
    assert.equal((await evict('begun')).status, 201)
  })

  test('a pod that is on its way out goes again whatever its budget says', async () => {
    await aRunningPod('leaving', 'leaving')
    await ask('DELETE', `${PODS}/leaving`)
    await aBudget('leaving', 'leaving', { minAvailable: 1 }, 0)
    assert.equal((await evict('leaving')).status, 201)
  })

  test('a budget that asks for no pod lets a Ready pod go, and a pod that is not Ready only under AlwaysAllow', async () => {
    await aRunningPod('open-1', 'open', false)
    await aBudget('open', 'open', { minAvailable: 0 }, 0)
    const { status, body } = await evict('open-1')
    assert.deepEqual(
      [status, field(body, 'details.causes.0.message')],
      [429, 'The disruption budget open needs 0 healthy pods and has 0 currently'],
    )
    await ask('PATCH', `${BUDGETS}/open`, {
      contentType: MERGE,
      body: { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
    })
    assert.equal((await evict('open-1')).status, 201)
    await aRunningPod('wide-1', 'wide')
    await aBudget('wide', 'wide', { minAvailable: 0 }, 1)
    assert.equal((await evict('wide-1')).status, 201)
  })
}
