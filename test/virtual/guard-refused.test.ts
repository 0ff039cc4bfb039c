import assert from 'node:assert/strict'
import type { Passage } from '../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { DISRUPTION_BUDGETS, NODES } from '../../src/sim/world/api-resource.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import {
  guardTemplate,
  type Json,
  nodeGuard,
  storage,
  volumeAttachment,
} from '../support/virtual-guard/guard-manifests.ts'

const test = simulationTest(import.meta.url)

const makesDeploymentOfN1 = ({ method, path, body }: ApiRequest): boolean =>
  method === 'POST' && path.endsWith('/deployments') && JSON.stringify(body).includes('"evenkeel.dev/node":"n1"')

test('a webhook that takes longer than a write may keeps no other node from its guard and from its drain, and is not tried without a pause', async (t) => {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  const hung = { isOn: true, tries: 0 }
  ground.begin('controller 1', {
    passageOf: (request): Passage => {
      if (!hung.isOn || !makesDeploymentOfN1(request)) return { kind: 'passes' }
      hung.tries += 1
      return { kind: 'silent' }
    },
  })
  ground.apply(storage())
  ground.apply(nodeGuard())
  await ground.until('n2 and n3 to be guarded', () => ground.guarded().join() === 'n2,n3', 60)
  await ground.until(
    'n1 to be told',
    () =>
      /^False WriteRefused/.test(ground.condition('Ready')) ||
      ground.events().some((e) => e.startsWith('WriteRefused')),
    60,
  )
  const before = hung.tries
  await ground.cluster.time.advance(60_000)
  assert.ok(hung.tries - before <= 6, `${hung.tries - before} tries in a minute`)
  hung.isOn = false
  await ground.until('all nodes to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
})

/** Registered anew: a Node of that name is another one by now, and still cordoned. */
function registerAnew(ground: GuardGround, name: string): void {
  const node = ground.node(name)
  ground.cluster.world.store.put(NODES, { ...node, metadata: { ...node.metadata, uid: `${node.metadata.uid}-anew` } })
}

test('what is decided for a Node is not written to the Node that was registered anew by its name meanwhile', async (t) => {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  const isSlotRead = ({ method, path }: ApiRequest): boolean => method === 'GET' && path.includes('evenkeel-slot-0')
  let slotReads = 0
  let isSent = false
  let claimedThen: readonly string[] | undefined
  ground.begin('controller 1', {
    passageOf: (request): Passage => {
      if (isSent) claimedThen ??= ground.claimed()
      if (request.method === 'PATCH' && request.path.endsWith('/nodes/n1')) isSent = true
      if (ground.slotNodes().length > 0 && isSlotRead(request)) slotReads += 1
      // The pass reads it first. With the second reading the nodes are read anew, and then it is decided by them.
      else return { kind: 'passes' }
      if (slotReads !== 2) return { kind: 'passes' }
      void ground.cluster.time.sleep(100, new AbortController().signal).then(() => registerAnew(ground, 'n1'))
      return { kind: 'passes', lateMs: 1_000 }
    },
  })
  ground.apply(storage())
  ground.apply(nodeGuard())
  await ground.until('every node to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  ground.cordon('n1', true)
  await ground.until('a claim to have been sent', () => claimedThen !== undefined, 30)
  assert.deepEqual(claimedThen, [])
})

test('a person who holds a node is heard at its grant, also while the watch of NodeGuards is silent', async (t) => {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  let isSilent = false
  ground.begin('controller 1', {
    passageOf: ({ path }): Passage =>
      path.endsWith('/nodeguards')
        ? { kind: 'passes', watch: (event) => (isSilent ? undefined : event) }
        : { kind: 'passes' },
  })
  ground.apply(storage())
  ground.apply(nodeGuard())
  await ground.until('all nodes to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  isSilent = true
  ground.holdByHand('n1', true)
  const drain = ground.drain('n1')
  await ground.notWithin(20, () => drain.isOver())
  assert.deepEqual(ground.guarded(), ['n1', 'n2', 'n3'])
})

test('a grant ends where a watch is refused for minutes: it is not known any more what holds the node', async (t) => {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  let isRefused = false
  const forbidden = {
    kind: 'answered',
    reply: { code: 403, body: { kind: 'Status', status: 'Failure', code: 403 } },
  } as const
  ground.begin('controller 1', {
    passageOf: ({ path }): Passage => {
      if (!path.endsWith('/volumeattachments')) return { kind: 'passes' }
      return isRefused ? forbidden : { kind: 'passes', watch: (event) => (isRefused ? 'cut' : event) }
    },
  })
  ground.apply(storage())
  ground.apply(nodeGuard({ holds: [{ name: 'volumes', volumes: {} }], grantTimeoutSeconds: 3_600 }))
  await ground.until('all nodes to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  const isOpen = (): boolean =>
    ground.gates().some(({ spec }) => (spec as { minAvailable?: number }).minAvailable !== 1)
  ground.cordon('n1', true)
  await ground.until('n1 to be granted', isOpen, 30)
  isRefused = true
  ground.apply(volumeAttachment('a', 'n2'))
  await ground.until('its budget to be closed', () => !isOpen(), 120)
  isRefused = false
  await ground.until('n1 to be granted again', isOpen, 120)
})

test('a NodeGuard says which image keeps its guards from starting, and of a DaemonSet that never was not that it is gone', async (t) => {
  const ground = await GuardGround.open({ nodes: 2 })
  t.after(() => ground.end())
  ground.begin('controller 1')
  ground.cluster.machines.images.lose('registry.test/none:1')
  const template = guardTemplate()
  const containers = template.spec.containers.map((one) => ({
    ...one,
    ...{ image: 'registry.test/none:1', imagePullPolicy: 'Always' },
  }))
  ground.apply(storage())
  ground.apply(nodeGuard({ template: { ...template, spec: { ...template.spec, containers } } }))
  const saysWhy = () => JSON.stringify(ground.status().nodes ?? []).includes('registry.test/none:1')
  await ground.until('the image to be named', saysWhy, 120)
  ground.apply(nodeGuard({ follow: { daemonSet: { name: 'storrage' } } }, 'misspelt'))
  await ground.until('it to be told', () => ground.condition('Ready', 'misspelt') === 'False TargetGone', 30)
  assert.match(JSON.stringify(ground.status('misspelt')), /there is no DaemonSet storrage in namespace default/)
})

test('an edit that makes no sense ends a grant, also in the status', async (t) => {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  ground.begin('controller 1')
  ground.apply(storage())
  ground.apply(nodeGuard({ grantTimeoutSeconds: 3_600 }))
  await ground.until('all nodes to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  ground.cordon('n2', true)
  await ground.until('n2 to be granted', () => ground.status().grantedNode === 'n2', 30)
  const unreadable = { group: 'example.com', version: 'v1', resource: 'things', name: 'x', clearWhen: 'object.(' }
  ground.apply(nodeGuard({ grantTimeoutSeconds: 3_600, holds: [{ name: 'thing', object: unreadable }] }))
  await ground.until('the edit to be refused', () => ground.condition('Ready') === 'False GuardRefused', 30)
  await ground.until('n2 to be listed as held', () => ground.rows().some((row) => /^n2 Held/.test(row)), 30)
  assert.equal(ground.status().grantedNode, undefined)
  assert.equal(ground.condition('Held'), 'True NodesHeld')
  ground.apply(nodeGuard({ grantTimeoutSeconds: 3_600, holds: [] }))
  await ground.until('n2 to be granted again', () => ground.status().grantedNode === 'n2', 60)
  assert.equal(ground.condition('Stalled'), 'False NotStalled')
})

test('a NodeGuard says which of its objects a policy of the cluster sets back each time', async (t) => {
  const ground = await GuardGround.open({ nodes: 2 })
  t.after(() => ground.end())
  const { world, time } = ground.cluster
  const setBack = (name: string): void => {
    const gate = world.store.get(DISRUPTION_BUDGETS, { namespace: 'default', name })
    const spec = gate?.spec as Json | undefined
    if (gate === undefined || spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return
    world.store.put(DISRUPTION_BUDGETS, { ...gate, spec: { ...spec, unhealthyPodEvictionPolicy: 'AlwaysAllow' } })
  }
  world.store.subscribe(DISRUPTION_BUDGETS, ({ object }) => time.later(1, () => setBack(object.metadata.name)))
  ground.begin('controller 1')
  ground.apply(storage())
  ground.apply(nodeGuard())
  const said = /^WriteUndone: guard-ng-[0-9a-z]+ is not as it was written \(closeGate\)/
  await ground.until('it to be said', () => ground.events().some((event) => said.test(event)), 120)
  assert.equal(ground.condition('Ready'), 'True AllGuarded')
})
