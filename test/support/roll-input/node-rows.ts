import { readFileSync } from 'node:fs'
import type { InputGround } from './input-ground.ts'
import { begun, type InputRow } from './input-row.ts'

const REACHED = '1 error in the plan for '

const NODES: readonly InputRow[] = [
  {
    title: 'a node that the cluster does not have',
    words: (ground) => begun(ground.file(), 'n1', 'n9'),
    code: 'plan.refused',
    names: ['there is no node n9 (NodeUnknown)', REACHED],
    fix: 'the cluster has: n1, n2, n3',
  },
  {
    title: 'a selector that no node bears',
    words: (ground) => begun(ground.file(), '-l', 'disk=tape'),
    code: 'plan.refused',
    names: ['no node has the labels of the selector (NoNodes)', REACHED],
    fix: 'correct the selector; kubectl get nodes --show-labels shows the labels of every node',
  },
  {
    title: 'a node that no balancer sends to',
    words: (ground) => {
      const instances = [{ name: 'lb-1', socket: ground.odd.admin }]
      return begun(ground.file({ balancers: [{ name: 'lb', instances, backends: ['others'] }] }))
    },
    code: 'plan.refused',
    names: [
      'n1 (10.77.0.11) matches no server of any balancer, so nothing would be detached (NodeUnbalanced)',
      REACHED,
    ],
    fix: 'add its backend under "balancers", or set nodes.allowUnbalanced',
  },
  {
    title: 'a pod that would lose its data',
    words: (ground) => begun(ground.file(), 'n2'),
    code: 'plan.refused',
    names: ['n2: default/cache-', ' keeps data in an emptyDir, which is lost when it moves (PodEmptyDir)', REACHED],
    fix: 'set drain.deleteEmptyDirData: true to delete such data',
  },
  {
    title: 'a pod that nothing would replace',
    words: (ground) => begun(ground.file(), 'n3'),
    code: 'plan.refused',
    names: ['n3: default/lonely has no controller that would replace it (PodUnmanaged)', '2 errors in the plan for '],
    fix: 'set drain.deleteUnmanaged: true to delete such pods',
  },
  {
    title: 'a node with a record that cannot be read',
    words: (ground) => begun(ground.file({ drain: { deleteUnmanaged: true } }), 'n3'),
    code: 'plan.refused',
    names: ['n3 carries a record that cannot be read: its version is undefined, not 1 (NodeRecorded)', REACHED],
    fix: 'put n3 back by hand (docs/put-a-node-back.md), then: kubectl annotate node n3 evenkeel.dev/record-',
  },
]

const overSsh = (configFile: string, command = 'systemctl'): Readonly<Record<string, unknown>> => ({
  reboot: { ssh: { configFile, command: [command, 'reboot'] } },
})

/** The bed's ssh configuration with something written before it, which then counts. */
const sshFirst = (ground: InputGround, lines: string): string =>
  ground.write('config', `${lines}\n${readFileSync(ground.roll.bed.sshConfig, 'utf8')}`)

const MACHINES: readonly InputRow[] = [
  {
    title: 'an ssh key that opens nothing',
    words: (ground) => {
      const hostKey = `${ground.roll.bed.dir}/ssh/n2_host_key`
      const config = readFileSync(ground.roll.bed.sshConfig, 'utf8').replace(
        /IdentityFile .*/,
        `IdentityFile ${hostKey}`,
      )
      return begun(ground.file(overSsh(ground.write('config', config))))
    },
    code: 'plan.refused',
    names: [
      'ssh n1: ',
      'Permission denied (publickey',
      '(HOST_DENIED)',
      REACHED,
      '-o BatchMode=yes n1 true" succeed: a key',
    ],
    fix: 'make "ssh -F ',
  },
  {
    title: 'a machine that ssh does not know',
    words: (ground) => begun(ground.file(overSsh(sshFirst(ground, 'Host n1\n  HostName n1.invalid\n')))),
    code: 'plan.refused',
    names: ['ssh n1: ', 'Could not resolve hostname n1.invalid', '(HOST_UNRESOLVED)', REACHED],
    fix: 'add "Host n1" with a HostName to your ssh configuration',
  },
  {
    title: 'a machine that bears another host key',
    words: (ground) => begun(ground.file(overSsh(sshFirst(ground, 'Host n1\n  HostKeyAlias n2\n')))),
    code: 'plan.refused',
    names: ['ssh n1: ', '(HOST_KEY)', REACHED, ' n1" once, compare the host key, and accept it'],
    fix: 'log in with "ssh -F ',
  },
  {
    title: 'a way by ssh that leads to another node',
    words: (ground) => begun(ground.file(overSsh(sshFirst(ground, 'Host n1\n  HostName 10.77.0.12\n')))),
    code: 'plan.refused',
    names: ['the machine that answers as n1 has boot id ', '(HostIsAnother)', REACHED],
    fix: 'make ssh reach the node itself; right after a reboot, wait until the kubelet has reported the new boot id',
  },
  {
    title: 'an ssh configuration that is not there',
    words: (ground) => begun(ground.file(overSsh('/nowhere/config'))),
    code: 'plan.refused',
    names: ['ssh n1: ', '/nowhere/config', '(HOST_SSH_CONFIG)', REACHED],
    fix: 'correct the ssh configuration, or set another one as reboot.ssh.configFile',
  },
  {
    title: 'a reboot command that the node does not have',
    words: (ground) => begun(ground.file(overSsh(ground.roll.bed.sshConfig, 'systemctrl'))),
    code: 'plan.refused',
    names: ['n1 cannot be rebooted this way: there is no command systemctrl (HostMayNotReboot)', REACHED],
    fix: 'change reboot.ssh.command or reboot.ssh.user, or allow it in sudoers',
  },
]

/** The nodes that are meant, what runs on them, and the machines under them. */
export const NODE_ROWS: readonly InputRow[] = [...NODES, ...MACHINES]
