import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { requires } from '../../../../support/requires.ts'
import { never, opened, ref, serverOf } from './opened.ts'

const sections = (): string => `backend web
  server a 127.0.0.1:1
  server b 127.0.0.1:1
`

for (const kind of ['master and worker', 'plain'] as const) {
  test(
    `a reload shows as another process, which has forgotten what was set (${kind})`,
    requires('haproxy'),
    async (t) => {
      const haproxy = await LocalHaproxy.start(t, { sections, kind })
      const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
      await balancer.setState(ref('web/a'), 'drain', never)
      const before = await balancer.read('lb-1', never)
      assert.equal((await balancer.read('lb-1', never)).process, before.process)

      await haproxy.reload()
      const after = await balancer.read('lb-1', never)
      assert.notEqual(after.process, before.process)
      assert.equal((await serverOf(balancer, 'web/a')).adminState, 'ready')
    },
  )
}

test(
  'the ids of a server are those of one process: with another file the next one has others',
  requires('haproxy'),
  async (t) => {
    const haproxy = await LocalHaproxy.start(t, { sections, kind: 'master and worker' })
    const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
    const one = 'show stat 2 4 1'
    assert.match(await haproxy.command(one), /\nweb,a,/)
    await balancer.read('lb-1', never)
    assert.ok((await balancer.readCounters('lb-1', [ref('web/b')], never)) !== undefined)
    const other = (): string => sections().replace('server a', 'server c 127.0.0.1:1\n  server a')
    await haproxy.reload({ sections: other, kind: 'master and worker' })
    assert.match(await haproxy.command(one), /\nweb,c,/)
    assert.equal(await balancer.readCounters('lb-1', [ref('web/b')], never), undefined)
    await balancer.read('lb-1', never)
    const seen = await balancer.readCounters('lb-1', [ref('web/b')], never)
    assert.deepEqual(
      seen?.servers.map(({ ref: { server } }) => server),
      ['c', 'a', 'b'],
    )
  },
)

test(
  'a reload keeps what was set where the states were written to the state file before it',
  requires('haproxy'),
  async (t) => {
    const haproxy = await LocalHaproxy.start(t, {
      global: (directory) => `  server-state-file ${join(directory, 'states')}`,
      sections: () => sections().replace('backend web\n', 'backend web\n  load-server-state-from-file global\n'),
      kind: 'master and worker',
    })
    const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
    await balancer.setState(ref('web/a'), 'drain', never)
    const before = await balancer.read('lb-1', never)
    await writeFile(join(haproxy.directory, 'states'), await haproxy.command('show servers state'))
    await haproxy.reload()
    assert.notEqual((await balancer.read('lb-1', never)).process, before.process)
    assert.deepEqual(
      [(await serverOf(balancer, 'web/a')).adminState, (await serverOf(balancer, 'web/b')).adminState],
      ['drain', 'ready'],
    )
  },
)

test('a restart shows as another process, and in between no process answers', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  const before = await balancer.read('lb-1', never)
  await haproxy.stop()
  await assert.rejects(balancer.read('lb-1', never), { code: 'BALANCER_UNREACHABLE', retry: 'backoff' })
  await haproxy.restart()
  assert.notEqual((await balancer.read('lb-1', never)).process, before.process)
})

test('a backend that a reload took away is an error, not a node without servers', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  await haproxy.reload({ sections: () => 'backend other\n  server a 127.0.0.1:1\n' })
  await assert.rejects(balancer.read('lb-1', never), { code: 'BALANCER_NO_BACKEND' })
})
