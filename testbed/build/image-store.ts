import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logTail } from '../machine/log-tail.ts'
import { run, runToEnd } from '../machine/run.ts'
import { waitFor } from '../machine/wait-for.ts'
import { underLock } from './build-lock.ts'
import { storeOnlyConfig } from './containerd-config.ts'
import { programImage } from './program-image.ts'

/** The images that every node has, each with the one program it holds. */
const IMAGES = {
  'testbed.local/pause:1': 'pause',
  'testbed.local/coredns:1': 'coredns',
  'testbed.local/app:1': 'app',
  'testbed.local/nodecheck:1': 'nodecheck',
  'testbed.local/kube:1': 'kube',
} as const

/**
 * A containerd root with every image unpacked, made once per build, version of containerd and list of images: a node takes it
 * as hard links and has its images without importing them. Returns its folder.
 */
export async function ensureImageStore(buildFolder: string, programs: string): Promise<string> {
  const madeOf = `${await run(['containerd', '--version'])}${JSON.stringify(IMAGES)}`
  const folder = join(buildFolder, `containerd-${createHash('sha256').update(madeOf).digest('hex').slice(0, 8)}`)
  const isDone = (): boolean => existsSync(folder)
  if (!isDone()) await underLock(`${folder}.lock`, isDone, () => unpack(programs, folder))
  return folder
}

async function unpack(programs: string, folder: string): Promise<void> {
  // The socket lies in the state folder, and the path of a socket may not be long.
  const work = mkdtempSync(join(tmpdir(), 'evenkeel-images-'))
  const root = mkdtempSync(`${folder}.new-`)
  try {
    const state = join(work, 'state')
    const config = join(work, 'config.toml')
    mkdirSync(state)
    writeFileSync(config, storeOnlyConfig({ root, state }))
    await importImages({ config, address: join(state, 'containerd.sock'), log: join(work, 'log'), work }, programs)
    if (!existsSync(folder)) renameSync(root, folder)
  } finally {
    rmSync(root, { recursive: true, force: true })
    rmSync(work, { recursive: true, force: true })
  }
}

interface Store {
  readonly config: string
  readonly address: string
  readonly log: string
  /** For what is needed in between. */
  readonly work: string
}

async function importImages(store: Store, programs: string): Promise<void> {
  const log = openSync(store.log, 'a')
  // In namespaces of its own: what it mounts and starts ends with it.
  const namespaces = ['--mount', '--propagation', 'private', '--pid', '--fork', '--mount-proc', '--kill-child=KILL']
  const argv = [
    '--pdeathsig',
    'KILL',
    'unshare',
    ...namespaces,
    '--',
    'containerd',
    '-c',
    store.config,
    '--log-level',
    'warn',
  ]
  const child = spawn('setpriv', argv, { stdio: ['ignore', log, log] })
  closeSync(log)
  const ended = new Promise<void>((resolve, reject) => {
    child.on('exit', () => resolve())
    child.on('error', reject)
  })
  try {
    const wait = { what: 'containerd to take images', limitMs: 30_000, explain: () => logTail(store.log) }
    await waitFor(wait, async () =>
      (await runToEnd(['ctr', '-a', store.address, 'version'])).code === 0 ? true : undefined,
    )
    const image = join(store.work, 'image.tar')
    for (const [reference, program] of Object.entries(IMAGES)) {
      writeFileSync(image, programImage({ reference, program, binary: readFileSync(join(programs, program)) }))
      await run(['ctr', '-a', store.address, '-n', 'k8s.io', 'images', 'import', image])
    }
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}
