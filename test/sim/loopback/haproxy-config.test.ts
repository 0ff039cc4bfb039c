import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckConfig } from '../../../src/sim/balancer/balancer-config.ts'
import { haproxyConfig } from '../../../src/sim/loopback/haproxy-config.ts'

const serverLine = (check: CheckConfig): string | undefined =>
  haproxyConfig(
    {
      host: '127.0.0.1',
      frontends: [{ name: 'front', port: 18_080, backend: 'web' }],
      backends: [{ name: 'web', servers: [{ name: 'n1', address: '127.81.0.1', port: 30_080 }], check }],
      connectTimeoutMs: 1_000,
      clientTimeoutMs: 30_000,
      serverTimeoutMs: 10_000,
    },
    '/run/lb.sock',
  )
    .split('\n')
    .find((line) => line.startsWith('  server '))

test('a health check asks the port of the server, or the port that it names', () => {
  const check = { path: '/nodecheck', interMs: 300, fall: 3, rise: 2 }
  assert.equal(serverLine(check), '  server n1 127.81.0.1:30080 check inter 300ms fall 3 rise 2')
  assert.equal(
    serverLine({ ...check, port: 8_080 }),
    '  server n1 127.81.0.1:30080 check port 8080 inter 300ms fall 3 rise 2',
  )
})
