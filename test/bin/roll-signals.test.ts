import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { anEmbeddedRoll, type EmbeddedRoll } from './embedded-roll.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const OUT = /n1 +reboot +/
const REFUSED =
  'not suspended: the lease of n1 needs a heartbeat. The roll goes on; if the shell shows its prompt, fg brings the roll back.'

/** A roll through npm, in a process group of its own, as a shell starts a job. */
function startJob(t: TestContext, { folder }: EmbeddedRoll) {
  const words = ['roll', '-f', join(folder, 'roll one.yaml'), '--yes', '--no-probe', '-v', '--progress', 'plain']
  const place = ['--kubeconfig', join(folder, 'my kube.yaml'), '--state-dir', join(folder, 'state')]
  const job = spawn('npm', ['run', '-s', 'evenkeel', '--', ...words, ...place], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  let said = ''
  for (const stream of [job.stdout, job.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  t.after(() => {
    if (job.exitCode === null && job.signalCode === null) process.kill(-pidOf(job), 'SIGKILL')
  })
  const until = (what: string | RegExp) =>
    waitFor(
      { what: String(what), limitMs: 20_000 },
      async () => (typeof what === 'string' ? said.includes(what) : what.test(said)) || undefined,
    )
  return { job, pid: pidOf(job), until, said: () => said }
}

const pidOf = ({ pid }: ChildProcess): number => {
  assert.ok(pid !== undefined)
  return pid
}

const count = (text: string, part: string): number => text.split(part).length - 1

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  for (const to of ['the process group', 'npm alone'] as const) {
    test(`a ${signal} to ${to} reaches a roll that runs through npm, and counts once`, async (t) => {
      const ground = await anEmbeddedRoll(t)
      const { pid, until, said } = startJob(t, ground)
      await until(OUT)
      process.kill(to === 'npm alone' ? pid : -pid, signal)
      await until('INTERRUPTED')
      assert.equal(count(said(), 'Stopping after the write under way'), 1, said())
      assert.match(said(), /state +n1: /)
    })
  }
}

for (const to of ['the process group', 'npm alone'] as const) {
  test(`a Ctrl-Z to ${to} is answered once while a node is out, and the roll still hears a later SIGTERM`, async (t) => {
    const ground = await anEmbeddedRoll(t)
    const { pid, until, said } = startJob(t, ground)
    await until(OUT)
    // The kernel keeps SIGTSTP from a group that no shell looks after, as this one is: npm alone is stopped the other way.
    if (to === 'npm alone') process.kill(pid, 'SIGSTOP')
    else process.kill(-pid, 'SIGTSTP')
    await until(REFUSED)
    process.kill(pid, 'SIGTERM')
    await until('INTERRUPTED')
    assert.equal(count(said(), REFUSED), 1, said())
  })
}
