import assert from 'node:assert/strict'
import { runProgram } from '../../src/cli/program.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { addGuardCommand } from '../../src/guard/cli/guard-command.ts'
import { memoryContext } from '../cli/memory-context.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import { nodeGuard, storage, volumeAttachment } from '../support/virtual-guard/guard-manifests.ts'
import { ProcessPorts } from '../support/virtual-roll/process-ports.ts'

const test = simulationTest(import.meta.url)

/** A person at a command line, beside the controller. */
async function evenkeelGuard({ cluster }: GuardGround, line: string) {
  const ports = new ProcessPorts({ cluster, outside: {}, name: 'alice' })
  const way = { objects: kubeObjects(ports.follows()), cluster: ports.cluster, namespace: 'default', user: 'alice' }
  const { context } = memoryContext()
  const surroundings = { ...context, clock: ports.clock }
  const commands = [addGuardCommand(async () => ({ open: async () => way }))]
  const words = ['guard', ...line.split(' ')]
  const code = await cluster.time.settle(runProgram({ version: '0', context: surroundings, commands }, words), 60_000)
  return { code, out: context.out.text, said: `${context.out.text}${context.err.text}`.replaceAll(/\s+/g, ' ') }
}

async function guarded(): Promise<GuardGround> {
  const ground = await GuardGround.open({ nodes: 3 })
  ground.begin().onError = (error) => {
    throw error
  }
  ground.apply(storage())
  ground.apply(nodeGuard({ holds: [{ name: 'volumes', volumes: {} }] }))
  await ground.until('every node to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  return ground
}

test('a node that a volume holds is explained, released by a person, and drained; the status keeps by whom', async (t) => {
  const ground = await guarded()
  t.after(() => ground.end())
  ground.apply(volumeAttachment('a', 'n1'))
  const drain = ground.drain('n1')
  await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 10)

  const explained = await evenkeelGuard(ground, 'explain ng/guard --node n1')
  assert.match(explained.said, /^HELD n1 of default\/guard for .* n1 is held by volumes: volumes are attached: /)
  assert.equal((await evenkeelGuard(ground, 'status')).code, 3)
  const released = await evenkeelGuard(ground, 'release ng/guard --node n1 --for 5min --yes --why dead')
  assert.deepEqual([released.code, /n1 is granted in its turn/.test(released.said)], [0, true], released.said)

  await ground.until('n1 to be drained', () => drain.isOver(), 30)
  const status = await evenkeelGuard(ground, 'status ng/guard')
  assert.match(
    status.said,
    /released n1 at \S+ by alice \(dead\), although n1 is held by volumes: volumes are attached/,
  )
  assert.deepEqual([status.code, status.out.split('\n')[1]?.trim().split(/ +/)[1]], [0, 'Draining'], status.out)
})

test('a node that a person holds is not drained until the entry is taken back', async (t) => {
  const ground = await guarded()
  t.after(() => ground.end())
  assert.equal((await evenkeelGuard(ground, 'hold ng/guard --node n2')).code, 0)
  const drain = ground.drain('n2')
  await ground.until('n2 to be held', () => ground.rows()[0] === 'n2 Held HeldByHand', 10)
  const { said } = await evenkeelGuard(ground, 'explain ng/guard --node n2')
  assert.match(said, /by hand held by alice, until it is removed/)
  await ground.notWithin(20, () => drain.isOver())
  const back = await evenkeelGuard(ground, 'hold ng/guard --node n2 --remove')
  assert.match(back.said, /n2 is granted in its turn, once all of its holds are clear/)
  await ground.until('n2 to be drained', () => drain.isOver(), 30)
})
