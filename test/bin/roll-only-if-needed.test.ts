import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { nodesReady } from '../../bin/demo/settling.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemSoon as soon } from '../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import { EmbeddedCluster } from '../../src/sim/loopback/embedded-cluster.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { ended, start } from './evenkeel-process.ts'

const REBOOT = fileURLToPath(new URL('../../bin/demo/reboot-machine.ts', import.meta.url))
const NODES = [
  { name: 'n1', kubeletVersion: 'v1.35.3' },
  { name: 'n2', kubeletVersion: 'v1.35.4' },
  { name: 'n3', kubeletVersion: 'v1.35.3' },
]

test('evenkeel rolls two nodes of three by the version of their kubelets, and none where all have it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-needed-'))
  const net = await LoopbackNet.open()
  const facts = { clock, timers, soon, seed: 'test', token: 'secret', folder, name: 'test', net, darkMs: 200 }
  const cluster = await EmbeddedCluster.open({ ...facts, nodes: NODES })
  t.after(async () => {
    cluster.end()
    await net.close()
    await rm(folder, { recursive: true, force: true })
  })
  await waitFor({ what: 'nodes', limitMs: 60_000 }, async () => nodesReady(cluster.world, 3) || undefined)
  const state = join(folder, 'state')
  const roll = async (kubeletVersion: string, ...words: readonly string[]) => {
    const path = join(folder, `${kubeletVersion}.yaml`)
    const command = [process.execPath, REBOOT, cluster.powerSocket, '{node}', '{bootId}']
    const spec = {
      nodes: { all: true, allowUnbalanced: true },
      reboot: { command, resendAfter: '20s', returnLimit: '60s', onlyIfNeeded: { kubeletVersion } },
      dns: { check: false },
      settle: { dataPort: false },
      soak: '0s',
    }
    await writeFile(
      path,
      stringify({ apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', metadata: { name: 'it' }, spec }),
    )
    const place = ['--kubeconfig', cluster.kubeconfig, '--state-dir', state]
    return ended(start(['roll', '-f', path, '--yes', '--no-probe', ...place, ...words]))
  }
  const boots = () => NODES.map(({ name }) => cluster.machines.get(name)?.boots)
  const why = 'kubeletVersion is v1.35.3, and v1.35.4 is wanted'
  const skipped = [{ node: 'n2', why: 'needs no reboot: kubeletVersion is v1.35.4' }]

  const none = await roll('v1.35.3', 'n1', 'n3')
  assert.deepEqual(
    [none.code, none.out],
    [0, 'DONE  no node needs a reboot; 2 skipped, nothing was changed\n'],
    none.err,
  )
  const dry = await roll('v1.35.4', '--dry-run', '-o', 'json')
  assert.equal(dry.code, 0, dry.err)
  const plan = JSON.parse(dry.out)
  assert.deepEqual(plan.skipped, skipped)
  assert.deepEqual(
    plan.nodes.map(({ node, needs }: { readonly node: string; readonly needs: string }) => `${node} ${needs}`),
    [`n1 ${why}`, `n3 ${why}`],
  )
  assert.deepEqual(boots(), [1, 1, 1])
  // A run that was not begun leaves no journal, which would be the one that is resumed.
  await assert.rejects(readdir(state), { code: 'ENOENT' })

  const { code, out, err } = await roll('v1.35.4', '-o', 'json')
  assert.equal(code, 0, err)
  const document = JSON.parse(out)
  assert.deepEqual([document.outcome, document.skipped], ['completed', skipped])
  assert.deepEqual(document.needed, [
    { node: 'n1', why },
    { node: 'n3', why },
  ])
  assert.deepEqual(boots(), [2, 1, 2])
})
