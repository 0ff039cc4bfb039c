import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckConfig } from '../../../src/sim/balancer/balancer-config.ts'
import { haproxyConfig } from '../../../src/sim/loopback/haproxy-config.ts'

const backendOf = (check: CheckConfig): readonly string[] => {
  const text = haproxyConfig(
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
  return text.slice(text.indexOf('\nbackend web')).trim().split('\n')
}

const CHECK = { path: '/nodecheck', interMs: 300, fall: 3, rise: 2 }

test('a health check asks the port of the server, and has as long as its interval', () => {
  assert.deepEqual(backendOf(CHECK), [
    'backend web',
    '  balance roundrobin',
    '  option httpchk GET /nodecheck',
    '  server n1 127.81.0.1:30080 check inter 300ms fall 3 rise 2',
  ])
})

test('a health check asks the port that it names, and has as long as it says', () => {
  assert.deepEqual(backendOf({ ...CHECK, port: 8_080, timeoutMs: 2_000 }), [
    'backend web',
    '  balance roundrobin',
    '  option httpchk GET /nodecheck',
    '  timeout check 2000ms',
    '  server n1 127.81.0.1:30080 check port 8080 inter 300ms fall 3 rise 2',
  ])
})
