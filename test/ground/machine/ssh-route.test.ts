import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { sshRoute } from '../../../src/ground/machine/ssh-route.ts'
import { requires } from '../../support/requires.ts'

const addressesOf = async (host: string): Promise<readonly string[]> => [host]

const HOSTS = `
Host b1
  HostName 10.0.0.1
Host b2
  HostName 10.0.0.2
  ProxyJump b1
Host b6
  HostName fd00::6
Host ring-a
  HostName 10.0.1.1
  ProxyJump ring-b
Host ring-b
  HostName 10.0.1.2
  ProxyJump ring-a
Host *
  HostName 127.0.0.1
`

for (const [title, lines, expected] of [
  ['a machine that is reached directly', [], []],
  ['no jump, said so', ['ProxyJump none'], []],
  ['one jump, with user and port', ['ProxyJump ops@b1:2222'], [['b1', '10.0.0.1']]],
  [
    'a chain of jumps',
    ['ProxyJump b1,ops@b6'],
    [
      ['b1', '10.0.0.1'],
      ['b6', 'fd00::6'],
    ],
  ],
  ['an IPv6 address in brackets', ['ProxyJump ops@[fd00::9]:22'], [['fd00::9', '127.0.0.1']]],
  [
    'a jump that has a jump of its own',
    ['ProxyJump b2'],
    [
      ['b2', '10.0.0.2'],
      ['b1', '10.0.0.1'],
    ],
  ],
  [
    'jumps in a ring',
    ['ProxyJump ring-a'],
    [
      ['ring-a', '10.0.1.1'],
      ['ring-b', '10.0.1.2'],
    ],
  ],
  ['a proxy command that is ssh itself', ['ProxyCommand ssh -q -p 22 -W %h:%p ops@b1'], [['b1', '10.0.0.1']]],
  [
    'a proxy command by another program',
    ["ProxyCommand sh -c 'nc b1 22'"],
    [
      ['nc', '127.0.0.1'],
      ['b1', '10.0.0.1'],
    ],
  ],
] as const) {
  test(`the way to ${title}`, requires('ssh'), async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-route-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const config = join(directory, 'config')
    await writeFile(config, ['Host n1', ...lines.map((line) => `  ${line}`), HOSTS].join('\n'))
    const configOf = async (host: string): Promise<string | undefined> => {
      const { stdout } = await promisify(execFile)('ssh', ['-F', config, '-G', '--', host])
      return stdout
    }
    const hops = await sshRoute('n1', { configOf, addressesOf })
    assert.deepEqual(
      hops.map(({ name, addresses }) => [name, ...addresses]),
      expected,
    )
  })
}

test('a configuration that ssh will not tell of leads nowhere', async () => {
  assert.deepEqual(await sshRoute('n1', { configOf: async () => undefined, addressesOf }), [])
})
