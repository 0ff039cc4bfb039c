import { present } from './present.ts'
import type { Untrusted } from './untrusted.ts'

/** One flag of kured as its DaemonSet gives it. All text is foreign. */
export interface KuredFlag {
  /** Without dashes: `start-time`. */
  readonly name: string
  /** Absent: a switch without a value, or a value that the DaemonSet does not show. */
  readonly value?: string
  /** The value is in a Secret or a ConfigMap. */
  readonly isHidden?: true
}

/** What a DaemonSet of kured says of how it works. */
export interface KuredSettings {
  /** Absent: a file does not say it. */
  readonly namespace?: string
  readonly name: string
  /** In the order of the DaemonSet; arguments before variables. */
  readonly flags: readonly KuredFlag[]
  /** Directories of the machine that the pod sees elsewhere. */
  readonly mounts: readonly { readonly path: string; readonly hostPath: string }[]
  /** The variable TZ, which is what `--time-zone=Local` means. */
  readonly localZone?: string
}

/** Flags that take no value in a word of their own. */
const SWITCHES: ReadonlySet<string> = new Set([
  'force-reboot',
  'alert-filter-match-only',
  'alert-firing-only',
  'annotate-nodes',
])
const VARIABLE = /^KURED_([A-Z_]+)$/
/** Given by each manifest: the pod's own node. */
const NODE_ID = 'node-id'

/** Undefined: the DaemonSet is of another program. */
export function kuredSettings(daemonSet: Untrusted): KuredSettings | undefined {
  const pod = daemonSet.at('spec').at('template').at('spec')
  const container = pod.at('containers').each().find(isKured)
  if (container === undefined) return undefined
  const metadata = daemonSet.at('metadata')
  const zone = container
    .at('env')
    .each()
    .find((one) => one.at('name').textOr('') === 'TZ')
  return {
    name: metadata.at('name').textOr('kured'),
    flags: [...ofWords(wordsOf(container)), ...ofVariables(container)].filter(({ name }) => name !== NODE_ID),
    mounts: mountsOf(pod, container),
    ...present({ namespace: metadata.at('namespace').optionalText(), localZone: zone?.at('value').optionalText() }),
  }
}

const wordsOf = (container: Untrusted): readonly string[] =>
  [...container.at('command').each(), ...container.at('args').each()].map((word) => word.textOr(''))

const isKured = (container: Untrusted): boolean =>
  /(^|\/)kured(:|@|$)/.test(container.at('image').textOr('')) ||
  wordsOf(container).some((word) => /(^|\/)kured$/.test(word)) ||
  container.at('name').textOr('') === 'kured'

function ofWords(words: readonly string[]): readonly KuredFlag[] {
  return words.flatMap((word, i): readonly KuredFlag[] => {
    const [, name, given] = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(word) ?? []
    if (name === undefined) return []
    const next = words[i + 1]
    const value = given ?? (SWITCHES.has(name) || next === undefined || next.startsWith('--') ? undefined : next)
    return [{ name, ...present({ value: value === undefined ? undefined : unquoted(value) }) }]
  })
}

function ofVariables(container: Untrusted): readonly KuredFlag[] {
  return container
    .at('env')
    .each()
    .flatMap((one): readonly KuredFlag[] => {
      const [, words] = VARIABLE.exec(one.at('name').textOr('')) ?? []
      if (words === undefined) return []
      const name = words.toLowerCase().replaceAll('_', '-')
      const value = one.at('value').optionalText()
      return [value === undefined ? { name, isHidden: true } : { name, value: unquoted(value) }]
    })
}

/** kured takes quotes around a whole value away (cmd/kured/main.go, stripQuotes). */
const unquoted = (text: string): string => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text

function mountsOf(pod: Untrusted, container: Untrusted): KuredSettings['mounts'] {
  const volumes = pod.at('volumes').each()
  return container
    .at('volumeMounts')
    .each()
    .flatMap((mount) => {
      const named = volumes.find((one) => one.at('name').textOr('') === mount.at('name').textOr(''))
      const hostPath = named?.at('hostPath').at('path').optionalText()
      return hostPath === undefined ? [] : [{ path: mount.at('mountPath').textOr(''), hostPath }]
    })
}
