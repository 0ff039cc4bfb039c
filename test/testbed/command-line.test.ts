import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type RunResult, runToEnd } from '../../testbed/machine/run.ts'
import { requires } from '../support/requires.ts'

const MAIN = fileURLToPath(new URL('../../testbed/main.ts', import.meta.url))

const testbed = (...args: string[]): Promise<RunResult> =>
  runToEnd([process.execPath, MAIN, ...args], {
    env: { EVENKEEL_TESTBED_NAME: `command-${process.pid}` },
    limitMs: 120_000,
  })

test('the command line keeps a bed between its calls and ends it', requires('testbed'), async () => {
  try {
    const up = await testbed('up', '1')
    assert.match(up.stdout, /^up after [\d.]+ s: export KUBECONFIG=\S+\n$/)
    assert.deepEqual(await testbed('up'), {
      stdout: '',
      stderr: 'a bed is up already: npm run testbed -- down\n',
      code: 1,
    })

    const kubeconfig = (await testbed('kubeconfig')).stdout.trim()
    assert.ok(existsSync(kubeconfig))
    const bootId = ['exec', 'n1', 'cat', '/proc/sys/kernel/random/boot_id']
    const earlier = await testbed(...bootId)
    assert.equal((await testbed('reboot', 'n1', '--hard')).code, 0)
    assert.notEqual((await testbed(...bootId)).stdout, earlier.stdout)
    assert.equal((await testbed('exec', 'n1', 'sh', '-c', 'exit 3')).code, 3)
    assert.equal((await testbed('power-off', 'n1')).code, 0)
    assert.deepEqual(await testbed(...bootId), { stdout: '', stderr: 'n1 is dark\n', code: 1 })
    assert.equal((await testbed('power-on', 'n1')).code, 0)

    assert.deepEqual(await testbed('down'), { stdout: 'down\n', stderr: '', code: 0 })
    assert.equal(existsSync(dirname(kubeconfig)), false)
  } finally {
    await testbed('down')
  }
})

test('the command line says in one line what it cannot do', async () => {
  assert.equal((await testbed('--help')).code, 0)
  assert.deepEqual(await testbed('dance'), { stdout: '', stderr: 'there is no command dance; see --help\n', code: 2 })
  assert.deepEqual(await testbed('up', 'many'), { stdout: '', stderr: 'up takes 0 to 20 nodes\n', code: 2 })
  const reboot = await testbed('reboot', 'n1')
  assert.deepEqual(reboot, { stdout: '', stderr: 'no bed is up: npm run testbed -- up\n', code: 1 })
})
