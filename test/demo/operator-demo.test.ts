import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { demoProcess, endsByInterrupt } from '../support/demo-process.ts'

/** Above it a request may fail for want of a processor. */
const STALLED_MS = 200

// Most of their time is waited out.
describe('the demo of Rolls', { concurrency: true }, () => {
  test('a Roll that is approved, paused and continued reboots each node, and its status says what it waits for', async (t) => {
    const { folder, said, printed, ended } = demoProcess(t, ['--operator', '--balancer', 'embedded', '-o', 'json'])
    const [code] = await ended
    const document = JSON.parse(await printed)
    const { state, nodes, done, failed } = document.roll
    const all = `${said()}${JSON.stringify(document)}`
    assert.deepEqual([state, nodes, done, failed, document.failure], ['Succeeded', 3, 3, 0, undefined], all)
    assert.ok(document.sentRequests > 1_000, all)
    if (document.stalledMs < STALLED_MS) assert.deepEqual([document.failedRequests, code], [0, 0], all)
    assert.match(said(), /Held, 0 of 3 nodes: \S+ waits for an approval: add it to spec\.approved\n/)
    assert.match(said(), /Held, 1 of 3 nodes: spec\.paused is true: no node is begun until it is false\n/)
    assert.deepEqual(readdirSync(folder), [])
  })

  test('Ctrl-C in the midst of it ends it with 130, and leaves nothing', (t) =>
    endsByInterrupt(demoProcess(t, ['--operator', '--balancer', 'embedded']), /roll\/demo +Held/))
})
