import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planRemover, redactLines, redactValue } from '../../../../src/explain/decide/bundle/redact.ts'
import { redactText } from '../../../../src/ground/model/redact-text.ts'

const TEXTS: readonly (readonly [text: string, redacted: string])[] = [
  ['GET https://me:pa@ss@shop.example/a?b=c&d=e#f failed', 'GET https://[removed]@shop.example/a?[removed]#f failed'],
  ['curl -H "Authorization: Basic bWU6cGFzcw=="', 'curl -H "Authorization: [removed]'],
  ['401 for Bearer let-me-in, try again', '401 for Bearer [removed], try again'],
  ['x eyJhbGciOiJ.eyJzdWIi.c2ln y', 'x [removed] y'],
  ['Slack said no to xoxb-12-34-abc', 'Slack said no to [removed]'],
  ['POST https://hooks.slack.com/services/T0/B0/xyz', 'POST https://hooks.slack.com/[removed]'],
  ['Set-Cookie: sid=abc; Path=/', 'Set-Cookie: [removed]'],
  ['SLACK_TOKEN=abc NODE=n1', 'SLACK_TOKEN=[removed] NODE=n1'],
  ['cmd --api-key abc --node n1', 'cmd --api-key [removed] --node n1'],
  ['curl -u admin:pw n1', 'curl -u [removed] n1'],
  [String.raw`{\"password\":\"a b\",\"node\":\"n1\"}`, String.raw`{\"password\":\"[removed]\",\"node\":\"n1\"}`],
  ['password=Tr0ub&dor,3 n1', 'password=[removed] n1'],
  [String.raw`{"password":"ab\"cd","node":"n1"}`, '{"password":"[removed]","node":"n1"}'],
  ['["--token","abc","n1"]', '["--token","[removed]","n1"]'],
  ['IPMI_PASS=calvin MYSQL_PWD=x', 'IPMI_PASS=[removed] MYSQL_PWD=[removed]'],
  ['{\n"routing_key": "abc"', '{\n"routing_key": "[removed]"'],
  ['client-key-data: abc==', 'client-key-data: [removed]'],
  ['-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----\nn1', '[removed]\nn1'],
  ['apiVersion: v1\nkind: Config\nusers:\n- name: me', '[removed]'],
]

describe('a text loses what looks like a secret, once', () => {
  for (const [text, redacted] of TEXTS) {
    test(text.split('\n')[0], () => {
      const { value, removed } = redactText(text)
      assert.equal(value, redacted)
      assert.ok(removed > 0)
      assert.deepEqual(redactText(value), { value, removed: 0 })
    })
  }
})

test('names of nodes, pods and hosts, and sentences about secrets, stay', () => {
  for (const text of [
    'shop/cookie-shop-7d4: not ready on n1 at lb-1.internal:9000',
    'secret shop/token was not found',
    'connect ECONNREFUSED 10.0.0.1:443',
    'https://app.example.com/health',
    '3 checks passed: 3, bypass: on',
  ])
    assert.deepEqual(redactText(text), { value: text, removed: 0 })
})

test('a secret field loses every text in it and keeps its shape; so do words of commands and named headers', () => {
  const { value, removed } = redactValue({
    accessToken: { kind: 'plain', values: ['a', 1, true, null] },
    command: ['reboot', '--token', 'abc', '-u', 'me:pw', 'n1'],
    headers: [{ name: 'X-Api-Key', value: 'abc' }],
    pods: { 'shop/token-service-0': 'n1' },
    kubeconfig: { kind: 'Config', users: [{ name: 'me' }] },
  })
  assert.deepEqual(value, {
    accessToken: { kind: '[removed]', values: ['[removed]', '[removed]', true, null] },
    command: ['reboot', '--token', '[removed]', '-u', '[removed]', '[removed]'],
    headers: [{ name: 'X-Api-Key', value: '[removed]' }],
    pods: { 'shop/token-service-0': 'n1' },
    kubeconfig: { kind: '[removed]', users: [{ name: '[removed]' }] },
  })
  assert.equal(removed, 9)
})

test('of a command stay the program, flags and placeholders, and of a notification the host', () => {
  const spec = {
    reboot: {
      kind: 'command',
      command: ['fence', '{node}', '{bootId}', '-U', 'admin', '-P', 'calvin', '-uroot:x', '--force'],
    },
    notify: [
      {
        name: 'pager',
        target: {
          kind: 'webhook',
          at: { url: 'https://events.example/integration/abc/enqueue' },
          template: '{"k":"abc"}',
        },
      },
    ],
  }
  const { value, removed } = redactValue(spec)
  assert.deepEqual(value, {
    reboot: {
      kind: 'command',
      command: ['fence', '{node}', '{bootId}', '-U', '[removed]', '-P', '[removed]', '[removed]', '--force'],
    },
    notify: [
      {
        name: 'pager',
        target: { kind: 'webhook', at: { url: 'https://events.example/[removed]' }, template: '[removed]' },
      },
    ],
  })
  assert.equal(removed, 5)
  assert.deepEqual(redactValue({ command: ['systemctl', 'reboot'] }), {
    value: { command: ['systemctl', 'reboot'] },
    removed: 0,
  })
})

test('every command of a roll file loses its arguments, and a gate the path of its URL', () => {
  const command = ['/opt/tool', '-P', 'calvin', '{node}']
  const spec = {
    reboot: { onlyIfNeeded: { command: { argv: command, neededExitCode: 1 } } },
    hooks: [{ name: 'ilo', at: 'beforeReboot', run: command, undo: command }],
    gates: [
      { name: 'g', question: { kind: 'command', argv: command } },
      { name: 'h', question: { kind: 'http', url: 'https://mon.example/api/abc/ok', expectStatus: [200, 299] } },
    ],
    hosts: { pairs: [{ name: 'edge', moveAway: command, moveBack: command }] },
  }
  const left = ['/opt/tool', '-P', '[removed]', '{node}']
  assert.deepEqual(redactValue(spec), {
    value: {
      reboot: { onlyIfNeeded: { command: { argv: left, neededExitCode: 1 } } },
      hooks: [{ name: 'ilo', at: 'beforeReboot', run: left, undo: left }],
      gates: [
        { name: 'g', question: { kind: 'command', argv: left } },
        { name: 'h', question: { kind: 'http', url: 'https://mon.example/[removed]', expectStatus: [200, 299] } },
      ],
      hosts: { pairs: [{ name: 'edge', moveAway: left, moveBack: left }] },
    },
    removed: 7,
  })
  const event = { type: 'roll.started', run: 'run-1' }
  assert.deepEqual(redactValue(event), { value: event, removed: 0 })
})

test('a line without a secret stays byte for byte, and one that is cut off is redacted as text', () => {
  const text = '{"n": 1.0}\n{"password":"abc"}\n{"token":"ab'
  assert.deepEqual(redactLines(text), {
    value: '{"n": 1.0}\n{"password":"[removed]"}\n{"token":"[removed]"',
    removed: 2,
  })
})

test('what a roll file says in commands and URLs goes from reasons as well, and kinds and names stay', () => {
  const undo = ['monctl', 'unmute', 'S3cr3t-Pa55', '-p', "o'hara 1", '--of={node}', '{node}']
  const gates = [
    { name: 'g', question: { kind: 'http', url: 'https://gate.example/k3y-abcdef/ready' } },
    { name: 'p', question: { kind: 'prometheus', url: 'https://prom.example:9090/tenant-k3y/' } },
  ]
  const node = { type: 'node.left', node: 'unmute', kind: 'S3cr3t-Pa55' }
  const texts: readonly (readonly [text: string, left: string])[] = [
    [String.raw`monctl unmute S3cr3t-Pa55 -p 'o'\''hara 1' --of=n1 n1`, 'monctl [removed]'],
    ['hook mute failed: no such user S3cr3t-Pa55; exit 2', 'hook mute failed: no such user [removed]; exit 2'],
    ['hook mute failed on unmuted n1', 'hook mute failed on unmuted n1'],
    [
      'GET https://gate.example/k3y-abcdef/ready answered 302, which points to https://b.example/k3y-abcdef/ready; it is',
      'GET https://gate.example/[removed] answered 302, which points to https://b.example/[removed]; it is',
    ],
    ['GET https://prom.example:9090/tenant-k3y/api/v1/query failed', 'GET https://prom.example:9090/[removed] failed'],
  ]
  const written = [
    { type: 'planned', spec: { hooks: [{ name: 'mute', undo }] } },
    { type: 'amended', spec: { gates } },
    node,
    { type: 'held', reasons: texts.map(([text]) => ({ code: 'GateUnknown', text, next: text })) },
  ]
  const journal = written.map((line) => JSON.stringify(line)).join('\n')
  const lines = redactLines(journal).value.split('\n')
  assert.deepEqual(JSON.parse(lines[2] ?? ''), node)
  const left = texts.map(([, text]) => ({ code: 'GateUnknown', text, next: text }))
  assert.deepEqual(JSON.parse(lines[3] ?? '').reasons, left)
  const [, , , held] = written
  assert.deepEqual(redactValue(held, planRemover(journal)).value, { type: 'held', reasons: left })
})
