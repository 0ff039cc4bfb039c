import { isIP } from 'node:net'
import type { HostHop } from '../model/host.ts'

interface RouteParts {
  /** The effective configuration of a host, `ssh -G`; undefined where ssh fails. */
  readonly configOf: (host: string) => Promise<string | undefined>
  readonly addressesOf: (host: string) => Promise<readonly string[]>
}

const HOPS_MAX = 16
const HOP_NAME = /^[0-9A-Za-z_:]([0-9A-Za-z._:-]*[0-9A-Za-z_:])?$/

/**
 * The machines on the way to `node`, by the user's own configuration: those of ProxyJump, the hosts that a ProxyCommand may
 * name, and those on the way to these. A reboot of one of them cuts the way to `node`.
 */
export async function sshRoute(node: string, { configOf, addressesOf }: RouteParts): Promise<readonly HostHop[]> {
  const hops = new Map<string, HostHop>()
  const waiting = [...hopsOf((await configOf(node)) ?? '')]
  for (let name = waiting.shift(); name !== undefined && hops.size < HOPS_MAX; name = waiting.shift()) {
    if (hops.has(name) || name === node) continue
    const config = (await configOf(name)) ?? ''
    hops.set(name, { name, addresses: await addressesOf(settingOf(config, 'hostname') ?? name) })
    waiting.push(...hopsOf(config))
  }
  return [...hops.values()]
}

function hopsOf(config: string): readonly string[] {
  const jump = settingOf(config, 'proxyjump')
  if (jump !== undefined && jump !== 'none') return jump.split(',').flatMap(jumpHost)
  const command = settingOf(config, 'proxycommand')
  return command === undefined || command === 'none' ? [] : commandHosts(command)
}

const settingOf = (config: string, key: string): string | undefined =>
  config
    .split('\n')
    .find((line) => line.startsWith(`${key} `))
    ?.slice(key.length + 1)
    .trim()

/** `[user@]host[:port]` or `ssh://[user@]host[:port]`, an IPv6 address in brackets (ssh_config(5), ProxyJump). */
function jumpHost(text: string): readonly string[] {
  const at = text
    .trim()
    .replace(/^ssh:\/\//, '')
    .replace(/^.*@/, '')
  const bracketed = /^\[([^\]]+)\]/.exec(at)?.[1]
  const host = bracketed ?? (isIP(at) === 6 ? at : at.replace(/:\d+$/, ''))
  return HOP_NAME.test(host) ? [host] : []
}

/** Any word of the command may be a host, except the program, its options and what ssh fills in. */
const commandHosts = (command: string): readonly string[] =>
  command
    .split(/[\s"']+/)
    .slice(1)
    .filter((word) => word !== '' && !/^-|[%/=$]/.test(word))
    .flatMap(jumpHost)
    .filter((host) => !/^\d+$/.test(host))
