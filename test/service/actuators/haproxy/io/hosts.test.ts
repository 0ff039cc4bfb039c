import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { frontendConnections } from '../../../../../src/service/actuators/haproxy/io/frontend-connections.ts'
import { waitFor } from '../../../../../testbed/machine/wait-for.ts'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { requires } from '../../../../support/requires.ts'
import { never, opened, ref, serverOf } from './opened.ts'

const sections = (directory: string): string => `frontend shop
  bind unix@${join(directory, 'front.sock')}
  default_backend web
backend web
  server a 127.0.0.1:1 weight 10
`

test(
  'connections of clients are counted while they are open, and those of the runtime socket are not',
  requires('haproxy'),
  async (t) => {
    const haproxy = await LocalHaproxy.start(t, { sections })
    const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
    const count = (): Promise<number> => balancer.clientConnections('lb-1', never)
    const counted = (wanted: number): Promise<unknown> =>
      waitFor({ what: `${wanted} connections`, limitMs: 5_000, everyMs: 20, explain: () => '' }, async () =>
        (await count()) === wanted ? true : undefined,
      )
    await counted(0)
    const client = connect(join(haproxy.directory, 'front.sock'))
    await once(client, 'connect')
    await counted(1)
    client.destroy()
    await counted(0)
  },
)

test('a weight that a restart has lost is set again', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  await balancer.setWeight(ref('web/a'), 37, never)
  assert.equal((await serverOf(balancer, 'web/a')).weight, 37)
  await haproxy.restart()
  assert.equal((await serverOf(balancer, 'web/a')).weight, 10)
  await assert.rejects(balancer.setWeight(ref('web/b'), 37, never), { code: 'BALANCER_NO_SERVER' })
})

test('an answer that is none is refused', () => {
  assert.throws(() => frontendConnections('Unknown command'), { code: 'BALANCER_REPLY' })
  assert.throws(() => frontendConnections('# pxname,svname,type,scur\nweb,a,2,1'), { code: 'BALANCER_REPLY' })
  assert.equal(frontendConnections('# pxname,svname,type,scur\nshop,FRONTEND,0,3\nstats,FRONTEND,0,1'), 4)
})
