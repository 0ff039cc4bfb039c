import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { CONFIG_MAPS, LEASES, NODES } from '../../src/sim/world/api-resource.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { anEmbeddedRoll } from './embedded-roll.ts'
import { type Ended, ended, start } from './evenkeel-process.ts'

const eventsOf = ({ out }: Ended) =>
  out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

const ONCE = ['--no-probe', '--yes', '--once', 'job-1', '-o', 'jsonl', '--progress', 'none']

/** A roll file with short slots, and the command with its journals in the cluster. */
async function aPlace(t: TestContext) {
  const { folder, cluster, letReboot } = await anEmbeddedRoll(t)
  await letReboot()
  const file = parse(await readFile(join(folder, 'roll one.yaml'), 'utf8'))
  const path = join(folder, 'short.yaml')
  await writeFile(path, stringify({ ...file, spec: { ...file.spec, slots: { leaseDuration: '15s' } } }))
  const home = { HOME: folder, XDG_STATE_HOME: join(folder, 'state') }
  const place = ['--kubeconfig', join(folder, 'my kube.yaml'), '--state-dir', 'configmaps:evenkeel']
  const evenkeel = (...words: readonly string[]) => start(['roll', ...words, ...place], home)
  const rebooting = (): Promise<true> =>
    waitFor({ what: 'a node that is to reboot', limitMs: 60_000 }, async () => {
      const nodes = [...cluster.world.store.all(NODES)]
      return nodes.some(({ metadata }) => metadata.annotations?.['evenkeel.dev/intent'] !== undefined) || undefined
    })
  return { folder, cluster, evenkeel, rebooting, once: ['-f', path, ...ONCE] }
}

test('a roll whose journal is in the cluster is killed: another machine continues it once its Lease is stale, reads it, and no disk has anything of it', async (t) => {
  const { folder, cluster, evenkeel, rebooting, once } = await aPlace(t)
  const first = evenkeel(...once)
  const killed = ended(first)
  await rebooting()
  // While it lives, no other process has the run.
  const beside = await ended(evenkeel(...once))
  assert.equal(beside.code, 1, beside.err)
  assert.match(beside.err, /another process works on run \S+ \(journal\.in-use\)/)
  first.kill('SIGKILL')
  await killed

  const second = await ended(evenkeel(...once))
  assert.equal(second.code, 0, second.err)
  assert.match(second.err, /a process has the journal of run \S+: whether it lives is known within 15 s/)
  const [run] = eventsOf(second).map((event) => event.run)
  const { code, out, err } = await ended(evenkeel('report', '-o', 'jsonl'))
  assert.equal(code, 0, err)
  const seqs = eventsOf({ code, out, err }).map(({ seq }) => seq)
  assert.deepEqual(
    seqs,
    seqs.toSorted((left, right) => left - right),
  )
  assert.equal(new Set(seqs).size, seqs.length)
  const done = eventsOf({ code, out, err }).filter(({ type }) => type === 'node.ended')
  assert.deepEqual(
    done.map(({ standing }) => standing.state),
    ['inService', 'inService'],
  )

  const listed = JSON.parse((await ended(evenkeel('list', '-o', 'json'))).out)
  assert.deepEqual([listed.stateDir, listed.runs.length, listed.runs[0].run], ['configmaps:evenkeel', 1, run])
  assert.match((await ended(evenkeel('report'))).out, /journal +configmaps evenkeel\/evenkeel-run-/)
  const again = await ended(evenkeel(...once))
  assert.deepEqual([again.code, /is over: nothing is done/.test(again.err)], [0, true])
  const names = [...cluster.world.store.all(CONFIG_MAPS)].map(({ metadata }) => metadata.name)
  assert.deepEqual(names.filter((name) => name.startsWith('evenkeel-run-')).length, 1)
  const holders = [...cluster.world.store.all(LEASES)].flatMap(({ metadata, spec }) =>
    metadata.name.startsWith('evenkeel-run-') ? [(spec as { readonly holderIdentity?: string }).holderIdentity] : [],
  )
  assert.deepEqual(holders, [undefined], 'given back')
  assert.deepEqual((await readdir(folder)).includes('state'), false)
})

test('a roll that was stopped for longer than its Lease finds that another process has the run, and stops as after Ctrl-C', async (t) => {
  const { evenkeel, rebooting, once } = await aPlace(t)
  const first = evenkeel(...once)
  const end = ended(first)
  await rebooting()
  first.kill('SIGSTOP')
  const second = await ended(evenkeel(...once))
  first.kill('SIGCONT')
  assert.equal(second.code, 0, second.err)
  const stopped = await end
  assert.equal(stopped.code, 130, stopped.err)
  assert.match(stopped.err, /this process stops: another process has taken over run /)
  const report = await ended(evenkeel('report', '-o', 'jsonl'))
  const over = eventsOf(report).filter(({ type }) => type === 'roll.ended')
  assert.deepEqual(
    over.map(({ outcome }) => outcome),
    ['completed'],
  )
})
