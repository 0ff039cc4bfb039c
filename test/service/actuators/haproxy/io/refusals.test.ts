import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { requires } from '../../../../support/requires.ts'
import { never, opened, ref } from './opened.ts'

const sections = (): string => `backend web
  server a 127.0.0.1:1
backend off
  disabled
  server a 127.0.0.1:1
backend control
  mode tcp
  server a 127.0.0.1:6443
`
const states = async (haproxy: LocalHaproxy): Promise<readonly string[]> =>
  [...(await haproxy.command('show servers state')).matchAll(/^\d+ (\S+) \d+ (\S+) \S+ \d+ (\d+)/gm)].map(
    ([, backend, server, bits]) => `${backend}/${server} ${bits}`,
  )
const UNTOUCHED = ['web/a 0', 'off/a 0', 'control/a 0']

test(
  'a socket below level admin refuses, and the error says what haproxy.cfg needs',
  requires('haproxy'),
  async (t) => {
    const haproxy = await LocalHaproxy.start(t, {
      global: (directory) => `  stats socket ${directory}/operator.sock mode 600 level operator`,
      sections,
    })
    const path = `${haproxy.directory}/operator.sock`
    const balancer = opened(t, { address: { kind: 'unix', path }, backends: ['web'] })
    const refused = {
      code: 'BALANCER_PERMISSION',
      retry: 'never',
      message:
        `lb-1 (${path}): the socket does not allow this; ` +
        `haproxy.cfg, section global, needs: stats socket ${path} mode 660 level admin`,
    }
    await assert.rejects(balancer.setState(ref('web/a'), 'drain', never), refused)
    await assert.rejects(balancer.cutSessions(ref('web/a'), never), refused)
    assert.deepEqual(await states(haproxy), UNTOUCHED)
  },
)

test('what is absent or disabled is named', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web', 'off', 'absent'] })
  for (const path of ['absent/a', 'off/a']) {
    await assert.rejects(balancer.setState(ref(path), 'drain', never), { code: 'BALANCER_NO_BACKEND' })
    await assert.rejects(balancer.cutSessions(ref(path), never), { code: 'BALANCER_NO_BACKEND' })
  }
  await assert.rejects(balancer.setState(ref('web/z'), 'maint', never), { code: 'BALANCER_NO_SERVER' })
  await assert.rejects(balancer.cutSessions(ref('web/z'), never), { code: 'BALANCER_NO_SERVER' })
  await assert.rejects(balancer.read('lb-1', never), { code: 'BALANCER_NO_BACKEND' })
  assert.deepEqual(await states(haproxy), UNTOUCHED)
})

test('a server that is not in the allow-list gets no command and is not touched', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections })
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web'] })
  const { servers } = await balancer.read('lb-1', never)
  assert.deepEqual(
    servers.map((it) => it.ref),
    [{ instance: 'lb-1', backend: 'web', server: 'a' }],
  )
  const notOurs = { code: 'BALANCER_NO_BACKEND', retry: 'never' }
  await assert.rejects(balancer.setState(ref('control/a'), 'maint', never), notOurs)
  await assert.rejects(balancer.cutSessions(ref('control/a'), never), notOurs)
  await assert.rejects(balancer.setState({ ...ref('web/a'), instance: 'lb-2' }, 'maint', never), notOurs)
  assert.deepEqual(await states(haproxy), UNTOUCHED)
})

test('a name can end no command and begin no other', requires('haproxy'), async (t) => {
  const haproxy = await LocalHaproxy.start(t, { sections })
  const hostile = [
    'a; set server control/a',
    'a\nset server control/a',
    'a state maint;',
    '',
    '../a',
    'a b',
    '#1',
    'a\\',
  ]
  const balancer = opened(t, { address: { kind: 'unix', path: haproxy.socket }, backends: ['web', ...hostile] })
  for (const name of hostile) {
    const server = { instance: 'lb-1', backend: 'web', server: name }
    await assert.rejects(balancer.setState(server, 'maint', never), { code: 'BALANCER_NO_SERVER', retry: 'never' })
    await assert.rejects(balancer.cutSessions(server, never), { code: 'BALANCER_NO_SERVER', retry: 'never' })
    const backend = { instance: 'lb-1', backend: name, server: 'a' }
    await assert.rejects(balancer.setState(backend, 'maint', never), { code: 'BALANCER_NO_BACKEND', retry: 'never' })
  }
  assert.deepEqual(await states(haproxy), UNTOUCHED)
})
