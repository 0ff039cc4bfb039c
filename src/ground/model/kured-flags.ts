import { KURED_LOCK } from './kured-lock.ts'
import type { Untrusted } from './untrusted.ts'

/**
 * The values of one flag of kured in a DaemonSet, such as `lock-annotation`: from command and arguments of each container, and from its
 * environment (kured, cmd/kured/main.go, LoadFromEnv). A variable that comes from a ConfigMap is not seen.
 */
export function kuredFlag(daemonSet: Untrusted, flag: string): readonly string[] {
  const containers = daemonSet.at('spec').at('template').at('spec').at('containers').each()
  return containers.flatMap((container) => [...ofWords(container, flag), ...ofEnvironment(container, flag)])
}

function ofWords(container: Untrusted, flag: string): readonly string[] {
  const words = [...container.at('command').each(), ...container.at('args').each()].map((word) => word.textOr(''))
  return words.flatMap((word, i) => {
    if (word === `--${flag}`) return words.slice(i + 1, i + 2)
    return word.startsWith(`--${flag}=`) ? [word.slice(flag.length + 3)] : []
  })
}

function ofEnvironment(container: Untrusted, flag: string): readonly string[] {
  const variable = `KURED_${flag.toUpperCase().replaceAll('-', '_')}`
  const found = container
    .at('env')
    .each()
    .filter((one) => one.at('name').textOr('') === variable)
  return found.map((one) => one.at('value').textOr(''))
}

/** The annotation in which the kured of this DaemonSet keeps its lock. An argument counts before a variable. */
export const lockKeyOf = (daemonSet: Untrusted): string =>
  kuredFlag(daemonSet, 'lock-annotation').find((value) => value !== '') ?? KURED_LOCK
