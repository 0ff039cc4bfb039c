import assert from 'node:assert/strict'
import { runProgram } from '../../src/cli/program.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { addRolloutCommand } from '../../src/ingress/cli/rollout-command.ts'
import { memoryContext } from '../cli/memory-context.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest, type Json } from '../support/virtual-ingress/ingress-manifests.ts'
import { ProcessPorts } from '../support/virtual-roll/process-ports.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 3_600_000

/** A cluster of three nodes with a controller at work, and a person who types. */
async function aGround(t: SimulationContext) {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  ground.begin()
  let typed = 0
  const begin = async (
    line: string,
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> => {
    const { cluster } = ground
    typed += 1
    const ports = new ProcessPorts({ cluster, outside: {}, name: `person ${typed}` })
    const open = async () => ({ objects: kubeObjects(ports.follows()), cluster: ports.cluster, namespace: 'default' })
    const { context } = memoryContext()
    const commands = [addRolloutCommand(async () => ({ open }))]
    const words = ['rollout', ...line.split(' ')]
    const code = await runProgram({ version: '0', context: { ...context, clock: ports.clock }, commands }, words)
    return { code, out: context.out.text, err: context.err.text }
  }
  const type = async (line: string): ReturnType<typeof begin> => ground.cluster.time.settle(begin(line), LIMIT_MS)
  return { ground, begin, type }
}

const versions = (ground: IngressGround): string =>
  [...new Set(ground.podLines().map((line) => line.split(' ')[1]))].toSorted().join(',')

test('an apply, a look, a pause, an undo and a resume, each by a command, and the status ends when all is done', async (t) => {
  const { ground, begin, type } = await aGround(t)
  ground.apply(anIngressManifest('v1'))
  const first = await type('status ids/web')
  assert.deepEqual([first.code, versions(ground)], [0, 'v1'], first.out + first.err)
  ground.apply(anIngressManifest('v2'))
  const second = await type('status ids/web')
  assert.deepEqual([second.code, versions(ground)], [0, 'v2'], second.out + second.err)
  for (const state of ['Detaching', 'Updating', 'Attaching']) assert.ok(second.err.includes(state), second.err)

  assert.equal((await type('pause ids/web')).code, 0)
  assert.equal((await type('undo ids/web')).code, 0)
  const held = await type('status ids/web')
  assert.deepEqual([held.code, versions(ground)], [3, 'v2'], held.out)
  assert.match(held.out, /HELD {2}default\/web: 0 of 3 nodes have revision/)
  assert.ok(held.out.includes('evenkeel rollout resume ingressdaemonset/web -n default'), held.out)

  assert.equal((await type('resume ids/web')).code, 0)
  const back = await ground.cluster.time.settle(begin('status ids/web'), LIMIT_MS)
  assert.deepEqual([back.code, versions(ground)], [0, 'v1'], back.out + back.err)
  const history = await type('history ids/web -o json')
  const { revisions } = JSON.parse(history.out) as { readonly revisions: readonly Json[] }
  assert.deepEqual(
    revisions.map(({ revision, nodes, isWanted, isCurrent }) => [revision, nodes, isWanted, isCurrent]),
    [
      [2, 0, false, false],
      [3, 3, true, true],
    ],
  )
})

test('a rollout that is stuck ends the status with 1; after retry and skip it goes on, and undo brings all back', async (t) => {
  const { ground, type } = await aGround(t)
  const manifest = (version: string): object => anIngressManifest(version, { progressDeadlineSeconds: 60 })
  ground.apply(manifest('v1'))
  assert.equal((await type('status ids/web')).code, 0)
  const broken = JSON.stringify(manifest('v2')).replace(
    '{"name":"STOP"',
    '{"name":"START_DELAY","value":"1h"},{"name":"STOP"',
  )
  ground.apply(JSON.parse(broken))
  const failed = await type('status ids/web')
  assert.equal(failed.code, 1, failed.out)
  const stuck = failed.out.match(/evenkeel rollout (skip .*)/)?.[1] ?? 'none'
  const again = await type('retry ids/web')
  assert.match(again.out, /n\d is to be tried again/)
  await ground.until('it to be tried again', () => ground.condition('Stalled') === 'False NotStalled')
  assert.equal((await type('status ids/web')).code, 1)
  const skipped = await type(stuck)
  assert.equal(skipped.code, 0, skipped.err)
  await ground.until('it not to stop the others', () => ground.condition('Stalled') === 'False NotStalled')
  assert.equal(ground.claimed().length, 1, 'it keeps its slot, and no other node leaves')
  assert.equal((await type('undo ids/web')).code, 0)
  assert.equal((await type('status ids/web')).code, 0)
  assert.deepEqual([versions(ground), ground.claimed()], ['v1', []])
})

test('after its canary nodes a rollout waits, and goes on with resume', async (t) => {
  const { ground, type } = await aGround(t)
  const { spec } = anIngressManifest('v1') as {
    readonly spec: { readonly updateStrategy: { readonly rollingUpdate: Json } }
  }
  const canary = { nodeSelector: { 'kubernetes.io/hostname': 'n2' } }
  const updateStrategy = { rollingUpdate: { ...spec.updateStrategy.rollingUpdate, canary } }
  ground.apply(anIngressManifest('v1', { updateStrategy }))
  assert.equal((await type('status ids/web')).code, 0)
  ground.apply(anIngressManifest('v2', { updateStrategy }))
  const held = await type('status ids/web')
  assert.deepEqual([held.code, versions(ground)], [3, 'v1,v2'], held.out)
  assert.equal((await type('resume ids/web')).code, 0)
  assert.deepEqual([(await type('status ids/web')).code, versions(ground)], [0, 'v2'])
})
