import type { CliContext } from '../../../cli/cli-context.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import type { InstanceAddress } from '../../../service/model/balancer-spec.ts'
import { type InitSnapshot, OTHER_WAYS } from '../../decide/init/init-snapshot.ts'
import { parseAddress } from '../../decide/init/instance-address.ts'
import { splitWords } from '../../decide/init/split-words.ts'
import { askOne } from './ask-questions.ts'
import type { BalancerPart, InitActions } from './init-actions.ts'
import type { InitFlags } from './init-flags.ts'

interface Search {
  readonly context: CliContext
  readonly actions: InitActions
  readonly flags: InitFlags
}

type Balancers = Pick<InitSnapshot, 'instances' | 'config' | 'noBalancer' | 'otherWay'>

const FORMS = 'write PATH, HOST:PORT or [USER@]HOST:PATH'

/** From the options, otherwise on this machine, otherwise by a question; undefined where no answer came. */
export async function findBalancers({ context, actions, flags }: Search): Promise<Balancers | undefined> {
  if (!flags.haproxy) return { instances: [], noBalancer: true }
  const { signal } = context.interrupts
  const sockets = (flags.haproxySocket ?? []).map((text) => namedSocket(text, actions))
  const config = flags.haproxyConfig === undefined ? {} : { config: flags.haproxyConfig }
  const found = await actions.readBalancers({ sockets, ...config, searchHere: true }, signal)
  const isNamed = sockets.length > 0 || flags.haproxyConfig !== undefined
  if (found.instances.length > 0 || isNamed || flags.yes === true) return { ...found, noBalancer: false }
  const answer = await askOne(context, question(actions))
  if (answer === undefined) return undefined
  if (answer === 'none') return { instances: [], noBalancer: true }
  const otherWay = OTHER_WAYS.find((way) => way === answer)
  if (otherWay !== undefined) return { instances: [], noBalancer: false, otherWay }
  const named = (splitWords(answer) ?? []).map((text) => namedSocket(text, actions))
  const asked: BalancerPart =
    named.length === 0 ? found : await actions.readBalancers({ sockets: named, searchHere: false }, signal)
  return { ...found, ...asked, noBalancer: false }
}

const question = (actions: InitActions) => ({
  id: 'socket',
  about: 'load balancers',
  why: 'No HAProxy that sends traffic was found on this machine. A roll tells the load balancers that a node leaves.',
  ask:
    'Which load balancers send to the nodes? For HAProxy its runtime sockets: PATH, HOST:PORT or [USER@]HOST:PATH, separated by spaces. ' +
    'For all others how they learn it: health-check (a mark on the Node makes their check fail), agent (they check an agent of Even Keel), ' +
    'annotation (a detacher in the cluster moves them) or commands (of yours). none if there is none; empty if you do not know.',
  preset: '',
  faultOf: (answer: string): string | undefined => {
    if (answer === 'none' || OTHER_WAYS.some((way) => way === answer)) return undefined
    const words = splitWords(answer)
    if (words === undefined) return 'a quote is not closed'
    const wrong = words.find((word) => addressOf(word, actions) === undefined)
    return wrong === undefined ? undefined : `"${wrong}" is not a socket: ${FORMS}`
  },
})

const addressOf = (text: string, { absolute }: InitActions): InstanceAddress | undefined =>
  parseAddress(/^\.{1,2}\//.test(text) ? absolute(text) : text)

function namedSocket(text: string, actions: InitActions): InstanceAddress {
  const address = addressOf(text, actions)
  if (address !== undefined) return address
  throw new UserError(`--haproxy-socket: "${text}" is not a socket`, { code: 'usage.socket', fix: FORMS })
}
