import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TarEntry } from '../../testbed/build/tar.ts'
import { findCommand } from '../../testbed/machine/find-command.ts'
import { run } from '../../testbed/machine/run.ts'
import { bundlesInCluster } from './bundle.ts'
import { sharedLibraries } from './shared-libraries.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Of the package of that name, so that the image has the Node that the tests ran on. */
const NODE = `${root}node_modules/node/bin/node`

const PLACE = 'usr/lib/evenkeel'
const PROGRAM = `${PLACE}/evenkeel.cjs`
export const NONROOT = '65532:65532'
export const PATH = '/usr/bin'
/**
 * Of an agent: without a compiler in the process memory stays where it was after a hundred thousand checks; young garbage is
 * collected while it is little.
 */
export const AGENT_FLAGS: readonly string[] = ['--jitless', '--optimize-for-size', '--max-semi-space-size=1']
export const ENTRYPOINT: readonly string[] = ['/usr/bin/node', ...AGENT_FLAGS, `/${PROGRAM}`]
/** Of a controller, which looks at thousands of nodes at once: compiled it needs a third of the time. */
export const CONTROLLER_FLAGS: readonly string[] = ['--max-semi-space-size=4']
export const CONTROLLER_COMMAND: readonly string[] = ['/usr/bin/node', ...CONTROLLER_FLAGS, `/${PROGRAM}`]

const PASSWD = `root:x:0:0::/:/sbin/nologin
nonroot:x:65532:65532::/:/sbin/nologin
`
const GROUP = `root:x:0:
nonroot:x:65532:
`

/** Node, what it is linked with, and two users: the part that stays the same from one version to the next. */
export async function runtimeTree(): Promise<readonly TarEntry[]> {
  const libraries = await sharedLibraries(NODE)
  const files = [
    file('etc/group', 0o644, Buffer.from(GROUP)),
    file('etc/passwd', 0o644, Buffer.from(PASSWD)),
    ...libraries.map((path) => file(path.slice(1), 0o755, readFileSync(path))),
    file('usr/bin/node', 0o755, await stripped(NODE)),
  ]
  const places = ['dev/', 'proc/', 'sys/'].map((path): TarEntry => ({ path, mode: 0o755 }))
  return [...places, { path: 'tmp/', mode: 0o1777 }, ...foldersOf(files), ...files]
}

/** The program, and under which terms it is given. */
export async function programTree(): Promise<readonly TarEntry[]> {
  const files = [
    file(`${PLACE}/LICENSE`, 0o644, readFileSync(`${root}LICENSE`)),
    ...(await bundlesInCluster()).map(({ name, content }) => file(`${PLACE}/${name}`, 0o644, content)),
  ]
  return [...foldersOf(files), ...files]
}

/** The whole tool, for every command that is no part of a pod. */
export async function toolTree(): Promise<readonly TarEntry[]> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-tool-'))
  try {
    await run([process.execPath, '--disable-warning=ExperimentalWarning', `${root}bin/build.ts`, folder])
    const names = readdirSync(folder).toSorted()
    const files = names.map((name) => file(`${PLACE}/tool/${name}`, 0o644, readFileSync(join(folder, name))))
    // Without it Node would take the first file for CommonJS, and read it twice.
    const manifest = file(`${PLACE}/tool/package.json`, 0o644, Buffer.from('{"type":"module"}\n'))
    return [...foldersOf(files), ...files, manifest]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const file = (path: string, mode: number, content: Buffer): TarEntry => ({ path, mode, content })

/** Of a seventh less weight; as it is where binutils are missing. */
async function stripped(program: string): Promise<Buffer> {
  if (findCommand('strip') === undefined) return readFileSync(program)
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-strip-'))
  try {
    await run(['strip', '--strip-all', '-o', join(folder, 'node'), program])
    return readFileSync(join(folder, 'node'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function foldersOf(files: readonly TarEntry[]): readonly TarEntry[] {
  const folders = files.flatMap(({ path }) => {
    const parts = path.split('/').slice(0, -1)
    return parts.map((_, i) => `${parts.slice(0, i + 1).join('/')}/`)
  })
  return [...new Set(folders)].toSorted().map((path) => ({ path, mode: 0o755 }))
}

export const canStrip = (): boolean => findCommand('strip') !== undefined
