import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { guardDemoActions } from '../../bin/demo/guard/guard-demo-actions.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { demoProcess, endsByInterrupt } from '../support/demo-process.ts'
import { sampleOf, unlikeLines } from '../support/page-sample.ts'

// Most of their time is waited out.
describe('the demo of NodeGuards', { concurrency: true }, () => {
  test('of two nodes that are drained at once the second one goes once the first one is back', async (t) => {
    const { folder, said, printed, ended } = demoProcess(t, ['--guard', '-o', 'json'])
    const [code] = await ended
    const document = JSON.parse(await printed)
    assert.equal(code, 0, `${said()}${JSON.stringify(document)}`)
    assert.deepEqual([document.version, document.sound, document.order], ['1', true, ['n1', 'n2']])
    assert.equal(document.mostWithoutGuard, 1)
    assert.equal(document.failure, undefined)
    const [first, second] = document.nodes
    assert.ok(first.said.includes('Held: n1 is held by volumes: volumes are attached: pvc-1'), first.said)
    assert.ok(first.waitedSeconds >= first.heldSeconds && first.heldSeconds >= 6, JSON.stringify(first))
    assert.ok(second.waitedSeconds >= first.waitedSeconds + first.withoutGuardSeconds, JSON.stringify(document.nodes))
    assert.match(said(), /Z n1 {7}the eviction of storage-ng-\S+ is refused by its budget; asked again every 5 s\n/)
    assert.match(said(), /Z n2 {7}Requested: n2 waits for n1, which goes first and is not back yet\n/)
    assert.deepEqual(unlikeLines(sampleOf('docs/demo.md', 'pvc-1 is detached'), said(), /(?!)/), [], said())
    assert.deepEqual(readdirSync(folder), [])
  })

  test('Ctrl-C in the midst of it ends it with 130, and leaves nothing', (t) =>
    endsByInterrupt(demoProcess(t, ['--guard']), /Z n1 {7}Held/))

  test('where a machine has no loopback address but 127.0.0.1, a node is held by a volume all the same', async () => {
    const log = { debug: () => undefined, warn: () => undefined }
    const actions = guardDemoActions({ version: '0', env: {}, log }, async () => LoopbackNet.ofPorts())
    const stop = new AbortController()
    const enough = new Error('enough was seen')
    const ground = await actions.open(stop.signal)
    try {
      const refused = (): void => stop.abort(enough)
      await assert.rejects(ground.drain('n1', refused, stop.signal), enough)
      assert.equal(ground.seen.mostAway, 0)
      assert.deepEqual(ground.seen.of('n1'), {})
    } finally {
      await ground.end()
    }
  })
})
