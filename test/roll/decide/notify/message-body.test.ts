import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageBody, templateFault } from '../../../../src/roll/decide/notify/message-body.ts'
import type { Notice } from '../../../../src/roll/decide/notify/notice.ts'
import type { HookTarget } from '../../../../src/roll/model/notify-spec.ts'

const notice: Notice = {
  kind: 'held',
  run: 'r-1',
  roll: 'prod',
  at: '2026-01-01T00:00:00.000Z',
  title: 'prod: HELD, 1 of 2 nodes back in service',
  lines: ['budget "shop/cart" allows none'],
  reasons: [{ code: 'EvictionRefused', text: 'budget "shop/cart" allows none' }],
  next: ['evenkeel roll resume r-1'],
  nodesDone: 1,
  nodesTotal: 2,
  exitCode: 3,
}

const slack: HookTarget = { kind: 'slack', api: 'https://slack.com/api', channel: 'C1', token: { env: 'T' } }
const webhook = (template?: string): HookTarget => ({
  kind: 'webhook',
  at: { url: 'https://x.example/' },
  headers: [],
  ...(template === undefined ? {} : { template }),
})

const body = (target: HookTarget, change: Partial<Notice> = {}, thread?: string) =>
  JSON.parse(messageBody(target, { ...notice, ...change }, thread))

test('Slack has the title in bold, the details and the commands, in the thread of the run', () => {
  const text =
    '*prod: HELD, 1 of 2 nodes back in service*\nbudget "shop/cart" allows none\nnext: evenkeel roll resume r-1'
  // Whatever the text is, nothing of it becomes a link.
  const plain = { parse: 'none', unfurl_links: false, unfurl_media: false }
  assert.deepEqual(body(slack), { channel: 'C1', text, ...plain })
  assert.deepEqual(body(slack, {}, '17.1'), { channel: 'C1', text, ...plain, thread_ts: '17.1' })
  assert.deepEqual(body({ kind: 'slackWebhook', at: { env: 'U' } }), { text, ...plain })
})

test('text from a cluster can neither mention people nor break the message of Slack', () => {
  const { text } = body(slack, { title: 'n1 <!channel> & more', lines: ['a\nb \u001b[31m'], next: [] })
  assert.equal(text, '*n1 &lt;!channel&gt; &amp; more*\na\\x0ab \\x1b[31m')
})

test('a message with very many lines says how many it leaves out', () => {
  const lines = Array.from({ length: 200 }, (_, index) => `node-${index}: ${'x'.repeat(40)}`)
  const { text } = body(slack, { lines, next: [] })
  assert.ok(text.length < 3_200, `${text.length} characters`)
  assert.match(text, /\n\d+ more, see evenkeel roll status$/)
})

test('a webhook without a template has a document with all that is known', () => {
  assert.deepEqual(body(webhook()), {
    apiVersion: 'evenkeel.dev/v1alpha1',
    kind: 'RollNotice',
    about: 'held',
    run: 'r-1',
    roll: 'prod',
    at: notice.at,
    title: notice.title,
    text: 'budget "shop/cart" allows none',
    reasons: notice.reasons,
    next: notice.next,
    nodesDone: 1,
    nodesTotal: 2,
    exitCode: 3,
  })
})

test('what is filled into a template cannot change its shape', () => {
  const template =
    '{"summary": "{roll}: {title}", "n": 7, "more": ["{text}", "{exitCode} {nodesDone}/{nodesTotal} {node}"]}'
  assert.deepEqual(body(webhook(template), { title: '", "severity": "none' }), {
    summary: 'prod: ", "severity": "none',
    n: 7,
    more: ['budget "shop/cart" allows none\nnext: evenkeel roll resume r-1', '3 1/2 '],
  })
})

test('a placeholder in what is filled in stays as it is', () => {
  assert.deepEqual(body(webhook('{"a": "{title}"}'), { title: '{run}' }), { a: '{run}' })
})

test('a template that cannot be used says why', () => {
  assert.equal(templateFault('{"a": "{title}"}'), undefined)
  assert.match(templateFault('{"a": }') ?? '', /^the template is no JSON: /)
  assert.equal(templateFault('7'), 'the template is no JSON object')
  assert.match(
    templateFault('{"a": "{titel}"}') ?? '',
    /^the template has no placeholder \{titel\}; it has \{title\}, /,
  )
})
