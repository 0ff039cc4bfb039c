import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedLibraries } from '../../deploy/image/shared-libraries.ts'
import { ociImage } from '../../testbed/build/oci-image.ts'
import { type TarEntry, tar } from '../../testbed/build/tar.ts'
import { findCommand } from '../../testbed/machine/find-command.ts'
import { run, runToEnd } from '../../testbed/machine/run.ts'
import type { Refusal } from './article-arguments.ts'
import { KURED_IMAGE, kuredManifests } from './kured-manifests.ts'

/** kured's source, found complete. */
interface KuredSource {
  readonly dir: string
  readonly objects: readonly object[]
  /** The tag of the image in its manifest. */
  readonly tag: string
}

export interface KuredBuild {
  readonly image: Buffer
  readonly objects: readonly object[]
  /** The tag of its manifest, and the commit where the source is a clone. */
  readonly version: string
}

const MANIFESTS = ['kured-rbac.yaml', 'kured-ds.yaml'] as const
const FIX = 'give a checkout of github.com/kubereboot/kured'

/** Looks at the source before anything is done with it. */
export function kuredSource(dir: string): KuredSource | Refusal {
  const missing = ['go.mod', 'cmd/kured/main.go', ...MANIFESTS].find((file) => !existsSync(join(dir, file)))
  if (missing !== undefined) return { what: `--kured ${dir}: there is no ${missing}`, fix: FIX }
  const module = readFileSync(join(dir, 'go.mod'), 'utf8')
  if (!/^module github\.com\/kubereboot\/kured$/m.test(module))
    return { what: `--kured ${dir}: go.mod is of another module`, fix: FIX }
  if (findCommand('go') === undefined) {
    const wanted = /^go (\S+)$/m.exec(module)?.[1] ?? ''
    return { what: 'kured is built with Go, which is not installed', fix: `install Go ${wanted} or newer` }
  }
  try {
    const [rbac, daemonSet] = MANIFESTS.map((file) => readFileSync(join(dir, file), 'utf8'))
    return { dir, ...kuredManifests(rbac ?? '', daemonSet ?? '') }
  } catch (error) {
    return { what: `--kured ${dir}: ${error instanceof Error ? error.message : String(error)}`, fix: FIX }
  }
}

/** As kured's Makefile builds it, and in an image with what its Dockerfile puts beside it as far as kured uses it here. */
export async function buildKured({ dir, objects, tag }: KuredSource): Promise<KuredBuild> {
  const commit = await commitOf(dir)
  const version = commit === undefined ? tag : `${tag}+${commit}`
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-kured-'))
  try {
    const program = join(folder, 'kured')
    const flags = ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w -X main.version=${version}`]
    await run(['go', 'build', ...flags, '-o', program, './cmd/kured'], { cwd: dir, env: { CGO_ENABLED: '0' } })
    return { image: await imageOf(program), objects, version }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** kured runs `/usr/bin/nsenter` for its reboot command. Its own image has that of Alpine; this one has the machine's. */
async function imageOf(program: string): Promise<Buffer> {
  const nsenter = findCommand('nsenter') ?? ''
  const files = [
    file('usr/bin/kured', program),
    file('usr/bin/nsenter', nsenter),
    ...(await sharedLibraries(nsenter)).map((path) => file(path.slice(1), path)),
  ]
  const folders = ['dev/', 'etc/', 'proc/', 'sentinel/', 'sys/'].map((path): TarEntry => ({ path, mode: 0o755 }))
  const layer = tar([...folders, { path: 'tmp/', mode: 0o1777 }, ...files])
  return ociImage({
    reference: KURED_IMAGE,
    layers: [{ tar: layer }],
    entrypoint: ['/usr/bin/kured'],
    path: '/usr/bin:/bin',
  })
}

const file = (path: string, source: string): TarEntry => ({ path, mode: 0o755, content: readFileSync(source) })

/** Absent where the source is no clone of its own: a folder in another repository has that one's commit. */
async function commitOf(dir: string): Promise<string | undefined> {
  if (!existsSync(join(dir, '.git')) || findCommand('git') === undefined) return undefined
  const { code, stdout } = await runToEnd(['git', '-C', dir, 'rev-parse', '--short=8', 'HEAD'])
  return code === 0 ? stdout.trim() : undefined
}
