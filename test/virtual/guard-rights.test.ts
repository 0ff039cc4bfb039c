import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiObject } from '../../src/sim/world/api-object.ts'
import {
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  NODE_GUARDS,
  NODES,
  PODS,
  VOLUME_ATTACHMENTS,
} from '../../src/sim/world/api-resource.ts'
import { readManifests, renderChart } from '../support/agent-chart.ts'
import { boundTo, grantedBy } from '../support/granted-rights.ts'
import { covers, isGranted, requestedBy } from '../support/requested-rights.ts'
import { requires } from '../support/requires.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import { nodeGuard, storage, volumeAttachment } from '../support/virtual-guard/guard-manifests.ts'

/** Of a ServiceAccount of the chart. */
async function rolesOfController() {
  const { stdout, stderr } = await renderChart('controller.enabled=true', 'guard.enabled=true')
  const manifests = readManifests(stdout)
  const bound = boundTo(manifests, 'ServiceAccount evenkeel/evenkeel-agent-controller')
  assert.ok(bound.length > 0, stderr)
  return manifests.filter(({ kind, metadata }) =>
    bound.includes(`${kind} ${metadata.name} in ${metadata.namespace ?? 'the cluster'}`),
  )
}

const allGuarded = (ground: GuardGround) =>
  ground.until('every node to be guarded', () => ground.condition('Ready') === 'True AllGuarded')

function label(ground: GuardGround, name: string, storage: string | undefined): void {
  const node = ground.node(name)
  const { storage: _, ...others } = node.metadata.labels ?? {}
  const labels = storage === undefined ? others : { ...others, storage }
  ground.cluster.world.store.put(NODES, { ...node, metadata: { ...node.metadata, labels } })
}

/** Before the guard: objects with the names of its own objects in mode Budget, without an owner. */
function takeNames(ground: GuardGround): void {
  const metadata = { namespace: 'default', name: 'guard-ng' }
  const selector = { matchLabels: { app: 'x' } }
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [] } }
  ground.apply({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { selector } })
  ground.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 0, selector, template } })
}

async function giveNames(ground: GuardGround): Promise<void> {
  for (const kind of [DISRUPTION_BUDGETS, DEPLOYMENTS]) {
    const isFound = (): boolean => ground.events().some((line) => line.includes(`${kind.kind} guard-ng is there`))
    await ground.until(`the ${kind.kind} to be found taken`, isFound)
    ground.cluster.world.store.remove(kind, { namespace: 'default', name: 'guard-ng' })
  }
}

/** A node that is held twice for the same reason, then drained, and is there again. */
async function aDrain(ground: GuardGround, name: string): Promise<void> {
  const volume = volumeAttachment('a', name)
  for (const isLast of [false, true]) {
    ground.apply(volume)
    const drain = ground.drain(name)
    await ground.until(`${name} to be held`, () => ground.rows().includes(`${name} Held HoldStands`))
    if (!isLast) ground.cordon(name, false)
    await ground.until('it to be told', () => ground.events().some((line) => line.startsWith('HoldStands')))
    ground.remove(VOLUME_ATTACHMENTS, { name: 'a' })
    if (isLast) await ground.until(`${name} to be drained`, drain.isOver)
    else await ground.until(`${name} to be free`, () => ground.rows().length === 0)
  }
  ground.cordon(name, false)
  await allGuarded(ground)
}

/** The watch tells nothing of a Node that has it, so that the Node has to be read. */
const UNHEARD = 'example.com/unheard'

const HOLDS = [
  { name: 'volumes', volumes: {} },
  { name: 'pods', pods: { namespace: 'default', selector: { app: 'writer' } } },
  { name: 'all-pods', pods: { selector: { app: 'writer' } } },
]

/** A drain that is held, or names that are taken; then a node that is followed no more. */
async function aLife(ground: GuardGround, mode: 'PerNode' | 'Budget'): Promise<void> {
  ground.apply(storage({ nodeSelector: { storage: 'yes' } }))
  for (const name of ['n1', 'n2', 'n3']) label(ground, name, 'yes')
  if (mode === 'Budget') takeNames(ground)
  ground.apply(nodeGuard({ mode, resistDeletion: true, ...(mode === 'Budget' ? {} : { holds: HOLDS }) }))
  if (mode === 'Budget') await giveNames(ground)
  await allGuarded(ground)
  if (mode === 'PerNode') {
    ground.annotateNode('n2', UNHEARD, 'yes')
    await aDrain(ground, 'n1')
  }
  label(ground, 'n3', undefined)
  const gates = mode === 'Budget' ? 1 : 2
  const isOver = (): boolean => ground.guarded().join() === 'n1,n2' && ground.gates().length === gates
  await ground.until('n3 to have no guard', isOver)
  ground.remove(NODE_GUARDS, { namespace: 'default', name: 'guard' })
  const left = (): number => [...ground.cluster.world.store.all(PODS)].filter(isOfGuard).length
  await ground.until('no guard to be left', () => left() === 0)
}

const isOfGuard = ({ metadata: { labels = {} } }: ApiObject): boolean => 'evenkeel.dev/guard' in labels

describe('the rights of a controller of NodeGuards', requires('helm'), () => {
  test('are all that it asks for, and it asks for each of them', async () => {
    const roles = await rolesOfController()
    const asked = new Set<string>()
    for (const mode of ['PerNode', 'Budget'] as const) {
      const ground = await GuardGround.open({ nodes: 3 })
      ground.begin('controller 1', {
        passageOf: (request) => {
          for (const right of requestedBy(request)) asked.add(right)
          return { kind: 'passes', watch: (event) => (JSON.stringify(event).includes(UNHEARD) ? undefined : event) }
        },
      })
      await aLife(ground, mode).finally(() => ground.end())
    }
    assert.deepEqual(
      [...asked].filter((right) => !isGranted(right, grantedBy(roles))),
      [],
    )
    const ofGuard = roles.filter(({ metadata }) => metadata.name.endsWith('-guard'))
    assert.equal(ofGuard.length, 2)
    assert.deepEqual(
      grantedBy(ofGuard).filter((right) => ![...asked].some((one) => covers(right, one))),
      [],
    )
  })
})
