import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ensureBuilt } from '../../testbed/build.ts'
import { aFolder } from '../ground/kube/opened.ts'
import { requires } from '../support/requires.ts'
import { ACCEPTED } from './kubectl/accepted.ts'
import { compareSet } from './kubectl/compare-set.ts'
import { startGround } from './kubectl/ground.ts'
import { PLUGIN } from './kubectl/plugin-twists.ts'
import { assertListed } from './listed.ts'

/** By day these; by night others, and many more. `KUBECTL` names another kubectl than that of the test bed. */
const { KUBECONFIG_SEED, KUBECONFIG_FROM = '0', KUBECONFIG_SEEDS = '40', KUBECTL } = process.env
const seeds =
  KUBECONFIG_SEED === undefined
    ? Array.from({ length: Number(KUBECONFIG_SEEDS) }, (_, at) => Number(KUBECONFIG_FROM) + at)
    : [Number(KUBECONFIG_SEED)]

const theBeds = async (): Promise<readonly string[]> => [
  join((await ensureBuilt(() => undefined, false)).programs, 'kube'),
  'kubectl',
]

const part = KUBECTL === undefined ? requires('testbed') : {}

test('what a kubeconfig makes of a request is what kubectl makes of it', part, async (t) => {
  const folder = await aFolder(t)
  const command = KUBECTL === undefined ? await theBeds() : [KUBECTL]
  const ground = await startGround(t, folder)
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'plug-in-path'), PLUGIN, { mode: 0o700 })
  const [home, path, directory] = [process.env.HOME, process.env.PATH, process.cwd()]
  Object.assign(process.env, { HOME: folder, PATH: `${bin}:${path}`, PLUGIN_HEARD: ground.heard })
  t.after(() => {
    process.chdir(directory)
    Object.assign(process.env, { HOME: home, PATH: path })
  })
  for (const seed of seeds) {
    const difference = await compareSet({ command, ground, folder }, seed)
    if (difference !== undefined) await t.test(`set ${seed}`, () => Promise.reject(new Error(difference)))
  }
})

test('the page about compatibility has each difference that is accepted, and no other', () => {
  assertListed({ page: 'compatibility.md', section: 'Kubeconfig' }, ACCEPTED)
})
