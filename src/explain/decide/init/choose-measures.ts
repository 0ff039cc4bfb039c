import { publicUrlFault } from '../../../ground/model/hold-url.ts'
import type { HaproxyConfig } from '../../../service/model/haproxy-config.ts'
import type { KeptBackend } from './choose-backends.ts'
import { type Answers, answerTo, type Question } from './init-question.ts'
import type { Field, Part } from './roll-file-outline.ts'
import { splitWords } from './split-words.ts'

interface Choice extends Part {
  readonly questions: readonly Question[]
}

export const REBOOT_ID = 'reboot'

const SSH = /^ssh(?: ([A-Za-z_][A-Za-z0-9._-]*\$?))?$/
const SYSTEMD: readonly string[] = ['systemctl', 'reboot']
const SUDO = ['sudo', '-n']

export const REBOOTER = 'rebooter'

/** What another program says of how it reboots machines. */
interface OtherReboots {
  /** The command that it runs as root. */
  readonly command?: readonly string[]
  /** It is a pod on each node. */
  readonly isInCluster?: true
}

const presetOf = ({ isInCluster }: OtherReboots): string => (isInCluster === true ? REBOOTER : 'ssh')

/** Whether nodes are rebooted by ssh, by this answer. */
export const isRebootedBySsh = (answers: Answers, other: OtherReboots = {}): boolean =>
  SSH.test(answers.get(REBOOT_ID) ?? presetOf(other))

export function rebootFault(answer: string): string | undefined {
  if (SSH.test(answer) || answer === REBOOTER) return undefined
  if (/^ssh\b/.test(answer)) return 'answer "ssh" or "ssh USER", or a command that has {bootId}'
  const words = splitWords(answer)
  if (words === undefined) return 'a quote is not closed'
  if (words.length === 0) return 'answer "ssh", "ssh USER", "rebooter", or a command'
  return words.some((word) => word.includes('{bootId}'))
    ? undefined
    : 'a command must get {bootId}, and must act only while the machine has that boot id'
}

/** `spec.reboot`. */
export function chooseReboot(answers: Answers, other: OtherReboots = {}): Choice {
  const { command = SYSTEMD } = other
  const question: Question = {
    id: REBOOT_ID,
    about: 'reboot a node by',
    why: 'The cluster does not say how its machines are rebooted.',
    ask: 'How is a node rebooted: ssh, ssh USER, rebooter (a pod of evenkeel-rebooter on each node), or a command with {node} and {bootId}?',
    preset: presetOf(other),
    faultOf: rebootFault,
  }
  const answer = answerTo(question, answers)
  const ssh = SSH.exec(answer)
  const none = { found: [], leftOut: [], questions: [question] }
  if (answer === REBOOTER) {
    const comment = 'By evenkeel-rebooter, a pod on each node, without ssh. The plan says where it does not run.'
    return { ...none, fields: [{ key: REBOOTER, value: { fields: [] }, comment }] }
  }
  if (ssh === null) {
    const comment =
      'Run on this machine, without a shell, once for each node. It must act only while the node has the boot id.'
    return { ...none, fields: [{ key: 'command', value: splitWords(answer) ?? [], comment }] }
  }
  const [, user] = ssh
  const who: Field =
    user === undefined
      ? {
          key: 'user',
          value: 'ops',
          comment: 'The user of your ssh configuration, unless this line is used.',
          off: true,
        }
      : { key: 'user', value: user }
  const comment =
    'By your own ssh to the name of each node: where that is no host name, your ssh configuration gives its HostName. The plan tries each login.'
  // Machines that root may log in to often have no sudo.
  const fields: Field[] = [who, { key: 'command', value: user === 'root' ? command : [...SUDO, ...command] }]
  return { ...none, fields: [{ key: 'ssh', value: { fields }, comment }] }
}

export const PROBE_ID = 'probe'

export function probeFault(answer: string): string | undefined {
  const wrong = urlsOf(answer).find((url) => publicUrlFault(url) !== undefined)
  return wrong === undefined ? undefined : `${wrong} is not an http or https URL without a user`
}

const urlsOf = (answer: string): readonly string[] => answer.split(/\s+/).filter((url) => url !== '')

/** `spec.probes`. */
export function chooseProbes(
  config: HaproxyConfig | undefined,
  kept: readonly KeptBackend[],
  answers: Answers,
): Choice {
  const known = frontendUrls(config, kept)
  const question: Question = {
    id: PROBE_ID,
    about: 'URLs to probe',
    why: 'A roll stops at the first failed request. No API says which URL clients use through the balancers.',
    ask: 'Which URLs does the roll probe? Separate them with spaces; empty if you do not know yet.',
    preset: known.join(' '),
    faultOf: probeFault,
  }
  const urls = urlsOf(answerTo(question, answers))
  const questions = [question]
  const field = { key: 'probes', value: { items: urls.map((url, at) => ({ value: targetOf(url, at) })) } }
  if (urls.length > 0) {
    const guessed =
      known.length > 0 && urls.join(' ') === known.join(' ') ? ' The address is that of "bind" in haproxy.cfg.' : ''
    const comment = `Asked through the balancers all the time; the roll stops at a failed request.${guessed}`
    return { fields: [{ ...field, comment }], found: [], leftOut: [], questions }
  }
  const comment =
    'The URL that clients use through the balancers is not known. A roll needs a probe, or --no-probe. Choose a page that the pods behind the balancers answer.'
  const example = { items: [{ value: targetOf('https://app.example.com/', 0) }] }
  return {
    fields: [{ key: 'probes', value: example, comment, off: true }],
    found: [],
    leftOut: [{ what: 'probes', why: 'the URL that clients use is not known; a roll needs one, or --no-probe' }],
    questions,
  }
}

const targetOf = (url: string, at: number) => ({
  fields: [
    { key: 'name', value: at === 0 ? 'service' : `service-${at + 1}` },
    { key: 'url', value: url },
  ],
})

const ANY_ADDRESS = /^(|\*|0\.0\.0\.0|::)$/

/** Where haproxy.cfg binds to one address. A certificate names a host, so the address of a TLS bind is no URL. */
function frontendUrls(config: HaproxyConfig | undefined, kept: readonly KeptBackend[]): readonly string[] {
  const names = new Set(kept.map(({ backend }) => backend.name))
  return (config?.frontends ?? [])
    .filter(({ mode, backends }) => mode === 'http' && backends.some((name) => names.has(name)))
    .flatMap(({ binds }) => binds.filter(({ address, tls }) => !tls && !ANY_ADDRESS.test(address)).slice(0, 1))
    .map(({ address, port }) => `http://${address.includes(':') ? `[${address}]` : address}:${port}/`)
}
