import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { TextfileMetrics } from '../../../src/ground/machine/textfile-metrics.ts'

async function aFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-metrics-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('the file is replaced as a whole, any user can read it, and no other file is left or written', async (t) => {
  const folder = await aFolder(t)
  const path = join(folder, 'roll.prom')
  await writeFile(join(folder, 'other'), 'mine')
  await symlink(join(folder, 'other'), `${path}.tmp`)
  const warned: string[] = []
  const file = new TextfileMetrics(path, (reason) => warned.push(reason))
  await writeFile(path, 'of an earlier roll')
  await file.check()
  assert.equal(await readFile(path, 'utf8'), 'of an earlier roll')
  await file.replace('a 1\n')
  const first = await stat(path)
  await file.replace('a 2\n')
  const second = await stat(path)
  assert.notEqual(first.ino, second.ino)
  assert.equal(second.mode & 0o444, 0o444)
  assert.equal(await readFile(path, 'utf8'), 'a 2\n')
  assert.equal(await readFile(join(folder, 'other'), 'utf8'), 'mine')
  assert.deepEqual((await readdir(folder)).toSorted(), ['other', 'roll.prom'])
  assert.deepEqual(warned, [])
})

test('a file that cannot be written is refused at first; later it is one warning', async (t) => {
  const folder = await aFolder(t)
  const warned: string[] = []
  const file = new TextfileMetrics(join(folder, 'gone', 'roll.prom'), (reason) => warned.push(reason))
  await assert.rejects(file.check(), { code: 'file.write', message: /^cannot write .*roll\.prom: ENOENT/ })
  await assert.rejects(new TextfileMetrics(folder, () => undefined).check(), /it is a directory/)
  await file.replace('a 2\n')
  await file.replace('a 3\n')
  assert.equal(warned.length, 1)
  assert.match(warned[0] ?? '', /^cannot write the metrics to .*roll\.prom: ENOENT/)
})
