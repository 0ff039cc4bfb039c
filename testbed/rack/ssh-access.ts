import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeAddress } from '../addresses.ts'
import { run } from '../machine/run.ts'

/** The one key that opens every node, and the nodes' own keys. */
export interface SshAccess {
  readonly publicKey: string
  readonly hostKeyPath: (node: string) => string
}

/** An ssh client configuration that knows every node by name, for programs within the bed's network. */
export function sshConfigPath(disk: string): string {
  return join(disk, 'ssh', 'config')
}

export async function makeSshAccess(disk: string, nodes: readonly string[]): Promise<SshAccess> {
  const folder = join(disk, 'ssh')
  const identity = join(folder, 'id_ed25519')
  const hostKeyPath = (node: string): string => join(folder, `${node}_host_key`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await Promise.all([identity, ...nodes.map(hostKeyPath)].map(makeKey))
  const known = nodes.map((node) => `${node},${nodeAddress(node)} ${publicKeyOf(hostKeyPath(node))}\n`)
  writeFileSync(join(folder, 'known_hosts'), known.join(''))
  writeFileSync(sshConfigPath(disk), [...nodes.map(hostEntry), sharedEntry(folder, identity)].join('\n'), {
    mode: 0o600,
  })
  return { publicKey: publicKeyOf(identity), hostKeyPath }
}

async function makeKey(path: string): Promise<void> {
  await run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', 'testbed', '-f', path])
}

function publicKeyOf(path: string): string {
  return readFileSync(`${path}.pub`, 'utf8').trim()
}

function hostEntry(node: string): string {
  return `Host ${node}\n  HostName ${nodeAddress(node)}\n`
}

function sharedEntry(folder: string, identity: string): string {
  return `Host *
  User root
  IdentityFile ${identity}
  IdentitiesOnly yes
  UserKnownHostsFile ${join(folder, 'known_hosts')}
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
`
}
