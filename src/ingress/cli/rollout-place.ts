import type { Command } from 'commander'
import { addClusterOptions } from '../../cli/output-options.ts'
import { INGRESS_GROUPS } from '../../ground/model/ingress-keys.ts'
import { present } from '../../ground/model/present.ts'
import { commandText, evenkeel, kubectl } from '../../ground/model/sentence.ts'
import { SLOTS_NAMESPACE } from '../../ground/model/slot.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { clusterWords, flagWords } from '../../ground/text/flag-words.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import type { IngressAddress } from '../run/commands/find-ingress.ts'
import { targetText } from '../run/commands/find-ingress.ts'

/** Which cluster, by the flags. */
export interface RolloutPlace {
  readonly kubeconfig?: string
  readonly context?: string
  /** As it was given: where the controller is, for commands that follow. */
  readonly controllerNamespace?: string
}

/** The way to its API. */
export interface RolloutGround {
  readonly objects: Objects
  readonly cluster: Pick<Cluster, 'readLease'>
  /** Of the kubeconfig's context; `default` where it names none. */
  readonly namespace: string
}

export interface RolloutFlags extends RolloutPlace {
  readonly namespace?: string
}

export const addRolloutPlace = (command: Command): Command =>
  addClusterOptions(
    command
      .argument('<target...>', 'ingressdaemonset/NAME, or ids/NAME')
      .option('-n, --namespace <name>', 'namespace of the object (default: that of the context)'),
  )

/** Of the commands that look at the Lease of the controller, and of those after which such a one is typed. */
export const addControllerPlace = (command: Command): Command =>
  command.option(
    '--controller-namespace <name>',
    `namespace of the controller, whose Lease \`status\` looks at (default: ${SLOTS_NAMESPACE})`,
  )

const KINDS: readonly string[] = ['ingressdaemonset', 'ingressdaemonsets', 'ids']
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

const refuse = (message: string): UserError =>
  new UserError(message, {
    code: 'rollout.usage',
    fix: `write ingressdaemonset/NAME, or with its group: ${INGRESS_GROUPS.map((group) => `ingressdaemonset.${group}/NAME`).join(' or ')}`,
  })

/** `ingressdaemonset/web`, `ids web`, `ingressdaemonset.evenkeel.dev/web`. Throws UserError rollout.usage. */
export function parseTarget(words: readonly string[]): Pick<IngressAddress, 'name' | 'group'> {
  const [first = '', second, ...more] = words.length === 1 ? (words[0] ?? '').split('/') : words
  const [kind, ...rest] = first.toLowerCase().split('.')
  const group = (rest[0] === 'v1alpha1' ? rest.slice(1) : rest).join('.')
  const known = INGRESS_GROUPS.find((one) => one === group)
  if (second === undefined && KINDS.includes(kind ?? '')) throw refuse(`the name of the ${first} is missing`)
  if (second === undefined) throw refuse(`"${first}" has no kind`)
  if (!KINDS.includes(kind ?? '') || (group !== '' && known === undefined))
    throw refuse(`"${first}" is no IngressDaemonSet, and this command rolls out nothing else`)
  if (more.length > 0 || !NAME.test(second))
    throw refuse(`"${[second, ...more].join('/')}" is not the name of one object`)
  return { name: second, ...present({ group: known }) }
}

/** Commands about one object that can be pasted. */
export interface Commands {
  readonly rollout: (sub: string, ...more: readonly string[]) => string
  readonly kubectl: (...words: readonly string[]) => string
}

export function commandsOf(
  object: Pick<CheckedIngress, 'group' | 'namespace' | 'name'>,
  flags: RolloutPlace,
): Commands {
  const where = clusterWords(flags)
  const controller = flagWords('--controller-namespace', flags.controllerNamespace)
  return {
    rollout: (sub, ...more) => {
      // A history asks no controller.
      const asks = sub === 'history' ? [] : controller
      return commandText(evenkeel`rollout ${sub} ${targetText(object)} ${more} -n ${object.namespace} ${asks} ${where}`)
    },
    kubectl: (...words) => commandText(kubectl`${where} ${words}`),
  }
}
