import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import type { LocalSshd } from './local-sshd.ts'

export interface ClientConfig {
  /** `Host` blocks that come first, and so count first. */
  readonly lines?: readonly string[]
  readonly identity?: 'user' | 'stranger'
  /** What the client believes of the machine's key. */
  readonly known?: 'right' | 'wrong' | 'nothing'
}

let configs = 0

/** An ssh configuration that leads every name to this sshd. */
export async function clientConfig(sshd: LocalSshd, config: ClientConfig = {}): Promise<string> {
  const { lines = [], identity = 'user', known = 'right' } = config
  const directory = dirname(sshd.configFile)
  const blocks = await readFile(sshd.configFile, 'utf8')
  const [base = ''] = blocks.split(/^Host /m).filter((block) => block.startsWith('lb'))
  configs += 1
  const knownHosts = join(directory, `known_hosts-${configs}`)
  await writeFile(knownHosts, await believed(directory, known))
  const all = base
    .replace(/^lb/, 'Host *')
    .replace(/IdentityFile .*/, `IdentityFile ${join(directory, identity)}`)
    .replace(/UserKnownHostsFile .*/, `UserKnownHostsFile ${knownHosts}`)
  const path = join(directory, `ssh_config-${configs}`)
  await writeFile(path, [...lines, all].join('\n'))
  return path
}

async function believed(directory: string, known: 'right' | 'wrong' | 'nothing'): Promise<string> {
  if (known === 'nothing') return ''
  const right = await readFile(join(directory, 'known_hosts'), 'utf8')
  if (known === 'right') return right
  return `${right.split(' ')[0]} ${await readFile(join(directory, 'stranger.pub'), 'utf8')}`
}

/** Kills every session and leaves the daemon: the client hears nothing more. Waits until there is one. */
export async function cutSessions(sshd: LocalSshd): Promise<void> {
  await waitFor({ what: 'an ssh session', limitMs: 5_000, everyMs: 10 }, async () => (await sessions(sshd))[0])
  for (const pid of (await sessions(sshd)).toReversed()) process.kill(pid, 'SIGKILL')
}

/** Waits until every session has ended by itself. */
export async function sessionsOver(sshd: LocalSshd): Promise<void> {
  const over = async () => ((await sshd.connections()) === 0 ? true : undefined)
  await waitFor({ what: 'the ssh sessions to end', limitMs: 5_000, everyMs: 10 }, over)
}

/** With root there is one process that watches and one that serves; parents come first. */
async function sessions(sshd: LocalSshd): Promise<readonly number[]> {
  const served = await sshdChildren(await daemonPid(sshd))
  return [...served, ...(await Promise.all(served.map(sshdChildren))).flat()]
}

const daemonPid = async (sshd: LocalSshd): Promise<number> =>
  Number(await readFile(join(dirname(sshd.configFile), 'pid'), 'utf8'))

async function sshdChildren(pid: number): Promise<readonly number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    names.map(async (name) => {
      const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
      return status.startsWith('Name:\tsshd') && status.includes(`\nPPid:\t${pid}\n`) ? [Number(name)] : []
    }),
  )
  return found.flat()
}
