import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import type { Host } from '../../../src/ground/ports/host.ts'
import { SshHost } from '../../../src/roll/io/ssh-host.ts'
import { inspectHosts } from '../../../src/roll/run/inspect-hosts.ts'
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

test('a machine that answers for another one is not taken at its word that it needs no reboot, and one that needs none has no finding', async () => {
  const absent = { sentinel: { kind: 'absent' } } as const
  const facts = { bootId: 'boot-1', hops: [], need: absent }
  const asked: string[] = []
  const host: Host = {
    check: async ({ node: name }) => {
      asked.push(name)
      return { ...facts, mayReboot: name !== 'n1' }
    },
    reboot: () => Promise.reject(new Error('a plan reboots nothing')),
    ownBootId: async () => undefined,
    close: async () => undefined,
  }
  const nodes = [node('n1', 'boot-1'), node('n2', 'boot-2')]
  const onlyIfNeeded = { sentinel: '/run/x', versions: {} }
  const { findings, needs } = await inspectHosts(host, { nodes, all: nodes, onlyIfNeeded }, never)
  assert.deepEqual(
    findings.map(({ code, node: name }) => `${code} ${name}`),
    ['HostIsAnother n2'],
  )
  assert.deepEqual(
    [...(needs ?? [])].map(([name, { kind }]) => `${name} ${kind}`),
    ['n1 none', 'n2 unknown'],
  )
  const byVersion = { versions: { osImage: 'A' } }
  const versioned = nodes.map((each, i) => ({ ...each, versions: { osImage: i === 0 ? 'A' : 'B' } }))
  asked.length = 0
  await inspectHosts(host, { nodes: versioned, all: versioned, onlyIfNeeded: byVersion }, never)
  assert.deepEqual(asked, ['n2'])
})
