import type { Command } from 'commander'
import { addClusterOptions } from '../../cli/output-options.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { commandText, evenkeel, kubectl } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { clusterWords } from '../../ground/text/flag-words.ts'

/** Which cluster, by the flags. */
export interface GuardPlace {
  readonly kubeconfig?: string
  readonly context?: string
}

/** The way to its API. */
export interface GuardGround {
  readonly objects: Objects
  readonly cluster: Pick<Cluster, 'readNode'>
  /** Of the kubeconfig's context; `default` where it names none. */
  readonly namespace: string
  /** The name that the kubeconfig has for the identity; absent without a kubeconfig. */
  readonly user?: string
}

export const addGuardPlace = (command: Command): Command =>
  addClusterOptions(command.option('-n, --namespace <name>', 'namespace of the object (default: that of the context)'))

const KINDS: readonly string[] = ['nodeguard', 'nodeguards', 'ng']
const GROUPS: readonly string[] = ['', 'evenkeel.dev', 'v1alpha1.evenkeel.dev']
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

const refuse = (message: string): UserError =>
  new UserError(message, { code: 'guard.usage', fix: 'write nodeguard/NAME, or ng/NAME' })

/** `nodeguard/storage`, `ng storage`, `nodeguard.evenkeel.dev/storage`. Throws UserError guard.usage. */
export function parseGuardTarget(words: readonly string[]): string {
  const [first = '', second, ...more] = words.length === 1 ? (words[0] ?? '').split('/') : words
  const [kind = '', ...group] = first.toLowerCase().split('.')
  if (second === undefined && KINDS.includes(kind)) throw refuse(`the name of the ${first} is missing`)
  if (second === undefined) throw refuse(`"${first}" has no kind`)
  if (!KINDS.includes(kind) || !GROUPS.includes(group.join('.'))) throw refuse(`"${first}" is no NodeGuard`)
  if (more.length > 0 || !NAME.test(second))
    throw refuse(`"${[second, ...more].join('/')}" is not the name of one object`)
  return second
}

/** Commands about one object that can be pasted. */
export interface GuardCommands {
  readonly guard: (sub: string, ...more: readonly string[]) => string
  readonly kubectl: (...words: readonly string[]) => string
}

export function guardCommands({ namespace, name }: ObjectRef, place: GuardPlace): GuardCommands {
  const where = clusterWords(place)
  return {
    guard: (sub, ...more) => commandText(evenkeel`guard ${sub} nodeguard/${name} ${more} -n ${namespace} ${where}`),
    kubectl: (...words) => commandText(kubectl`${where} ${words}`),
  }
}
