import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { WorldError } from '../../../../../src/ground/model/world-error.ts'
import type { InstanceAddress } from '../../../../../src/service/model/balancer-spec.ts'
import { waitFor } from '../../../../../testbed/machine/wait-for.ts'
import { ephemeralPort } from '../../../../support/ephemeral-port.ts'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { requires } from '../../../../support/requires.ts'
import { never, opened, ref, serverOf } from './opened.ts'

const sections = (): string => 'backend web\n  server a 127.0.0.1:1\n'

test('unix socket and TCP lead to the same process', requires('haproxy'), async (t) => {
  const port = await ephemeralPort()
  const haproxy = await LocalHaproxy.start(t, {
    global: () => `  stats socket ipv4@127.0.0.1:${port} level admin`,
    sections,
  })
  const by = (address: InstanceAddress) => opened(t, { address, backends: ['web'] })
  const unix = by({ kind: 'unix', path: haproxy.socket })
  const tcp = by({ kind: 'tcp', host: '127.0.0.1', port })
  assert.equal((await tcp.read('lb-1', never)).process, (await unix.read('lb-1', never)).process)
  await tcp.setState(ref('web/a'), 'drain', never)
  assert.equal((await serverOf(unix, 'web/a')).adminState, 'drain')
})

test('a socket that is absent, or that no process serves, is unreachable', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections })
  const unreachable = async (address: InstanceAddress, message: RegExp): Promise<void> => {
    const balancer = opened(t, { address, backends: ['web'] })
    const expected = { code: 'BALANCER_UNREACHABLE', retry: 'backoff', message }
    await assert.rejects(balancer.read('lb-1', never), expected)
    await assert.rejects(balancer.setState(ref('web/a'), 'ready', never), expected)
  }
  await unreachable({ kind: 'unix', path: join(haproxy.directory, 'absent.sock') }, /there is no such socket/)
  await unreachable({ kind: 'tcp', host: '127.0.0.1', port: await ephemeralPort() }, /no process listens there/)
  await unreachable({ kind: 'tcp', host: 'nowhere.invalid', port: 1 }, /the host name/)
})

test('the socket of a master is no runtime API and is no reading', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections, kind: 'master and worker', master: true })
  const address = { kind: 'unix', path: join(haproxy.directory, 'master.sock') } as const
  const balancer = opened(t, { address, backends: ['web'], limits: { deadlineMs: 500, replyBytes: 1_000_000 } })
  // The master listens a moment after its worker does.
  const code = await waitFor({ what: 'the master to answer', limitMs: 5_000 }, async () => {
    const error: unknown = await balancer.read('lb-1', never).catch((it: unknown) => it)
    assert.ok(error instanceof WorldError)
    return error.code === 'BALANCER_UNREACHABLE' ? undefined : error.code
  })
  assert.match(code, /^BALANCER_(TIMEOUT|REPLY)$/)
})

test('an abort ends the waiting with its own reason', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  const reason = new Error('enough')
  await assert.rejects(balancer.read('lb-1', AbortSignal.abort(reason)), reason)
  const stopping = new AbortController()
  const reading = balancer.read('lb-1', stopping.signal)
  stopping.abort(reason)
  await assert.rejects(reading, reason)
})
