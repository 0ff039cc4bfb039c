import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PathDoor } from '../../../src/rebooter/io/path-door.ts'
import { SignalDoor } from '../../../src/rebooter/io/signal-door.ts'
import { DoorFault } from '../../../src/rebooter/ports/door.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

/** Time passes only in a sleep, in which the unit of the machine does what it does. */
class Slept extends VirtualClock {
  unit: () => void = () => undefined
  sleeps = 0

  override async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    this.sleeps += 1
    this.unit()
    await this.advance(ms)
  }
}

const LIVE = new AbortController().signal
const BOOT = '8d3c0c8b-0000-4000-8000-000000000001'

function pathDoor(root: string) {
  const clock = new Slept()
  const random = new SeededRandom(1)
  return { clock, door: new PathDoor({ directory: root, bootId: BOOT, clock, random, uptimeSeconds: () => 77.9 }) }
}

function directory(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'evenkeel-door-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  return root
}

test('the path door is there once the unit has said so for this boot, and writes the boot as a whole file', async (t) => {
  const root = directory(t)
  const { clock, door } = pathDoor(root)
  assert.match((await door.fault()) ?? '', /not installed on the machine, or does not run/)
  writeFileSync(join(root, 'ready'), 'another boot\n')
  assert.match((await door.fault()) ?? '', /has not begun since the machine booted/)
  writeFileSync(join(root, 'ready'), Buffer.alloc(10_000, 'x'))
  assert.match((await door.fault()) ?? '', /has not begun since the machine booted/)
  writeFileSync(join(root, 'ready'), `${BOOT}\n`)
  await assert.rejects(door.use(BOOT, LIVE), (error) => error instanceof DoorFault && /ENOENT/.test(error.message))
  mkdirSync(join(root, 'inbox'))
  assert.equal(await door.fault(), undefined)
  const request = join(root, 'inbox/request')
  const taken: string[] = []
  clock.unit = () => {
    if (clock.sleeps < 3) return
    taken.push(readFileSync(request, 'utf8'))
    rmSync(request)
  }
  await door.use(BOOT, LIVE)
  assert.deepEqual([taken, clock.sleeps, readdirSync(join(root, 'inbox'))], [[`${BOOT} 77\n`], 3, []])
  writeFileSync(request, '')
  assert.match((await door.fault()) ?? '', /has not taken the last request/)
})

test('the path door withdraws a request that no unit takes within 5 s, or that nobody waits for any more', async (t) => {
  const root = directory(t)
  mkdirSync(join(root, 'inbox'))
  const { clock, door } = pathDoor(root)
  const isUntaken = (error: unknown) =>
    error instanceof DoorFault && /not taken the request within 5 s/.test(error.message)
  await assert.rejects(door.use(BOOT, LIVE), isUntaken)
  assert.deepEqual([clock.monoMs(), readdirSync(join(root, 'inbox'))], [5_000, []])
  await assert.rejects(door.use(BOOT, AbortSignal.abort(new Error('ended'))), DoorFault)
  assert.deepEqual(readdirSync(join(root, 'inbox')), [])
})

test('the path door is broken where its directory cannot be written', async (t) => {
  const root = directory(t)
  const { door } = pathDoor(root)
  writeFileSync(join(root, 'ready'), `${BOOT}\n`)
  writeFileSync(join(root, 'inbox'), '', { mode: 0o600 })
  assert.match((await door.fault()) ?? '', /cannot be written: EACCES/)
  await assert.rejects(door.use(BOOT, LIVE), DoorFault)
})

test('the signal door signals process 1 where that is systemd, and nothing else', async (t) => {
  const comm = join(directory(t), 'comm')
  const signals: (readonly [number, number])[] = []
  let refusal: string | undefined
  const kill = (pid: number, signal: number): void => {
    if (refusal !== undefined) throw Object.assign(new Error('kill'), { code: refusal })
    signals.push([pid, signal])
  }
  const door = new SignalDoor({ comm, kill })
  assert.match((await door.fault()) ?? '', /ENOENT/)
  writeFileSync(comm, 'node\n')
  assert.match((await door.fault()) ?? '', /process 1 is "node", not systemd/)
  await assert.rejects(door.use(), DoorFault)
  assert.deepEqual(signals, [])
  writeFileSync(comm, 'systemd\n')
  assert.equal(await door.fault(), undefined)
  await door.use()
  assert.deepEqual(signals, [
    [1, 0],
    [1, 0],
    [1, 39],
  ])
  refusal = 'EPERM'
  assert.match((await door.fault()) ?? '', /EPERM/)
  await assert.rejects(door.use(), DoorFault)
})
