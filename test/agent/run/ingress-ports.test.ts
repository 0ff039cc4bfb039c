import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { IngressPorts } from '../../../src/agent/run/ingress-ports.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

/** A machine with ports, of which others may have some. */
class Machine {
  readonly clock = new VirtualClock()
  readonly open = new Set<number>()
  readonly taken = new Set<number>()
  readonly silent = new Set<number>()
  readonly said: string[] = []
  readonly tries: number[] = []
  wanted = new Map<number, string>()
  trouble: readonly string[] = []
  isKnown: boolean
  readonly ports: IngressPorts
  readonly #stop = new AbortController()

  constructor(t: TestContext, isKnown = true) {
    this.isKnown = isKnown
    this.ports = new IngressPorts({
      wanted: () => ({ ports: this.wanted, trouble: this.trouble }),
      isKnown: () => this.isKnown,
      open: (port, signal) => this.#opened(port, signal),
      clock: this.clock,
      random: new SeededRandom(1),
      log: { debug: () => undefined, warn: (text) => this.said.push(text) },
    })
    const running = this.ports.run(this.#stop.signal).catch(() => undefined)
    t.after(async () => {
      this.#stop.abort(new Error('over'))
      await running
    })
  }

  async ask(...ports: readonly number[]): Promise<void> {
    this.wanted = new Map(ports.map((port) => [port, `uid-${port}`]))
    this.ports.wake()
    await this.clock.advance(10)
  }

  async #opened(port: number, signal: AbortSignal) {
    this.tries.push(port)
    if (this.silent.has(port)) await this.clock.sleep(1_000, signal)
    if (this.taken.has(port))
      throw new UserError(`port ${port} is taken by nginx`, { code: 'PORT_TAKEN', fix: 'end it' })
    assert.ok(!this.open.has(port))
    this.open.add(port)
    return {
      close: async () => {
        this.open.delete(port)
      },
    }
  }
}

test('ports open and close as they are asked for, and those that stay are not touched', async (t) => {
  const machine = new Machine(t)
  await machine.ask(30_100, 30_101)
  assert.deepEqual([...machine.open], [30_100, 30_101])
  assert.equal(machine.ports.ownerOf(30_101), 'uid-30101')
  await machine.ask(30_101, 30_102)
  assert.deepEqual([...machine.open], [30_101, 30_102])
  assert.deepEqual(machine.tries, [30_100, 30_101, 30_102])
  assert.deepEqual([machine.ports.isOpen(30_101), machine.ports.isOpen(30_100)], [true, false])
  await machine.ports.close()
  assert.deepEqual([...machine.open], [])
})

test('a port that is taken is one trouble, is tried again ever less often, and holds up no other one', async (t) => {
  const machine = new Machine(t)
  machine.taken.add(30_100)
  await machine.ask(30_100, 30_101)
  assert.deepEqual([[...machine.open], machine.ports.isSettled], [[30_101], true])
  await machine.clock.advance(600_000)
  assert.deepEqual(machine.ports.trouble, ['port 30100 is taken by nginx'])
  assert.deepEqual(machine.said, ['port 30100 is taken by nginx'])
  const tries = machine.tries.filter((port) => port === 30_100).length
  assert.ok(tries > 8 && tries < 40, `${tries}`)
  machine.taken.clear()
  await machine.clock.advance(60_000)
  assert.deepEqual([machine.open.has(30_100), machine.ports.trouble], [true, []])
})

test('a port at which something hangs delays no other port that is asked for with it', async (t) => {
  const machine = new Machine(t)
  for (let port = 1; port <= 60; port += 1) machine.silent.add(port)
  await machine.ask(...Array.from({ length: 61 }, (_, i) => i + 1))
  assert.deepEqual([...machine.open], [61])
  await machine.clock.advance(1_000)
  assert.equal(machine.open.size, 61)
})

test('an agent is not through with its ports before anything is known of them', async (t) => {
  const machine = new Machine(t, false)
  await machine.ask()
  assert.equal(machine.ports.isSettled, false)
  machine.isKnown = true
  await machine.ask(30_100)
  assert.equal(machine.ports.isSettled, true)
  machine.trouble = ['port 1 of shop/web is not served: it is a port of the agent']
  await machine.ask(30_100)
  await machine.ask(30_100)
  assert.deepEqual(machine.said, machine.trouble)
})
