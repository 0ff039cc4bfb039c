import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { foldLines } from '../../../src/agent/io/fold-lines.ts'

const NEVER = new AbortController().signal

async function tableOf(t: TestContext, text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'evenkeel-lines-'))
  t.after(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, 'table'), text)
  return join(directory, 'table')
}

const all = { from: [] as readonly string[], each: (so: readonly string[], line: string) => [...so, line] }

test('a table of more than one read is taken line by line, with the one that has no end', async (t) => {
  const lines = Array.from({ length: 3000 }, (_, at) => `row ${at} ${'x'.repeat(at % 61)}`)
  assert.deepEqual(await foldLines(await tableOf(t, lines.join('\n')), all, NEVER), lines)
})

test('a table that is called off is read no further, and is closed however it ends', async (t) => {
  const path = await tableOf(t, 'a\nb\n')
  const opened = async (): Promise<number> => (await readdir('/proc/self/fd')).length
  const before = await opened()
  const reason = new Error('called off')
  for (let time = 0; time < 20; time += 1) {
    await assert.rejects(foldLines(path, all, AbortSignal.abort(reason)), reason)
    await foldLines(path, all, NEVER)
  }
  assert.ok((await opened()) < before + 10)
})
