import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { holdWhileMoving } from '../../../src/roll/file/hold-while-moving.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { requires } from '../../support/requires.ts'
import { atNight } from '../../support/roll-bed/at-night.ts'

const [ADDRESS, PORT] = ['10.98.0.100', 8080]
const SLOW_HTTP = new URL('../../support/slow-http.ts', import.meta.url).pathname
const HELD = { addresses: [ADDRESS], ports: [PORT] }
const real = { ...requires('nft'), timeout: 60_000 }

/** A machine with a virtual address and a server that takes its time, and clients at the other end of its cable. */
class Machine {
  readonly #here = `ekhold${process.pid}`
  readonly #there = `ekask${process.pid}`
  readonly #children: ChildProcess[] = []

  static async start(t: TestContext): Promise<Machine> {
    const machine = new Machine()
    t.after(() => machine.#end())
    for (const name of [machine.#here, machine.#there]) spawnSync('ip', ['netns', 'add', name])
    machine.do('ip', 'link', 'add', 'card', 'type', 'veth', 'peer', 'name', 'far', 'netns', machine.#there)
    machine.do('ip', 'link', 'set', 'card', 'up')
    machine.do('ip', 'address', 'add', '10.98.0.1/24', 'dev', 'card')
    machine.do('ip', 'address', 'add', `${ADDRESS}/24`, 'dev', 'card')
    spawnSync('ip', ['-n', machine.#there, 'link', 'set', 'far', 'up'])
    spawnSync('ip', ['-n', machine.#there, 'address', 'add', '10.98.0.2/24', 'dev', 'far'])
    await machine.line(machine.#program(machine.#here, 'serve'), 'ready')
    return machine
  }

  do(...argv: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync('ip', ['netns', 'exec', this.#here, ...argv])
    assert.equal(status, 0, `${argv.join(' ')}: ${stderr}`)
    return stdout.toString()
  }

  start(argv: readonly string[], place = this.#here): ChildProcess {
    const child = spawn('ip', ['netns', 'exec', place, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#children.push(child)
    return child
  }

  /** One request from the other end. */
  ask(): ChildProcess {
    return this.#program(this.#there, 'ask')
  }

  async line(child: ChildProcess, expected: string): Promise<void> {
    assert.ok(child.stdout)
    const { stdout } = child
    await new Promise<void>((resolve) => {
      stdout.on('data', (chunk: Buffer) => chunk.toString().includes(`${expected}\n`) && resolve())
    })
  }

  readonly rules = (): string => this.do('nft', 'list', 'ruleset')

  #program(place: string, what: 'serve' | 'ask'): ChildProcess {
    return this.start([process.execPath, SLOW_HTTP, what, ADDRESS, String(PORT)], place)
  }

  #end(): void {
    for (const child of this.#children) child.kill('SIGKILL')
    for (const name of [this.#here, this.#there]) spawnSync('ip', ['netns', 'del', name])
  }
}

async function endOf(child: ChildProcess): Promise<{ readonly code: number | null; readonly said: string }> {
  let said = ''
  const hear = (chunk: Buffer): void => {
    said += chunk.toString()
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

const holds = (machine: Machine) =>
  waitFor({ what: 'connections to be held', limitMs: 5_000, everyMs: 5 }, () =>
    machine.rules().includes(`${ADDRESS} . ${PORT}`) ? true : undefined,
  )

test('what is under way ends before the address moves, and what is new begins after it', real, async (t) => {
  const machine = await Machine.start(t)
  const underWay = machine.ask()
  await machine.line(underWay, 'sent')
  const move = ['sh', '-c', `ip address del ${ADDRESS}/24 dev card; date +%s%3N >&2; ss -Htn state established >&2`]
  const moving = machine.start(holdWhileMoving({ ...HELD, limitMs: 10_000, move }))
  await holds(machine)
  const fresh = machine.ask()
  const [first, moved] = await Promise.all([endOf(underWay), endOf(moving)])
  assert.match(first.said, /^200 /m)
  const [movedAt, ...connections] = moved.said.trim().split('\n')
  assert.deepEqual([moved.code, connections], [0, []])
  assert.ok(Number(movedAt) >= Number(/200 at (\d+)/.exec(first.said)?.[1]), `${moved.said} ${first.said}`)
  assert.equal(machine.rules(), '')
  // Another machine has the address now; here the same one takes it back.
  machine.do('ip', 'address', 'add', `${ADDRESS}/24`, 'dev', 'card')
  const second = await endOf(fresh)
  assert.match(second.said, /^200 /m)
})

test('a connection that does not end is waited for up to the limit', real, async (t) => {
  const machine = await Machine.start(t)
  await machine.line(machine.ask(), 'sent')
  const before = performance.now()
  const move = ['sh', '-c', `ip address del ${ADDRESS}/24 dev card; ss -Htn state established >&2`]
  const { code, said } = await endOf(machine.start(holdWhileMoving({ ...HELD, limitMs: 200, move })))
  assert.equal(code, 0)
  assert.match(said, new RegExp(`${ADDRESS}\\]?:${PORT}`))
  assert.ok(performance.now() - before >= 200)
})

test('a command that fails fails with its exit code, and connections are let in again at once', real, async (t) => {
  const machine = await Machine.start(t)
  const move = ['sh', '-c', 'echo no such service >&2; exit 5']
  const { code, said } = await endOf(machine.start(holdWhileMoving({ ...HELD, limitMs: 1_000, move })))
  assert.deepEqual([code, said], [5, 'no such service\n'])
  assert.equal(machine.rules(), '')
  assert.match((await endOf(machine.ask())).said, /^200 /m)
})

test('a machine without the address runs the command and holds nothing', real, async (t) => {
  const machine = await Machine.start(t)
  machine.do('ip', 'address', 'del', `${ADDRESS}/24`, 'dev', 'card')
  const { code, said } = await endOf(
    machine.start(holdWhileMoving({ ...HELD, limitMs: 5_000, move: ['nft', 'list', 'ruleset'] })),
  )
  assert.deepEqual([code, said], [0, ''])
})

atNight('a script that is killed leaves rules that end without it', real, async (t) => {
  const machine = await Machine.start(t)
  const script = machine.start(holdWhileMoving({ ...HELD, limitMs: 0, move: ['sleep', '60'] }))
  await holds(machine)
  script.kill('SIGKILL')
  await once(script, 'exit')
  const fresh = machine.ask()
  await waitFor({ what: 'the kernel to end what is held', limitMs: 15_000 }, () =>
    machine.rules().includes(`${ADDRESS} . ${PORT}`) ? undefined : true,
  )
  assert.match((await endOf(fresh)).said, /^200 /m)
  // What is left does not keep the next run from it.
  const move = ['ip', 'address', 'del', `${ADDRESS}/24`, 'dev', 'card']
  assert.deepEqual(await endOf(machine.start(holdWhileMoving({ ...HELD, limitMs: 1_000, move }))), {
    code: 0,
    said: '',
  })
  assert.equal(machine.rules(), '')
})
