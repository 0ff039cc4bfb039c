import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { HostHop } from '../../model/host.ts'

/** Prints the effective configuration of a host, `ssh -G`; undefined where ssh would not say. */
export type AskConfig = (host: string) => Promise<string | undefined>

const HOPS_MAX = 16
const HOP_NAME = /^[0-9A-Za-z_:]([0-9A-Za-z._:-]*[0-9A-Za-z_:])?$/

/**
 * The machines that the way to `node` leads through, by the user's own configuration: those of ProxyJump, the hosts that
 * a ProxyCommand may name, and what these are reached through in turn. A reboot of one of them cuts the way to `node`.
 */
export async function sshRoute(node: string, askConfig: AskConfig): Promise<readonly HostHop[]> {
  const hops = new Map<string, HostHop>()
  const waiting = [...hopsOf((await askConfig(node)) ?? '')]
  for (let name = waiting.shift(); name !== undefined && hops.size < HOPS_MAX; name = waiting.shift()) {
    if (hops.has(name) || name === node) continue
    const config = (await askConfig(name)) ?? ''
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

/** Any word of it may be a host, but for the program, its options and what ssh fills in. */
const commandHosts = (command: string): readonly string[] =>
  command
    .split(/[\s"']+/)
    .slice(1)
    .filter((word) => word !== '' && !/^-|[%/=$]/.test(word))
    .flatMap(jumpHost)
    .filter((host) => !/^\d+$/.test(host))

async function addressesOf(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch {
    // A name that cannot be resolved from here (inside a jump, or no host at all) matches nothing.
    return []
  }
}
