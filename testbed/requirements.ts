import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { isBuilt } from './build/cache-root.ts'
import { findCommand } from './machine/find-command.ts'

/** Which command of which Debian package a bed with nodes needs. */
const PACKAGE_OF_COMMAND: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  iptables: 'iptables',
  ip: 'iproute2',
  openssl: 'openssl',
  sshd: 'openssh-server',
  'ssh-keygen': 'openssh-client',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  setpriv: 'util-linux',
}

/** Where distributions put the CNI plugins. */
const CNI_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin', '/usr/libexec/cni']

/** The folder with the CNI plugins, or undefined where none is installed. */
export function cniFolder(): string | undefined {
  return CNI_FOLDERS.find((folder) => existsSync(`${folder}/bridge`) && existsSync(`${folder}/portmap`))
}

/** What keeps a cluster from being brought up on this machine even if it had to be built first; one line each. */
export function missingForUp(): string[] {
  if (process.platform !== 'linux') return ['the test bed needs Linux']
  if (process.getuid?.() !== 0) return ['the test bed needs root (namespaces, mounts, network)']
  const absent = Object.entries(PACKAGE_OF_COMMAND).filter(([command]) => findCommand(command) === undefined)
  const packages = new Set(absent.map(([, name]) => name))
  if (cniFolder() === undefined) packages.add('containernetworking-plugins')
  if (packages.size > 0) return [`the test bed needs more packages: apt-get install ${[...packages].join(' ')}`]
  if (!mayUnshare()) return ['the test bed needs namespaces (pid, net, mount, time), which this machine refuses']
  if (!existsSync('/sys/fs/cgroup')) return ['the test bed needs cgroups below /sys/fs/cgroup']
  return isBuilt() || findCommand('go') !== undefined ? [] : ['the test bed is built with Go, which is not installed']
}

/** What a test lacks for a cluster at once: as above, and the build, which takes minutes, must be there. */
export function missing(): string[] {
  const lacking = missingForUp()
  if (lacking.length > 0 || isBuilt()) return lacking
  return ['the test bed is not built yet: npm run testbed -- build (about 6 minutes on two cores)']
}

function mayUnshare(): boolean {
  const flags = ['--net', '--mount', '--pid', '--uts', '--ipc', '--time', '--fork', 'true']
  return spawnSync(findCommand('unshare') ?? 'unshare', flags).status === 0
}
