import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { EvictionAnswer } from '../../src/ground/model/eviction.ts'
import type { Pod } from '../../src/ground/model/pod.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import type { RawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { KubeGround } from './kube-ground.ts'
import { openOnBed } from './open-on-bed.ts'

describe('evictions on a real API server', requires('testbed'), () => {
  const ground = new KubeGround()
  const { signal } = ground
  let bed: Bed
  let cluster: Cluster
  let raw: RawApi

  before(async () => {
    ;({ bed, cluster, raw } = await ground.open())
    await raw('POST', '/api/v1/nodes', { metadata: { name: 'n1' } })
    await bed.kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=30s'])
  })
  after(() => ground.close())

  const PODS = '/api/v1/namespaces/default/pods'
  const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

  /** A pod that no kubelet runs, but whose status says it does. */
  async function aRunningPod(name: string, app: string, ownerReferences: readonly object[] = []): Promise<Pod> {
    const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'none' }] }
    const made = await raw('POST', PODS, { metadata: { name, labels: { app }, ownerReferences }, spec })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    assert.equal((await raw('PATCH', `${PODS}/${name}/status`, { status })).status, 200)
    return await find(name)
  }

  async function find(name: string): Promise<Pod> {
    const pods = await cluster.list('pods', signal)
    return pods.find((pod) => pod.name === name) ?? assert.fail(`no pod ${name}`)
  }

  /** A budget whose numbers the disruption controller has worked out. */
  async function aBudget(name: string, app: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
    const selector = { matchLabels: { app } }
    const made = await raw('POST', BUDGETS, { metadata: { name }, spec: { selector, ...spec } })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    await waitFor({ what: `the status of budget ${name}`, limitMs: 20_000 }, async () => {
      const budgets = await cluster.list('disruptionbudgets', signal)
      const found = budgets.find((budget) => budget.name === name)
      return found !== undefined && (found.currentHealthy > 0 || found.syncFailed) ? found : undefined
    })
  }

  const evict = (pod: Pod, dryRun = false): Promise<EvictionAnswer> =>
    cluster.evict(pod, { dryRun, graceSeconds: 0 }, signal)

  test('a pod that no budget guards is evicted, and is gone when it is asked for again', async () => {
    const pod = await aRunningPod('free', 'free')
    assert.deepEqual(await evict(pod), { kind: 'accepted' })
    assert.deepEqual(await evict(pod), { kind: 'gone' })
  })

  test('the grace that is asked for is the grace that is given', async () => {
    const pod = await aRunningPod('graceful', 'graceful')
    assert.deepEqual(await cluster.evict(pod, { dryRun: false, graceSeconds: 77 }, signal), { kind: 'accepted' })
    const seconds = ['get', 'pod', 'graceful', '-o', 'jsonpath={.metadata.deletionGracePeriodSeconds}']
    assert.equal(await bed.kubectl(seconds), '77')
    assert.equal((await find('graceful')).terminating, true)
  })

  test('a dry run evicts nothing', async () => {
    const pod = await aRunningPod('tried', 'tried')
    assert.deepEqual(await evict(pod, true), { kind: 'accepted' })
    assert.equal((await find('tried')).terminating, false)
  })

  test('a pod that has taken the name of ours is left alone', async () => {
    const old = await aRunningPod('reborn', 'reborn')
    await raw('DELETE', `${PODS}/reborn?gracePeriodSeconds=0`)
    const young = await aRunningPod('reborn', 'reborn')
    assert.notEqual(young.uid, old.uid)
    assert.deepEqual(await evict(old), { kind: 'replaced' })
    assert.equal((await find('reborn')).uid, young.uid)
    await raw('PATCH', `${PODS}/reborn/status`, { status: { phase: 'Succeeded' } })
    assert.deepEqual(await evict(old), { kind: 'replaced' })
  })

  test('a pod whose eviction its budget refuses is deleted in its own grace, and no other by its name', async () => {
    const old = await aRunningPod('stubborn', 'stubborn')
    await raw('DELETE', `${PODS}/stubborn?gracePeriodSeconds=0`)
    const pod = await aRunningPod('stubborn', 'stubborn')
    await aBudget('stubborn', 'stubborn', { maxUnavailable: 0 })
    assert.notEqual((await evict(pod)).kind, 'accepted')
    assert.deepEqual(await cluster.deletePod(old, signal), { kind: 'replaced' })
    assert.equal((await find('stubborn')).terminating, false)
    assert.deepEqual(await cluster.deletePod(pod, signal), { kind: 'accepted' })
    const seconds = ['get', 'pod', 'stubborn', '-o', 'jsonpath={.metadata.deletionGracePeriodSeconds}']
    assert.equal(await bed.kubectl(seconds), '30')
    await raw('DELETE', `${PODS}/stubborn?gracePeriodSeconds=0`)
    assert.deepEqual(await cluster.deletePod(pod, signal), { kind: 'gone' })
  })

  test('a budget at its limit is named with its numbers, also in a dry run', async () => {
    const [first] = [await aRunningPod('tight-1', 'tight'), await aRunningPod('tight-2', 'tight')]
    await aBudget('tight', 'tight', { minAvailable: 2 })
    const answer = { kind: 'budget', refusal: { budget: 'tight', need: 2, have: 2 } }
    assert.deepEqual(await evict(first), answer)
    assert.deepEqual(await evict(first, true), answer)
  })

  test('a budget that opens lets the pod go', async () => {
    const [first] = [await aRunningPod('opening-1', 'opening'), await aRunningPod('opening-2', 'opening')]
    await aBudget('opening', 'opening', { minAvailable: 2 })
    assert.equal((await evict(first)).kind, 'budget')
    await aRunningPod('opening-3', 'opening')
    const accepted = await waitFor({ what: 'the budget to open', limitMs: 20_000 }, async () => {
      const answer = await evict(first)
      return answer.kind === 'accepted' ? answer : undefined
    })
    assert.deepEqual(accepted, { kind: 'accepted' })
  })

  test('a pod under two budgets is never evicted, and that is no passing failure', async () => {
    const pod = await aRunningPod('double', 'double')
    await aBudget('double-a', 'double', { minAvailable: 0 })
    await aBudget('double-b', 'double', { minAvailable: 0 })
    assert.deepEqual(await evict(pod), {
      kind: 'twoBudgets',
      text: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    })
  })

  /** A pod whose owner has no scale, so that no share of it can be worked out. */
  async function anOddPod(name: string): Promise<Pod> {
    const node = await cluster.readNode('n1', signal)
    return await aRunningPod(name, name, [
      { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: node?.uid, controller: true },
    ])
  }

  const syncFailed = (name: string) =>
    waitFor({ what: `the controller to give up on ${name}`, limitMs: 20_000 }, async () => {
      const budgets = await cluster.list('disruptionbudgets', signal)
      return budgets.find((budget) => budget.name === name)?.syncFailed || undefined
    })

  test('a budget that can no longer be computed is distinguished from one at its limit', async () => {
    await raw('POST', BUDGETS, {
      metadata: { name: 'odd' },
      spec: { selector: { matchLabels: { app: 'odd' } }, maxUnavailable: 1 },
    })
    await bed.kubectl(['wait', '--for=jsonpath={.status.observedGeneration}=1', 'pdb/odd', '--timeout=20s'])
    const pod = await anOddPod('odd')
    await syncFailed('odd')
    const answer = await evict(pod)
    assert.ok(answer.kind === 'budgetBroken', JSON.stringify(answer))
    assert.equal(answer.refusal.budget, 'odd')
    assert.match(answer.text, /because it failed sync: .*does not implement the scale subresource/)
  })

  test('a budget that could never be computed claims to be worked on, and only its status says otherwise', async () => {
    const pod = await anOddPod('never')
    let tries = 0
    // A controller that does not see the pod yet computes the budget once.
    const answer = await waitFor({ what: 'a budget that was never computed', limitMs: 30_000 }, async () => {
      tries += 1
      await aBudget(`never-${tries}`, 'never', { maxUnavailable: 1 })
      await syncFailed(`never-${tries}`)
      const answer = await evict(pod, true)
      await raw('DELETE', `${BUDGETS}/never-${tries}`)
      return answer.kind === 'budgetStale' ? answer : undefined
    })
    assert.deepEqual(answer, { kind: 'budgetStale', refusal: { budget: `never-${tries}` }, retryAfterMs: 10_000 })
  })

  test('a budget whose status is behind its spec says when to ask again', async () => {
    const pod = await aRunningPod('stale', 'stale')
    await aBudget('stale', 'stale', { minAvailable: 0 })
    // The controller catches up within milliseconds; a change sent just before the eviction is ahead of it now and then.
    const answer = await waitFor({ what: 'a budget caught behind its spec', limitMs: 30_000, everyMs: 1 }, async () => {
      const minAvailable = Math.random() < 0.5 ? 0 : '0%'
      await raw('PATCH', `${BUDGETS}/stale`, { spec: { minAvailable } })
      const answer = await evict(pod, true)
      return answer.kind === 'budgetStale' ? answer : undefined
    })
    assert.deepEqual(answer, { kind: 'budgetStale', refusal: { budget: 'stale' }, retryAfterMs: 10_000 })
  })

  test('an eviction that is forbidden says so', async () => {
    const pod = await aRunningPod('guarded', 'guarded')
    const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }]
    const group = 'rbac.authorization.k8s.io'
    await bed.apply([
      { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: { name: 'looker' }, rules },
      {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'looker' },
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'looker' },
        subjects: [{ apiGroup: group, kind: 'User', name: 'looker' }],
      },
    ])
    const { outside } = await bed.userKubeconfig('looker')
    const looker = await waitFor({ what: 'the rights to hold', limitMs: 10_000 }, () =>
      openOnBed(outside, signal).catch(() => undefined),
    )
    const answer = await looker.evict(pod, { dryRun: false }, signal)
    assert.ok(answer.kind === 'refused' && answer.status === 403)
    assert.match(answer.text, /User "looker" cannot create resource "pods\/eviction"/)
  })

  test('an eviction that no API server hears may be asked again', async () => {
    const pod = await aRunningPod('unheard', 'unheard')
    await bed.api.stop()
    const answer = await evict(pod)
    await bed.api.start()
    assert.equal(answer.kind, 'passing')
    await waitFor({ what: 'the API server', limitMs: 20_000 }, async () =>
      (await evict(pod)).kind === 'accepted' ? true : undefined,
    )
  })
})
