import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { WorldError } from '../../../../../src/ground/model/world-error.ts'
import { LoginPause } from '../../../../../src/service/actuators/haproxy/io/login-pause.ts'
import { requires } from '../../../../support/requires.ts'
import { SeededRandom } from '../../../../support/seeded-random.ts'
import { VirtualClock } from '../../../../support/virtual-clock.ts'
import { never, opened } from './opened.ts'

const failure = (retry: 'never' | 'backoff'): WorldError =>
  new WorldError('no way in', { code: 'BALANCER_UNREACHABLE', retry })

/** How long each of so many failures in a row is waited for, to 50 ms. */
async function pauses(retry: 'never' | 'backoff', count: number): Promise<readonly number[]> {
  const clock = new VirtualClock()
  const pause = new LoginPause(clock, new SeededRandom(7))
  const waits: number[] = []
  for (let i = 0; i < count; i++) {
    const from = clock.monoMs()
    pause.failed(failure(retry))
    while (pause.refusal() !== undefined) await clock.advance(50)
    waits.push(clock.monoMs() - from)
  }
  return waits
}

test('law: no retry is immediate, and Retry-After is honoured; a login that fails is left alone for longer and longer, for 10 s at most', async () => {
  const waits = await pauses('backoff', 10)
  for (const [i, wait] of waits.entries()) {
    const limit = Math.min(10_000, 500 * 2 ** i)
    assert.ok(wait >= limit / 2 && wait <= limit + 50, `${i}: ${wait} of ${limit}`)
  }
})

test('after a failure that only a person can correct, the login is tried less often', async () => {
  const waits = await pauses('never', 5)
  assert.ok(
    waits.every((wait, i) => wait >= Math.min(30_000, 5_000 * 2 ** i) / 2 && wait <= 30_050),
    `${waits}`,
  )
})

test('the first break of a way that worked is not waited for, the next one is', () => {
  const pause = new LoginPause(new VirtualClock(), new SeededRandom(7))
  pause.failed(failure('never'))
  pause.worked()
  pause.broke(failure('backoff'))
  assert.equal(pause.refusal(), undefined)
  pause.broke(failure('backoff'))
  assert.equal(pause.refusal()?.message, 'no way in')
})

test('a refused login is not tried at every poll, and every poll still tells the error', requires('ssh'), async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'evenkeel-test-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const [sshConfigFile, knocks] = [join(directory, 'config'), join(directory, 'knocks')]
  await writeFile(sshConfigFile, `Host lb\n  ProxyCommand sh -c 'echo knock >> ${knocks}; exit 1'\n`)
  const clock = new VirtualClock()
  const address = { kind: 'ssh', host: 'lb', path: '/x.sock' } as const
  const balancer = opened(t, { address, backends: ['web'], sshConfigFile, clock })
  const poll = async (times: number): Promise<number> => {
    for (let i = 0; i < times; i++) {
      await assert.rejects(balancer.read('lb-1', never), { code: 'BALANCER_UNREACHABLE' })
    }
    return (await readFile(knocks, 'utf8')).trim().split('\n').length
  }
  assert.equal(await poll(20), 1)
  await clock.advance(500)
  assert.equal(await poll(20), 2)
})
