import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeAddress } from '../addresses.ts'
import { nodeConfig } from '../build/containerd-config.ts'
import { run } from '../machine/run.ts'
import type { Authority } from '../pki/authority.ts'
import { insideKubeconfig, writePair } from './credentials.ts'
import { cniSettings, kubeletSettings, proxySettings, sshdSettings } from './node-settings.ts'
import { controlPlaneNodes, nodeDisk, type RackPlan } from './plan.ts'
import type { SshAccess } from './ssh-access.ts'
import { installControlPlane } from './stacked/install-control-plane.ts'

interface NodeInstall {
  readonly plan: RackPlan
  readonly node: string
  readonly authority: Authority
  readonly ssh: SshAccess
  /** Of a stacked control plane's etcd. */
  readonly etcdAuthority: Authority
}

/** Installs a node: writes what is its own and stays over reboots (its /etc, /root, /var/log and /var/lib). */
export async function installNode(install: NodeInstall): Promise<void> {
  const { plan, node } = install
  if (plan.nodeParts === undefined) throw new Error('a plan with nodes must name what nodes need')
  const disk = nodeDisk(plan.disk, node)
  for (const folder of ['root', 'log', 'run', 'lib/kubelet', 'lib/cni'])
    mkdirSync(join(disk, folder), { recursive: true })
  const store = join(disk, 'lib/containerd')
  await Promise.all([
    run(['cp', '-a', '--link', plan.nodeParts.imageStore, store]).then(() => ownDatabases(store)),
    run(['cp', '-a', '/etc', join(disk, 'etc')]),
  ])
  configureSystem(join(disk, 'etc'), install)
  configureKubernetes(join(disk, 'etc'), install)
}

/** Linked files are shared with every other node, which suits images but no database. */
function ownDatabases(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.db')) continue
    const path = join(entry.parentPath, entry.name)
    copyFileSync(path, `${path}.own`)
    renameSync(`${path}.own`, path)
  }
}

function configureSystem(etc: string, { node, ssh }: NodeInstall): void {
  writeFileSync(join(etc, 'hostname'), `${node}\n`)
  writeFileSync(join(etc, 'hosts'), `127.0.0.1 localhost\n${nodeAddress(node)} ${node}\n`)
  replace(join(etc, 'machine-id'), `${randomUUID().replaceAll('-', '')}\n`)
  replace(join(etc, 'resolv.conf'), '')
  // sshd without PAM refuses a user whose password is locked with an exclamation mark, even with a valid key.
  const shadow = join(etc, 'shadow')
  writeFileSync(shadow, readFileSync(shadow, 'utf8').replace(/^root:[^:]*:/m, 'root:*:'))
  const own = join(etc, 'evenkeel')
  mkdirSync(own)
  writeFileSync(join(own, 'sshd_config'), sshdSettings)
  writeFileSync(join(own, 'authorized_keys'), `${ssh.publicKey}\n`)
  copyFileSync(ssh.hostKeyPath(node), join(own, 'host_key'))
}

function configureKubernetes(etc: string, { plan, node, authority, etcdAuthority }: NodeInstall): void {
  for (const folder of ['cni', 'kubernetes', 'containerd']) rmSync(join(etc, folder), { recursive: true, force: true })
  const kubernetes = join(etc, 'kubernetes')
  for (const folder of ['cni/net.d', 'kubernetes/manifests', 'containerd'])
    mkdirSync(join(etc, folder), { recursive: true })
  writeFileSync(join(etc, 'containerd/config.toml'), nodeConfig(plan.nodeParts?.cniFolder ?? ''))
  writeFileSync(join(etc, 'cni/net.d/10-testbed.conflist'), JSON.stringify(cniSettings(node)))
  writeFileSync(join(kubernetes, 'kubelet.json'), JSON.stringify(kubeletSettings(plan, node)))
  writeFileSync(join(kubernetes, 'kube-proxy.json'), JSON.stringify(proxySettings(node)))
  writeFileSync(join(kubernetes, 'ca.crt'), authority.certificatePem)
  const subject = { commonName: `system:node:${node}`, organizations: ['system:nodes'] }
  const identity = authority.issue(subject, { names: [node, nodeAddress(node)] })
  writePair(kubernetes, 'node', identity)
  writeFileSync(join(kubernetes, 'kubelet.kubeconfig'), insideKubeconfig(authority, identity))
  const proxy = authority.issue({ commonName: 'system:kube-proxy' })
  writeFileSync(join(kubernetes, 'kube-proxy.kubeconfig'), insideKubeconfig(authority, proxy))
  if (controlPlaneNodes(plan).includes(node)) installControlPlane(kubernetes, plan, { node, authority, etcdAuthority })
}

/** Writes a file anew where there may be a symbolic link to something outside the copy. */
function replace(path: string, content: string): void {
  rmSync(path, { force: true })
  writeFileSync(path, content)
}
