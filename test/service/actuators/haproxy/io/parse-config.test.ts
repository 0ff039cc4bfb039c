import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../../../../../src/service/actuators/haproxy/io/parse-config.ts'

const TEXT = `global
  stats socket /run/haproxy/stats.sock mode 666 level user
  stats socket "/run/my lb/admin.sock" mode 600 level admin # ours
  stats socket ipv4@127.0.0.1:9999 level operator
  stats socket $ADMIN level admin
  stats timeout 30s

defaults
  mode http
  default-server check inter 2s

frontend in
  bind 192.0.2.7:80,[2001:db8::7]:80
  bind :443 ssl crt /etc/certs
  bind unix@/run/in.sock
  default_backend web
  use_backend shop\\ items if { path /items }
  use_backend %[req.hdr(host)] if TRUE

backend web # the nodes
  server w-1 10.0.0.1:30080 check
  server w-2 10.0.0.2:30080 no-check
  server w-3 [fd00::3]:30080
  server w-4 fd00::4:30080
  server named node.example.com:30080
  server local unix@/run/app.sock
  server from-env "\${NODE}:80"
  server-template t 1-3 app.example.com:80
  .if defined(X)

backend old
  disabled
  mode tcp
  server a 10.0.0.1:1

defaults
listen raw
  bind *:5000
  server a ipv4@10.0.0.9:5000

resolvers dns
  nameserver a 10.0.0.53:53
userlist people
  server not-one 10.9.9.9:1
`

const { backends, frontends, sockets, doubts } = parseConfig('haproxy.cfg', TEXT)

test('backends have their servers with address, port and check', () => {
  const shown = backends.map(({ name, mode, disabled, servers }) => [
    `${name} ${mode}${disabled ? ' disabled' : ''}`,
    servers.map((server) => `${server.name} ${server.address} ${server.port}${server.checked ? ' check' : ''}`),
  ])
  assert.deepEqual(shown, [
    [
      'web http',
      [
        'w-1 10.0.0.1 30080 check',
        'w-2 10.0.0.2 30080',
        'w-3 fd00::3 30080 check',
        'w-4 fd00::4 30080 check',
        'named  30080 check',
        'local  0 check',
        'from-env  80 check',
      ],
    ],
    ['old tcp disabled', ['a 10.0.0.1 1 check']],
    ['raw tcp', ['a 10.0.0.9 5000']],
  ])
})

test('sockets have their level, and frontends where they listen', () => {
  assert.deepEqual(sockets, [
    { line: 2, address: { kind: 'unix', path: '/run/haproxy/stats.sock' }, level: 'user' },
    { line: 3, address: { kind: 'unix', path: '/run/my lb/admin.sock' }, level: 'admin' },
    { line: 4, address: { kind: 'tcp', host: '127.0.0.1', port: 9999 }, level: 'operator' },
  ])
  assert.deepEqual(frontends, [
    {
      name: 'in',
      mode: 'http',
      binds: [
        { address: '192.0.2.7', port: 80, tls: false },
        { address: '2001:db8::7', port: 80, tls: false },
        { address: '', port: 443, tls: true },
      ],
      backends: ['web', 'shop items'],
    },
    { name: 'raw', mode: 'tcp', binds: [{ address: '*', port: 5000, tls: false }], backends: ['raw'] },
  ])
})

test('what is not understood is named with its line', () => {
  assert.deepEqual(
    doubts.map(({ line, why }) => `${line} ${why}`),
    [
      '5 the path has a variable of the environment',
      '18 the backend is chosen for each request',
      '25 the address is a name that is resolved at run time; the runtime API tells it',
      '27 the address has a variable of the environment; the runtime API tells it',
      '28 the addresses of its servers are found at run time; the runtime API tells them',
      '29 conditions are not evaluated: the lines between are taken as they are',
    ],
  )
})

test('options that can lose requests, and that the runtime API does not show, are named with their lines', () => {
  const { doubts: dangers } = parseConfig(
    'haproxy.cfg',
    `global
  http-reuse never
defaults
  http-reuse never
  option persist
backend web
  http-reuse safe
  no option persist
  force-persist if { path /test }
  default-server check on-marked-down shutdown-sessions
  server a 10.0.0.1:80 on-marked-down shutdown-sessions cookie a
  server b b.example.com:80 on-marked-down shutdown-sessions
  server c 10.0.0.3:80 on-marked-up shutdown-backup-sessions
`,
  )
  assert.deepEqual(
    dangers.map(({ line, why }) => `${line} ${why.split(',')[0]}`),
    [
      '4 HAProxy keeps a connection to a server for each client',
      '5 HAProxy sends clients with a cookie even to a server in maint',
      '9 HAProxy sends clients with a cookie even to a server in maint',
      '10 where cookies or a stick table bind clients to servers',
      '11 where cookies or a stick table bind clients to servers',
      '12 the address is a name that is resolved at run time; the runtime API tells it',
      '12 where cookies or a stick table bind clients to servers',
    ],
  )
})

const serversOf = (text: string): readonly string[] =>
  parseConfig('haproxy.cfg', text).backends.flatMap(({ name, mode, disabled, servers }) =>
    servers.map(
      (server) =>
        `${name}${disabled ? ' disabled' : ''} ${mode} ${server.name} ${server.address}:${server.port}${server.checked ? ' check' : ''}`,
    ),
  )

test('a proxy has the defaults that it names, those of the ones they come from, or else the last', () => {
  const text = `defaults base
  mode http
  default-server check
defaults off from base
  disabled
defaults raw from base
  mode tcp
  default-server no-check
backend a from base
  server s 10.0.0.1:80
backend b from off
  server s 10.0.0.1:80
backend c from off
  enabled
  server s 10.0.0.1:80
backend d
  server s 10.0.0.1:80
backend e from raw
  default-server check
  server s 10.0.0.1:80
`
  assert.deepEqual(serversOf(text), [
    'a http s 10.0.0.1:80 check',
    'b disabled http s 10.0.0.1:80 check',
    'c http s 10.0.0.1:80 check',
    'd tcp s 10.0.0.1:80',
    'e tcp s 10.0.0.1:80 check',
  ])
})

test('a server that tracks another has its check, and the value of an option is no option', () => {
  const text = `backend a
  server s1 10.0.0.1:80 cookie no-check check
  server s2 10.0.0.1:80 cookie check
  server s3 10.0.0.1:80 track s1
  server s4 10.0.0.1:80 track b/s5
backend b
  server s5 10.0.0.1:80 track a/s3
`
  assert.deepEqual(serversOf(text), [
    'a tcp s1 10.0.0.1:80 check',
    'a tcp s2 10.0.0.1:80',
    'a tcp s3 10.0.0.1:80 check',
    'a tcp s4 10.0.0.1:80 check',
    'b tcp s5 10.0.0.1:80 check',
  ])
})

test('a port that is counted from that of the client is none, and is named', () => {
  const text = 'backend a\n  server s1 10.0.0.1:+100 port 99 check\n  server s2 10.0.0.1:-1000\n  server s3 *:80\n'
  assert.deepEqual(serversOf(text), ['a tcp s1 10.0.0.1:0 check', 'a tcp s2 10.0.0.1:0', 'a tcp s3 :80'])
  assert.deepEqual(
    parseConfig('haproxy.cfg', text).doubts.map(({ line, why }) => `${line} ${why.split(',')[0]}`),
    [
      '2 the port is counted from the one that the client asked for',
      '3 the port is counted from the one that the client asked for',
      '4 the address is the one that the client asked for',
    ],
  )
})

test('escapes mean what they mean to HAProxy, the last level of a socket counts, and a range is of ports', () => {
  const { sockets: read, frontends: listening } = parseConfig(
    'haproxy.cfg',
    String.raw`global
  stats socket "/run/a \"b\" \x63\d" level user level admin
frontend in
  bind 10.0.0.1:80-82
frontend off
  bind 10.0.0.1:90
  disabled
`,
  )
  assert.deepEqual(read, [{ line: 2, address: { kind: 'unix', path: String.raw`/run/a "b" c\d` }, level: 'admin' }])
  assert.deepEqual(
    listening.map(({ name, binds }) => [name, binds.map(({ port }) => port)]),
    [['in', [80, 81, 82]]],
  )
})

test('a line with a variable is named, whatever it says', () => {
  const { doubts: named } = parseConfig(
    'haproxy.cfg',
    `backend "$NAME"
  mode "$MODE"
  default-server "$CHECK"
  server "$NAME" 10.0.0.1:80
  server '$NAME' 10.0.0.1:80
`,
  )
  assert.deepEqual(
    named.map(({ line }) => line),
    [1, 2, 3, 4],
  )
})

test('a file that is no haproxy.cfg has nothing', () => {
  const { backends: none, doubts: nothing } = parseConfig('x', '\u0000\n{"a": 1}\nserver a 10.0.0.1:1\n"\n')
  assert.deepEqual([none, nothing], [[], []])
})

test('a backend that defaults name is that of each frontend behind them that names no other', () => {
  const { frontends: found } = parseConfig(
    'haproxy.cfg',
    `defaults
  mode http
  default_backend web
frontend in
  bind :80
  use_backend api if { path /api }
frontend other
  bind :81
  default_backend own
defaults
frontend bare
  bind :82
`,
  )
  assert.deepEqual(
    found.map(({ name, backends: used }) => [name, used]),
    [
      ['in', ['web', 'api']],
      ['other', ['own']],
      ['bare', []],
    ],
  )
})
