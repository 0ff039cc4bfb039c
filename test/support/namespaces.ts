import { spawnSync } from 'node:child_process'
import { findCommand } from '../../testbed/machine/find-command.ts'

type Kind = '--mount' | '--net'

/**
 * The words before a command that run it in namespaces of its own: with root, or with the kernel's user namespaces.
 * Undefined where this machine allows neither.
 */
export function inOwn(...kinds: readonly Kind[]): readonly string[] | undefined {
  const ways = [
    ['unshare', ...kinds],
    ['unshare', '--map-root-user', ...kinds],
  ]
  return ways.find(([file = '', ...args]) => spawnSync(file, [...args, 'true']).status === 0)
}

/** Options for a test that needs them: skipped with one line where they are missing, an error where `CI` is `true`. */
export function requiresOwn(...kinds: readonly Kind[]): { readonly skip: string | false } {
  return lackingIs(lackingNamespaces(kinds))
}

/** The same for a network of its own whose loopback is up: `ip` brings it up. */
export function requiresOwnLoopback(): { readonly skip: string | false } {
  const isLacking = findCommand('ip') === undefined
  return lackingIs(isLacking ? 'ip is not installed: apt-get install iproute2' : lackingNamespaces(['--net']))
}

function lackingNamespaces(kinds: readonly Kind[]): string | undefined {
  return inOwn(...kinds) === undefined ? 'no namespaces: run as root, with util-linux installed' : undefined
}

function lackingIs(lacking: string | undefined): { readonly skip: string | false } {
  if (lacking !== undefined && process.env.CI === 'true') throw new Error(`CI=true leaves nothing out, but ${lacking}`)
  return { skip: lacking ?? false }
}
