import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { placeFiles } from '../../../src/explain/io/place-files.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'

async function aFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "evenkeel place's "))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const contents = async (folder: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder)).toSorted().map(async (name) => [name, await readFile(join(folder, name), 'utf8')]),
    ),
  )

test('files are put in place together', async (t) => {
  const folder = await aFolder(t)
  const files = ['a', 'b'].map((name) => ({ path: join(folder, name), text: name }))
  assert.deepEqual(
    await placeFiles(files, { random, replace: false }),
    files.map(({ path }) => ({ path })),
  )
  assert.deepEqual(await contents(folder), { a: 'a', b: 'b' })
})

test('where one is there already, none is written, and nothing is left behind', async (t) => {
  const folder = await aFolder(t)
  await writeFile(join(folder, 'b'), 'a person wrote this')
  const files = ['a', 'b'].map((name) => ({ path: join(folder, name), text: name }))
  await assert.rejects(placeFiles(files, { random, replace: false }), {
    code: 'file.write',
    message: /^nothing was written: file already exists \(EEXIST\)/,
  })
  assert.deepEqual(await contents(folder), { b: 'a person wrote this' })
})

test('what is replaced is kept, each time under another name', async (t) => {
  const folder = await aFolder(t)
  for (const text of ['1', '2', '3']) await placeFiles([{ path: join(folder, 'a'), text }], { random, replace: true })
  assert.deepEqual(await contents(folder), { a: '3', 'a.bak': '1', 'a.bak2': '2' })
})

test('a file that cannot be placed puts back what was replaced before it', async (t) => {
  const folder = await aFolder(t)
  await writeFile(join(folder, 'a'), 'a person wrote this')
  const files = [
    { path: join(folder, 'a'), text: 'new' },
    { path: join(folder, 'no', 'such', 'folder'), text: 'new' },
  ]
  await assert.rejects(placeFiles(files, { random, replace: true }), { code: 'file.write', message: /ENOENT/ })
  assert.deepEqual(await contents(folder), { a: 'a person wrote this' })
})

test('a link that leads nowhere is something that a person made, too', async (t) => {
  const folder = await aFolder(t)
  await symlink('/no/such/file', join(folder, 'a'))
  await assert.rejects(placeFiles([{ path: join(folder, 'a'), text: 'x' }], { random, replace: false }), {
    code: 'file.write',
  })
})
