import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, stringify } from 'yaml'
import { anEmbeddedRoll } from './embedded-roll.ts'
import { type Ended, ended, start } from './evenkeel-process.ts'

const HOUR_MS = 3_600_000

test('--ignore-window rolls outside of the time windows of the file, at a beginning and at a resume, and says who asked for it', async (t) => {
  const { folder, letReboot } = await anEmbeddedRoll(t)
  await letReboot()
  const file = parse(await readFile(join(folder, 'roll one.yaml'), 'utf8'))
  const path = join(folder, 'window.yaml')
  const opens = new Date(Date.now() + 6 * HOUR_MS).getUTCHours()
  const window = { zone: 'UTC', open: [{ cron: `0 ${opens} * * *`, duration: '1h' }], waitLimit: '0s' }
  await writeFile(path, stringify({ ...file, spec: { ...file.spec, window } }))
  const place = ['--kubeconfig', join(folder, 'my kube.yaml'), '--state-dir', join(folder, 'state'), '--no-probe']
  const env = { USER: 'ann', LOGNAME: 'ann' }
  const roll = (...words: readonly string[]): Promise<Ended> => ended(start(['roll', ...words, ...place], env))

  const plan = await roll('-f', path, '--dry-run', '--ignore-window')
  assert.equal(plan.code, 0, plan.err)
  const held = await roll('-f', path, '--yes', '--even-if-blocked', 'n1')
  assert.equal(held.code, 3, held.err)
  assert.match(held.err, /no time window is open/)
  const again = await ended(start(['roll', 'resume', ...place.filter((word) => word !== '--no-probe')], env))
  assert.equal(again.code, 3, again.err)
  const resumed = await ended(
    start(['roll', 'resume', '--ignore-window', '-o', 'json', ...place.filter((word) => word !== '--no-probe')], env),
  )
  assert.equal(resumed.code, 0, resumed.err)
  assert.match(JSON.parse(resumed.out).windowIgnoredBy, /ann/)
  const begun = await roll('-f', path, '--yes', '--ignore-window', '-o', 'json', 'n2')
  assert.equal(begun.code, 0, begun.err)
  assert.match(JSON.parse(begun.out).windowIgnoredBy, /ann/)
})
