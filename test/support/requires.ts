import { isBuilt } from '../../testbed/build/cache-root.ts'
import { findCommand } from '../../testbed/machine/find-command.ts'
import { missing } from '../../testbed/requirements.ts'
import { isKrewBuilt } from './krew.ts'

/** A real part that some tests cannot do without. */
export type RealPart =
  | 'testbed'
  | 'helm'
  | 'krew'
  | 'podman'
  | 'haproxy'
  | 'keepalived'
  | 'prometheus'
  | 'nft'
  | 'ssh'
  | 'chromium'
  | 'strip'
  | 'tar'
  | 'jq'
  | 'curl'
  | 'iptables'
  | 'python3'
  | 'perl'
  | 'zsh'
  | 'fish'
  | 'groff'

const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * Options for a node:test test that needs a real part. Where the part is missing the test is skipped with one line that
 * says what to install; where `CI` is `true` a missing part is an error, so that nothing is left out unseen.
 */
export function requires(...parts: readonly RealPart[]): { readonly skip: string | false } {
  const lacking = [...new Set(parts.flatMap(lackingFor))].join('; ')
  if (lacking === '') return { skip: false }
  if (process.env.CI === 'true') throw new Error(`CI=true leaves nothing out, but ${lacking}`)
  return { skip: lacking }
}

/** Prometheus and Alertmanager, each with its tool. */
const PROMETHEUS = ['prometheus', 'promtool', 'prometheus-alertmanager', 'amtool']

/** The package of a part that has another name. */
const PACKAGES: Partial<Readonly<Record<RealPart, string>>> = { groff: 'groff-base' }

/** What only root can do, with commands that have to be installed. */
function ofRoot(commands: readonly string[], packages: string): string[] {
  if (process.getuid?.() !== 0) return ['networks are set up by root alone']
  return commands.every((name) => installed([name]))
    ? []
    : [`${packages.split(' ')[0]} is not installed: apt-get install ${packages}`]
}

function lackingFor(part: RealPart): string[] {
  switch (part) {
    case 'testbed':
      return missing()
    case 'helm':
      return isBuilt() ? [] : ['helm is built with the test bed, which is not: npm run testbed -- build']
    case 'krew':
      return lackingForKrew()
    case 'strip':
      return installed(['strip']) ? [] : ['strip is not installed: apt-get install binutils']
    case 'iptables':
      return ofRoot(['ip', 'iptables', 'setpriv'], 'iptables iproute2 util-linux')
    case 'keepalived':
      return ofRoot(['keepalived', 'ip', 'nft', 'nsenter'], 'keepalived iproute2 nftables util-linux')
    case 'prometheus':
      return PROMETHEUS.every((name) => installed([name]))
        ? []
        : ['Prometheus is not installed: apt-get install prometheus prometheus-alertmanager']
    case 'nft':
      return ofRoot(['nft', 'ip', 'ss'], 'nftables iproute2')
    case 'tar':
    case 'jq':
    case 'curl':
    case 'python3':
    case 'perl':
    case 'podman':
    case 'zsh':
    case 'fish':
    case 'groff':
      return installed([part]) ? [] : [`${part} is not installed: apt-get install ${PACKAGES[part] ?? part}`]
    case 'haproxy':
      return installed(['haproxy']) ? [] : ['HAProxy is not installed: apt-get install haproxy']
    case 'ssh':
      return ['ssh', 'ssh-keygen', 'sshd'].every((name) => installed([name]))
        ? []
        : ['OpenSSH is not installed: apt-get install openssh-client openssh-server']
    case 'chromium':
      return installed(CHROMIUM_NAMES) ? [] : ['Chromium is not installed: apt-get install chromium']
  }
}

const lackingForKrew = (): string[] =>
  isKrewBuilt() || installed(['go']) ? [] : ['krew is built with Go, which is not installed']

function installed(names: readonly string[]): boolean {
  return names.some((name) => findCommand(name) !== undefined)
}
