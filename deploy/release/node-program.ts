import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findCommand } from '../../testbed/machine/find-command.ts'
import { run } from '../../testbed/machine/run.ts'
import { ROOT } from './release-facts.ts'

export type Arch = 'x64' | 'arm64'

/** The Node that the tests run on, by the npm package of that name. */
export const NODE = `${ROOT}node_modules/node/bin/node`
export const nodeVersion = (): string =>
  JSON.parse(readFileSync(`${ROOT}node_modules/node/package.json`, 'utf8')).version
const GNU: Readonly<Record<Arch, string>> = { x64: 'x86_64', arm64: 'aarch64' }

/** Node for one architecture. That of this machine is installed. */
export const nodeProgram = async (arch: Arch): Promise<string> =>
  arch === process.arch ? NODE : join(await fetched(arch), 'bin', 'node')

/** The terms of Node and of all that is compiled into it. They are the same for each architecture. */
export const nodeLicense = async (arch: Arch): Promise<string> =>
  readFileSync(join(await fetched(arch), 'LICENSE'), 'utf8')

/** The folder of the npm package with Node for an architecture. It is fetched once. */
async function fetched(arch: Arch): Promise<string> {
  const folder = join(ROOT, 'node_modules', '.cache', 'evenkeel-node', `${nodeVersion()}-${arch}`)
  if (existsSync(folder)) return folder
  const begun = `${folder}.${process.pid}`
  mkdirSync(begun, { recursive: true })
  try {
    await run(['npm', 'pack', `node-linux-${arch}@${nodeVersion()}`, '--prefer-offline', '--pack-destination', begun])
    const archive = join(begun, `node-linux-${arch}-${nodeVersion()}.tgz`)
    await run(['tar', '-xzf', archive, '-C', begun, '--strip-components=1', 'package/bin/node', 'package/LICENSE'])
    rmSync(archive)
    renameSync(begun, folder)
    return folder
  } finally {
    rmSync(begun, { recursive: true, force: true })
  }
}

/** A `strip` that knows the programs of an architecture. */
export const stripFor = (arch: Arch): string | undefined =>
  findCommand(arch === process.arch ? 'strip' : `${GNU[arch]}-linux-gnu-strip`)
