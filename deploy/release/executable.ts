import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../testbed/machine/run.ts'
import { type Arch, NODE, nodeProgram, stripFor } from './node-program.ts'
import { ROOT } from './release-facts.ts'

interface ExecutableParts {
  readonly arch: Arch
  /** The bundle as one file. */
  readonly single: string
  readonly work: string
}

/** Node's mark that it carries a program: nodejs.org/api/single-executable-applications.html. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** A Node that runs the bundle and nothing else, for Linux with glibc. */
export async function executable(to: string, { arch, single, work }: ExecutableParts): Promise<void> {
  const program = await nodeProgram(arch)
  const strip = stripFor(arch)
  if (strip === undefined) copyFileSync(program, to)
  else await run([strip, '--strip-all', '-o', to, program])
  const blob = join(work, `${arch}.blob`)
  const config = join(work, `${arch}.json`)
  // Compiled code is of one architecture. With it the help comes in half the time.
  const useCodeCache = arch === process.arch
  writeFileSync(
    config,
    JSON.stringify({ main: single, output: blob, disableExperimentalSEAWarning: true, useCodeCache }),
  )
  await run([NODE, '--experimental-sea-config', config])
  const postject = `${ROOT}node_modules/postject/dist/cli.js`
  await run([NODE, postject, to, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE])
  chmodSync(to, 0o755)
}
