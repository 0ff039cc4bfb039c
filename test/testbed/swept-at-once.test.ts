import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { bedsWithCgroups, makeNodeCgroup, removeBedCgroups } from '../../testbed/machine/cgroups.ts'
import { requires } from '../support/requires.ts'

const CGROUPS = new URL('../../testbed/machine/cgroups.ts', import.meta.url).href
const BED = `${process.pid}-swept`

test('beds that come up at once clear a dead one away together', requires('testbed'), async (t) => {
  makeNodeCgroup(BED, 'n1')
  t.after(() => removeBedCgroups(BED))
  for (const folder of foldersOf('/sys/fs/cgroup')) {
    for (let pod = 0; pod < 100; pod += 1) mkdirSync(join(folder, `pod-${pod}`, 'container'), { recursive: true })
  }
  const sweep = `const { removeBedCgroups } = await import('${CGROUPS}'); removeBedCgroups('${BED}')`
  const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', sweep]
  await Promise.all(Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, words)))
  assert.equal(bedsWithCgroups().includes(BED), false)
})

/** The bed's node in every hierarchy: one of cgroup v2, or those of v1 side by side. */
function foldersOf(root: string): readonly string[] {
  const name = join(`evenkeel-${BED}`, 'n1')
  return [root, ...readdirSync(root).map((each) => join(root, each))]
    .map((hierarchy) => join(hierarchy, name))
    .filter((folder) => existsSync(folder))
}
