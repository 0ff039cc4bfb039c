import assert from 'node:assert/strict'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { LatencyFile, readLatency } from '../../../src/roll/io/latency-file.ts'

const SECOND = { at: '2026-11-21T06:14:39.000Z', good: 100, failed: 0, p50Ms: 3.1, p99Ms: 11, maxMs: 48 }

test('seconds of two processes are read in order; half a line of a killed process is left out', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-latency-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  assert.deepEqual(await readLatency(folder), [])
  const refused: string[] = []
  const first = new LatencyFile(folder, (reason) => refused.push(reason))
  first.append([SECOND])
  await first.flushed()
  await appendFile(join(folder, 'latency.jsonl'), '{"at":"2026-11-21T06:14:40\n{"at":7,"good":1}\n')
  const second = new LatencyFile(folder, (reason) => refused.push(reason))
  second.append([{ ...SECOND, failed: 2 }])
  await second.flushed()
  assert.deepEqual(await readLatency(folder), [SECOND, { ...SECOND, failed: 2 }])
  assert.deepEqual(refused, [])
})

test('a disk that refuses the file causes one warning, and stops nothing', async () => {
  const refused: string[] = []
  const file = new LatencyFile('/proc/no-such-folder', (reason) => refused.push(reason))
  file.append([SECOND])
  file.append([SECOND])
  await file.flushed()
  file.append([SECOND])
  await file.flushed()
  assert.equal(refused.length, 1)
  assert.match(refused[0] ?? '', /ENOENT/)
})
