import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentFile } from '../../../src/agent/ports/agent-store.ts'
import { TimelyStore } from '../../../src/agent/run/timely-store.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const NEVER = new AbortController().signal

/** A disk and a tmpfs whose calls a test answers one by one. */
function scene() {
  const clock = new VirtualClock()
  const asked: AgentFile[] = []
  const calls: PromiseWithResolvers<string | undefined>[] = []
  const read = (file: AgentFile): Promise<string | undefined> => {
    asked.push(file)
    const call = Promise.withResolvers<string | undefined>()
    calls.push(call)
    return call.promise
  }
  const store = new TimelyStore({ read, write: (file) => read(file).then(() => undefined) }, clock)
  return { clock, store, asked, calls }
}

/** What a read came to, as soon as it is known. */
async function outcome(read: Promise<string | undefined>, clock: VirtualClock, ms: number): Promise<string> {
  let found = 'under way'
  read.then(
    (text) => (found = `read ${text}`),
    (error: Error) => (found = error.message),
  )
  await clock.advance(ms)
  return found
}

for (const end of ['answers', 'fails'] as const) {
  test(`a disk that hangs is asked for nothing more until its call ${end}`, async () => {
    const { clock, store, asked, calls } = scene()
    assert.equal(await outcome(store.read('kept', NEVER), clock, 2000), 'kept: the disk does not answer')
    assert.equal(await outcome(store.read('owed', NEVER), clock, 0), 'owed: the disk does not answer')
    assert.deepEqual(asked, ['kept'])
    if (end === 'answers') calls[0]?.resolve('late')
    else calls[0]?.reject(new Error('EIO'))
    await clock.advance(1)
    const again = store.read('owed', NEVER)
    calls[1]?.resolve('text')
    assert.equal(await outcome(again, clock, 1), 'read text')
  })
}

test('a disk that hangs does not block the tmpfs', async () => {
  const { clock, store, calls } = scene()
  assert.equal(await outcome(store.read('kept', NEVER), clock, 2000), 'kept: the disk does not answer')
  const memory = store.read('memory', NEVER)
  calls[1]?.resolve('text')
  assert.equal(await outcome(memory, clock, 1), 'read text')
})
