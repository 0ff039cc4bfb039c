import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { test } from 'node:test'
import { BodyCheck } from '../../../src/ground/net/body-check.ts'
import { KeptConnections } from '../../../src/ground/net/kept-connections.ts'

test('the expected text is found wherever the body is cut into pieces', () => {
  const body = 'the shop is open'
  for (let first = 0; first <= body.length; first += 1) {
    for (let second = first; second <= body.length; second += 1) {
      const check = new BodyCheck('shop')
      for (const piece of [body.slice(0, first), body.slice(first, second), body.slice(second)])
        assert.equal(check.take(Buffer.from(piece)), true)
      assert.equal(check.found, true, `cut at ${first} and ${second}`)
    }
  }
})

test('a text is found where it begins in one piece and ends in the next, and not where it is there in part alone', () => {
  const check = new BodyCheck('shop')
  for (const piece of ['sho', 'sh', 'op sho']) check.take(Buffer.from(piece))
  assert.equal(check.found, true)
  const other = new BodyCheck('shop')
  for (const piece of ['sho', 'sh', 'o p sho']) other.take(Buffer.from(piece))
  assert.equal(other.found, false)
})

test('a body of 4 MiB is read, and a byte more is too much', () => {
  const check = new BodyCheck(undefined)
  assert.equal(check.take(Buffer.alloc(4 * 1024 * 1024)), true)
  assert.equal(check.take(Buffer.alloc(1)), false)
})

test('kept connections take turns, a busy one is left out, and where all are busy a new one is opened', () => {
  const [a, b, extra] = [new Agent(), new Agent(), new Agent()]
  const destroyed: Agent[] = []
  for (const agent of [a, b]) agent.destroy = () => void destroyed.push(agent)
  const kept = new KeptConnections([a, b], extra)
  const first = kept.lend()
  assert.equal(first.agent, a)
  first.giveBack()
  const second = kept.lend()
  assert.equal(second.agent, b)
  assert.equal(kept.lend().agent, a)
  assert.equal(kept.lend().agent, extra)
  second.giveBack()
  assert.equal(kept.lend().agent, b)
  kept.close()
  assert.deepEqual(destroyed, [a, b])
})
