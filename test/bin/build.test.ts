import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ended } from './evenkeel-process.ts'

const BUILD = fileURLToPath(new URL('../../bin/build.ts', import.meta.url))

const run = (...words: readonly string[]) =>
  ended(spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] }))

/** Prints on its standard error where each module is loaded from. */
const SAY_LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  import { writeSync } from 'node:fs'
  registerHooks({ load: (url, context, next) => { writeSync(2, url + '\\n'); return next(url, context) } })`)}`

async function filesLoadedBy(...words: readonly string[]): Promise<readonly string[]> {
  const { err } = await run('--import', SAY_LOADED, ...words)
  return err.split('\n').flatMap((line) => (line.startsWith('file:') ? [fileURLToPath(line)] : []))
}

test('the bundle runs by itself, finds its prober beside it and loads little for its help', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'evenkeel-'))
  t.after(() => rm(dir, { recursive: true }))
  // As in a package that is installed.
  const dist = join(dir, 'dist')
  const built = await run(BUILD, dist)
  assert.equal(built.code, 0, built.err)
  const entry = join(dist, 'evenkeel.js')
  assert.match(await readFile(entry, 'utf8'), /^#!\/usr\/bin\/env node\n/)
  assert.equal((await stat(entry)).mode & 0o111, 0o111)

  const help = await run(entry, '--help')
  assert.deepEqual([help.code, help.err], [0, ''])
  assert.match(help.out, /^Usage: evenkeel/)
  const loaded = await Promise.all((await filesLoadedBy(entry, '--help')).map((file) => readFile(file, 'utf8')))
  assert.ok(loaded.length > 10, `${loaded.length} files`)
  const packages = new Set(
    loaded.flatMap((text) => text.match(/(?<=^\/\/ .*node_modules\/)(@[^/]+\/)?[^/\n]+/gm) ?? []),
  )
  assert.deepEqual([...packages], ['commander'])
  const missing = await run(entry, 'roll', '--all', '--no-probe', '-y', '--kubeconfig', '/nonexistent')
  assert.equal(missing.code, 2)
  assert.match(missing.err, /there is no kubeconfig/)

  const files = await readdir(dist)
  assert.ok(files.includes('probe-process.js'))
  const agent = await run(join(dist, 'agent.js'), '--help')
  assert.match(agent.out, /^Usage: evenkeel agent/)
  const texts = await Promise.all(
    files.filter((file) => file.endsWith('.js')).map((file) => readFile(join(dist, file), 'utf8')),
  )
  for (const text of texts) assert.doesNotMatch(text, /['"]\.+\/probe-process\.ts['"]/)
})
