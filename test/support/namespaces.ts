import { spawnSync } from 'node:child_process'

/**
 * The words before a command that run it in namespaces of its own: with root, or with the kernel's user namespaces.
 * Undefined where this machine allows neither.
 */
export function inOwn(...kinds: readonly ('--mount' | '--net')[]): readonly string[] | undefined {
  const ways = [
    ['unshare', ...kinds],
    ['unshare', '--map-root-user', ...kinds],
  ]
  return ways.find(([file = '', ...args]) => spawnSync(file, [...args, 'true']).status === 0)
}

/** Options for a test that needs them: skipped with one line where they are missing, an error where `CI` is `true`. */
export function requiresOwn(...kinds: readonly ('--mount' | '--net')[]): { readonly skip: string | false } {
  if (inOwn(...kinds) !== undefined) return { skip: false }
  const lacking = 'no namespaces: run as root, with util-linux installed'
  if (process.env.CI === 'true') throw new Error(`CI=true leaves nothing out, but ${lacking}`)
  return { skip: lacking }
}
