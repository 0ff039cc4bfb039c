import { readFileSync, realpathSync } from 'node:fs'
import type { TarEntry } from '../../testbed/build/tar.ts'
import { findCommand } from '../../testbed/machine/find-command.ts'
import { file, foldersOf, runtimeTree } from './root-tree.ts'
import { sharedLibraries } from './shared-libraries.ts'

/**
 * The ssh client of this machine and the libraries that the image does not have yet. It comes without a shell, so that ProxyJump,
 * ProxyCommand and Match exec do not work in the image.
 */
export async function sshTree(): Promise<readonly TarEntry[]> {
  const ssh = findCommand('ssh')
  if (ssh === undefined) throw new Error('this machine has no ssh to put into the image: install openssh-client')
  const there = new Set((await runtimeTree()).map(({ path }) => path))
  const libraries = (await sharedLibraries(ssh)).filter((path) => !there.has(path.slice(1)))
  const files = [
    file('usr/bin/ssh', 0o755, readFileSync(realpathSync(ssh))),
    ...libraries.map((path) => file(path.slice(1), 0o755, readFileSync(path))),
  ]
  return [...foldersOf(files), ...files]
}
