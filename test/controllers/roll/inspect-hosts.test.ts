import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { SshHost } from '../../../src/adapters/host/ssh-host.ts'
import { systemClock } from '../../../src/adapters/node/system-clock.ts'
import { systemRandom } from '../../../src/adapters/node/system-random.ts'
import { inspectHosts } from '../../../src/controllers/roll/inspect-hosts.ts'
import type { Node } from '../../../src/model/node.ts'
import { LocalSshd } from '../../support/local-sshd.ts'
import { requires } from '../../support/requires.ts'
import { clientConfig } from '../../support/sshd-ways.ts'
import { StandInCommands } from '../../support/stand-in-command.ts'

const never = new AbortController().signal

const node = (name: string, bootId: string): Node => ({
  name,
  uid: name,
  resourceVersion: '1',
  labels: {},
  annotations: {},
  unschedulable: false,
  taints: [],
  ready: 'True',
  heartbeat: '',
  bootId,
  internalAddresses: ['10.0.0.1'],
  volumesAttached: [],
})

test(
  'by real ssh: the machine we run on, a machine that is another, and one behind a node',
  requires('ssh'),
  async (t) => {
    const sshd = await LocalSshd.start(t)
    const commands = await StandInCommands.make(t)
    const lines = ['Host n3', '  Port 1', 'Host n4', '  ProxyJump n1']
    const host = new SshHost({
      clock: systemClock,
      random: systemRandom,
      configFile: await clientConfig(sshd, { lines }),
      command: await commands.reboot(),
      checkLimitMs: 10_000,
      rebootLimitMs: 10_000,
    })
    t.after(() => host.close())
    const own = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
    const nodes = [
      node('n1', own),
      node('n2', '00000000-1111-2222-3333-444444444444'),
      node('n3', 'x'),
      node('n4', own),
    ]
    const { findings } = await inspectHosts(host, { nodes, all: nodes }, never)
    assert.deepEqual(
      findings.map(({ code, node: name }) => `${code} ${name}`),
      [
        'HostIsOurs n1',
        'HostIsOurs n2',
        'HostIsAnother n2',
        'HOST_UNREACHABLE n3',
        'HostIsOurs n4',
        'HostBehindNode n4',
      ],
    )
    assert.equal(await commands.runs(), 0)
  },
)
