import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { explainActions } from '../../bin/explain/explain-actions.ts'
import { runProgram } from '../../src/cli/program.ts'
import { addExplainCommand } from '../../src/explain/cli/explain-command.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { FileJournalStore } from '../../src/roll/io/file-journal-store.ts'
import { NAMESPACES, NODES } from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import { memoryContext } from '../cli/memory-context.ts'
import { EmbeddedApi } from '../support/embedded-api.ts'
import { LoopbackApi } from '../support/loopback-api.ts'

const RUN = '20260101T000000Z-0001'
const at = '2026-01-01T00:00:00.000Z'

test('over HTTP a node is explained with the journal of this machine, and not with that of another cluster', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-'))
  t.after(() => rm(folder, { recursive: true }))
  const { world } = new EmbeddedApi('default')
  createObject(world, { resource: NAMESPACES, body: { metadata: { name: 'kube-system' } } })
  createObject(world, { resource: NODES, body: { metadata: { name: 'n1' }, status: ready } })
  const api = new LoopbackApi(world, folder)
  await api.back()
  t.after(() => api.away())
  const log = { debug: () => undefined, warn: () => undefined }
  const actions = explainActions({ version: '0', env: { KUBECONFIG: api.kubeconfig }, log })
  const run = async (stateDir: string) => {
    const { context } = memoryContext()
    const commands = [addExplainCommand(async () => actions)]
    const words = ['explain', 'node', 'n1', '--state-dir', stateDir, '-o', 'json']
    const code = await runProgram({ version: '0', context: { ...context, clock }, commands }, words)
    assert.equal(code, 0, context.err.text)
    return JSON.parse(context.out.text) as {
      readonly verdict: string
      readonly findings: readonly { next: object[] }[]
    }
  }
  const begun = async (stateDir: string, cluster: string): Promise<void> => {
    const journal = await new FileJournalStore(stateDir).create({ at, run: RUN, cluster, tool: '0' })
    const started = {
      v: '1.0',
      seq: 0,
      at,
      type: 'roll.started',
      run: RUN,
      cluster: 'it',
      nodes: ['n1'],
      resumed: false,
    }
    await journal.append(started)
    await journal.close()
  }

  const quiet = 'n1 is in service; nothing takes it out'
  assert.equal((await run(join(folder, 'none'))).verdict, quiet)
  await begun(join(folder, 'other'), 'another-cluster')
  assert.equal((await run(join(folder, 'other'))).verdict, quiet)
  const uid = world.store.get(NAMESPACES, { name: 'kube-system' })?.metadata.uid ?? ''
  await begun(join(folder, 'here'), uid)
  const explained = await run(join(folder, 'here'))
  assert.match(
    explained.verdict,
    new RegExp(`not next: run ${RUN} is not at work: its process is gone; it had not begun n1$`),
  )
  const command = `evenkeel roll resume ${RUN} --state-dir ${join(folder, 'here')}`
  assert.deepEqual(explained.findings[0]?.next, [{ command, note: 'goes on with it' }])
})

const ready = { conditions: [{ type: 'Ready', status: 'True' }] }
