import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const HOSTS = ['lb-1', 'lb-2'] as const
export type HostName = (typeof HOSTS)[number]

/** Where a pair stands: its addresses, and what is behind it. */
export interface PairSite {
  readonly hosts: Readonly<Record<HostName, string>>
  readonly virtualAddress: string
  /** The length of the prefix is 24. Lines of haproxy.cfg after section `global`, the backend `web` among them. */
  readonly sections: string
}

/** The servers behind a pair that has a network to itself. */
export const BACKENDS = ['10.99.0.31', '10.99.0.32', '10.99.0.33']

export const ALONE: PairSite = {
  hosts: { 'lb-1': '10.99.0.11', 'lb-2': '10.99.0.12' },
  virtualAddress: '10.99.0.100',
  sections: `defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  option redispatch
frontend shop
  bind :80
  default_backend web
backend web
  balance roundrobin
${BACKENDS.map((address, index) => `  server n${index + 1} ${address}:8080 check inter 300ms rise 2 fall 2 weight 10`).join('\n')}
`,
}

const haproxy = (directory: string, { sections }: PairSite): string =>
  `global\n  stats socket ${join(directory, 'admin.sock')} mode 600 level admin\n${sections}`

/**
 * `preempts`: the machine of the higher priority takes the address back when it can, and a track file of weight 1 is added to the priority.
 * Otherwise an address stays where it is, and a track file of weight 0 makes the machine give it up at once.
 */
const keepalived = (host: string, directory: string, { site, preempts }: PairFacts): string => `global_defs {
  router_id ${host}
  vrrp_rt_priority 40
}
track_file evenkeel {
  file ${join(directory, 'run', 'away')}
  weight ${preempts ? 1 : 0}
  init_file 0 overwrite
}
vrrp_instance edge {
  interface eth0
  state BACKUP
${preempts ? '' : '  nopreempt\n'}  version 3
  virtual_router_id 51
  priority ${host === 'lb-1' ? 150 : 120}
  advert_int 1
  virtual_ipaddress {
    ${site.virtualAddress}/24
  }
  track_file {
    evenkeel
  }
}
`

const sshd = (root: string): string => `HostKey ${join(root, 'host')}
AuthorizedKeysFile ${join(root, 'user.pub')}
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UsePAM no
PidFile none
`

interface PairFacts {
  readonly site: PairSite
  readonly preempts: boolean
}

const sshConfig = (root: string): string => `Host ${HOSTS.join(' ')}
  User root
  ProxyCommand ${join(root, 'way')} %h
  IdentityFile ${join(root, 'user')}
  IdentitiesOnly yes
  UserKnownHostsFile ${join(root, 'known_hosts')}
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
`

/** ssh comes in through the namespaces of the machine, while it is on. */
const way = (root: string): string => `#!/bin/sh
pid=$(cat "${root}/$1/init.pid" 2>/dev/null) || exit 1
exec nsenter --target "$pid" --mount --net -- /usr/sbin/sshd -i -e -f "${root}/sshd_config" 2>>"${root}/$1/sshd.log"
`

/** As a reboot command of a machine: it asks for the power to be cycled, and the test does it. */
const reboot = (root: string): string => `#!/bin/sh
exec touch "${root}/me/reboot"
`

/** Everything that both machines read, in one directory. */
export async function writePairFiles(root: string, facts: PairFacts): Promise<void> {
  for (const name of ['host', 'user']) {
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(root, name)])
  }
  const key = await readFile(join(root, 'host.pub'), 'utf8')
  await mkdir(join(root, 'me'))
  await mkdir('/run/sshd', { recursive: true })
  for (const host of HOSTS) {
    await mkdir(join(root, host, 'run'), { recursive: true })
    await writeFile(join(root, host, 'haproxy.cfg'), haproxy(join(root, host), facts.site))
    await writeFile(join(root, host, 'keepalived.conf'), keepalived(host, join(root, host), facts))
  }
  await writeFile(join(root, 'known_hosts'), HOSTS.map((host) => `${host} ${key}`).join(''))
  await writeFile(join(root, 'sshd_config'), sshd(root))
  await writeFile(join(root, 'ssh_config'), sshConfig(root))
  for (const [name, text] of [
    ['way', way(root)],
    ['reboot-machine', reboot(root)],
  ] as const) {
    await writeFile(join(root, name), text)
    await chmod(join(root, name), 0o755)
  }
}
