import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, onlyFinding, rollYaml } from './roll-file.ts'

const file = (...lines: readonly string[]): string =>
  rollYaml('  nodes: {all: true}', '  notify:', '    - name: ops', ...lines.map((line) => `      ${line}`))

test('a receiver has limits and kinds where the file names none', () => {
  assert.deepEqual(load(file('slack: {channel: C1, token: {env: SLACK_TOKEN}}')).notify, [
    {
      name: 'ops',
      target: {
        kind: 'slack',
        api: 'https://slack.com/api/chat.postMessage',
        channel: 'C1',
        token: { env: 'SLACK_TOKEN' },
      },
      on: ['started', 'holding', 'resumed', 'done', 'held', 'stopped', 'aborted', 'interrupted'],
      holdForMs: 120_000,
      timeoutMs: 10_000,
    },
  ])
})

test('a webhook keeps its secrets as references', () => {
  const lines = [
    'webhook:',
    '  urlFrom: {file: /run/secrets/url}',
    '  headers: [{name: Authorization, valueFrom: {env: TOKEN}}]',
    '  template: \'{"summary": "{title}"}\'',
    'on: [held, stopped]',
    'holdFor: 30s',
    'timeout: 2s',
  ]
  assert.deepEqual(load(file(...lines)).notify, [
    {
      name: 'ops',
      target: {
        kind: 'webhook',
        at: { file: '/run/secrets/url' },
        headers: [{ name: 'Authorization', value: { env: 'TOKEN' } }],
        template: '{"summary": "{title}"}',
      },
      on: ['held', 'stopped'],
      holdForMs: 30_000,
      timeoutMs: 2_000,
    },
  ])
  assert.deepEqual(load(file('slack: {webhook: {env: SLACK_URL}}')).notify?.[0]?.target, {
    kind: 'slackWebhook',
    at: { env: 'SLACK_URL' },
  })
  assert.deepEqual(load(file('webhook: {url: http://127.0.0.1:1/}')).notify?.[0]?.target, {
    kind: 'webhook',
    at: { url: 'http://127.0.0.1:1/' },
    headers: [],
  })
})

for (const [what, line, message] of [
  ['no form', 'on: [held]', /one of slack, webhook is missing/],
  ['two forms', 'slack: {webhook: {env: U}}\n      webhook: {url: http://x.example/}', /"webhook" beside "slack"/],
  ['a token without its channel', 'slack: {token: {env: T}}', /channel and token belong together/],
  ['a URL that is a secret', 'webhook: {url: https://hooks.slack.com/services/a/b}', /this URL is a secret/],
  ['a URL with a password', 'webhook: {url: http://u:p@x.example/}', /the URL carries a user or a password/],
  ['a relative path', 'slack: {webhook: {file: secret}}', /an absolute path/],
  ['a template that is no JSON', "webhook: {url: http://x.example/, template: '{'}", /the template is no JSON/],
  [
    'a template with an unknown placeholder',
    'webhook: {url: http://x.example/, template: \'{"a": "{titel}"}\'}',
    /the template has no placeholder \{titel\}/,
  ],
  ['a kind that is not sent', 'slack: {webhook: {env: U}}\n      on: [hold]', /hold/],
] as const) {
  test(`a receiver with ${what} is refused`, () => assert.match(onlyFinding(file(line)), message))
}
