import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { aFolder } from '../ground/kube/opened.ts'
import { BINARY, ended, evenkeel, start } from './evenkeel-process.ts'

const LIMIT_MS = 60_000
const EVERY_MS = 50

/** Undefined until a reader has opened it (fifo(7): ENXIO). */
function openedForWriting(fifo: string): number | undefined {
  try {
    return openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`a roll file that is a pipe nobody writes into: ${signal} ends the wait`, async (t) => {
    const fifo = join(await aFolder(t), 'roll.yaml')
    assert.equal(spawnSync('mkfifo', [fifo]).status, 0)
    const child = start(['roll', '-f', fifo, '--dry-run'])
    t.after(() => child.kill('SIGKILL'))
    const end = ended(child)
    const until = Date.now() + LIMIT_MS
    while (openedForWriting(fifo) === undefined) {
      assert.ok(Date.now() < until, 'the file was never opened')
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
    child.kill(signal)
    const { code, err } = await end
    assert.equal(code, 130, err)
  })
}

test('a roll file without an end is refused, from a device and from standard input', async () => {
  const device = await evenkeel('roll', '-f', '/dev/zero', '--dry-run')
  assert.equal(device.code, 2, device.err)
  assert.match(device.err, /^error: \/dev\/zero is larger than 64 MiB \(file\.too-large\)\n {2}= fix: /)
  const zeros = spawn('cat', ['/dev/zero'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const child = spawn(process.execPath, [BINARY, 'roll', '-f', '-', '--dry-run'], {
    stdio: [zeros.stdout, 'pipe', 'pipe'],
  })
  const { code, err } = await ended(child)
  zeros.kill()
  assert.equal(code, 2, err)
  assert.match(err, /^error: standard input is larger than 64 MiB/)
})

test('a roll file from a pipe with a writer is read to its end', async () => {
  const child = spawn('/bin/sh', [
    '-c',
    `printf '%s' 'a: b' | "$0" "$1" roll -f /dev/stdin --dry-run`,
    process.execPath,
    BINARY,
  ])
  const { code, err } = await ended(child)
  assert.equal(code, 2)
  assert.match(err, /unknown field "a"/)
})
