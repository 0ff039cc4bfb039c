import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { FileAgentStore } from '../../../src/agent/io/file-agent-store.ts'
import { aFolder } from '../../ground/kube/opened.ts'

async function place(t: TestContext) {
  const folder = await aFolder(t)
  const at = { memoryDir: join(folder, 'run'), keepDir: join(folder, 'lib') }
  return { ...at, open: () => new FileAgentStore(at) }
}

test('each text is read as it was written, and one that is taken away is none', async (t) => {
  const store = (await place(t)).open()
  for (const file of ['memory', 'kept', 'owed'] as const) {
    assert.equal(await store.read(file), undefined)
    await store.write(file, undefined)
    await store.write(file, `{"of":"${file}"}`)
    assert.equal(await store.read(file), `{"of":"${file}"}`)
    await store.write(file, undefined)
    assert.equal(await store.read(file), undefined)
  }
})

test('two agents that write at once leave the one text or the other, whole, and nothing else', async (t) => {
  const { keepDir, open } = await place(t)
  const [first, second] = [open(), open()]
  const texts = ['a', 'b'].map((letter) => letter.repeat(30_000))
  for (let i = 0; i < 30; i++)
    await Promise.all([first.write('kept', texts[0]), second.write('kept', texts[1]), first.read('owed')])
  assert.ok(texts.includes(await readFile(join(keepDir, 'maintenance.json'), 'utf8')))
  assert.deepEqual(await readdir(keepDir), ['maintenance.json'])
})

test('what a process left that ended while it wrote is swept away, and what is being written now is not', async (t) => {
  const { keepDir, open } = await place(t)
  await mkdir(keepDir)
  const old = new Date(Date.now() - 120_000)
  for (const name of ['maintenance.json.new', 'maintenance.json.1.new', 'maintenance.json.2.new', 'other.1.new']) {
    await writeFile(join(keepDir, name), 'x')
    if (name !== 'maintenance.json.2.new') await utimes(join(keepDir, name), old, old)
  }
  await open().write('kept', 'y')
  assert.deepEqual((await readdir(keepDir)).toSorted(), ['maintenance.json', 'maintenance.json.2.new', 'other.1.new'])
})

test('a text longer than any of ours is cut, and what cannot be read or written says where', async (t) => {
  const { memoryDir, keepDir, open } = await place(t)
  await mkdir(join(keepDir, 'override'), { recursive: true })
  await mkdir(memoryDir)
  await writeFile(join(memoryDir, 'memory.json'), 'x'.repeat(200_000))
  const store = open()
  assert.equal((await store.read('memory'))?.length, 65_536)
  await assert.rejects(store.read('override'), { code: 'STORE_FAILED', message: /override: EISDIR/ })
  await writeFile(join(keepDir, 'maintenance.json'), 'x')
  await mkdir(join(keepDir, 'owed.json'))
  await assert.rejects(store.write('owed', 'x'), { code: 'STORE_FAILED', message: /owed\.json: / })
  assert.deepEqual((await readdir(keepDir)).toSorted(), ['maintenance.json', 'override', 'owed.json'])
})
