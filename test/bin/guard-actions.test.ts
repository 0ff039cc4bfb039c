import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { guardActions } from '../../bin/guard/guard-actions.ts'
import { runProgram } from '../../src/cli/program.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { addGuardCommand } from '../../src/guard/cli/guard-command.ts'
import { memoryContext } from '../cli/memory-context.ts'
import { PAGE_SCENE } from '../guard/cli/page-scene.ts'
import { ScriptedGuard } from '../guard/cli/scripted-guard.ts'
import { LoopbackApi } from '../support/loopback-api.ts'

test('over HTTP a node is looked at, held in the name that the kubeconfig has for the user, and let go again', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-'))
  t.after(() => rm(folder, { recursive: true }))
  const scripted = new ScriptedGuard(PAGE_SCENE)
  const api = new LoopbackApi(scripted.api.world, folder)
  await api.back()
  t.after(() => api.away())
  const log = { debug: () => undefined, warn: () => undefined }
  const actions = guardActions({ version: '0', env: { KUBECONFIG: api.kubeconfig }, log })
  const run = async (line: string) => {
    const { context } = memoryContext()
    const commands = [addGuardCommand(async () => actions)]
    const words = ['guard', ...line.split(' '), '-n', 'data']
    const code = await runProgram({ version: '0', context: { ...context, clock }, commands }, words)
    return { code, out: context.out.text, err: context.err.text }
  }
  const list = () => scripted.object.metadata.annotations?.['evenkeel.dev/guard-holds']

  assert.match((await run('explain ng/storage --node n1')).out, /^HELD {2}n1 of data\/storage/)
  const held = await run('hold ng/storage --node n4 --why rebalancing')
  assert.deepEqual([held.code, held.err], [0, ''])
  assert.equal(list(), '[{"node":"n4","by":"me","why":"rebalancing"}]')
  assert.equal((await run('hold ng/storage --node n4 --remove')).code, 0)
  assert.equal(list(), undefined)
  assert.equal((await run('status')).code, 3)
})
