import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import type { Notice } from '../../../../src/roll/decide/notify/notice.ts'
import type { HookSpec, NoticeKind } from '../../../../src/roll/model/notify-spec.ts'
import type { HookAnswer, HookRequest } from '../../../../src/roll/ports/hook-call.ts'
import { HookSender } from '../../../../src/roll/run/notify/hook-sender.ts'
import { SeededRandom } from '../../../support/seeded-random.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'

const notice = (title: string, kind: NoticeKind = 'held'): Notice => ({
  kind,
  run: 'r-1',
  roll: 'prod',
  at: '2026-01-01T00:00:00.000Z',
  title,
  lines: [],
  reasons: [],
  next: [],
  nodesDone: 0,
  nodesTotal: 1,
})

const HOOK: HookSpec = {
  name: 'ops',
  target: { kind: 'slack', api: 'https://slack.example/api', channel: 'C1', token: { env: 'T' } },
  on: ['held', 'stopped'],
  holdForMs: 1_000,
  timeoutMs: 10_000,
}
const WEBHOOK: HookSpec = { ...HOOK, target: { kind: 'webhook', at: { url: 'https://x.example/' }, headers: [] } }

type Reply = HookAnswer | WorldError | 'hangs'

const slackOk: HookAnswer = { status: 200, body: '{"ok":true,"ts":"17.1"}' }

/** A receiver that answers so, one reply after the other, the last one for ever. */
function aSender(hook: HookSpec, replies: readonly Reply[], thread?: string) {
  const clock = new VirtualClock()
  const posted: { readonly atMs: number; readonly body: Readonly<Record<string, unknown>> }[] = []
  const warnings: string[] = []
  const threads: string[] = []
  const post = async ({ body }: HookRequest, signal: AbortSignal): Promise<HookAnswer> => {
    const reply = replies[Math.min(posted.length, replies.length - 1)] ?? 'hangs'
    posted.push({ atMs: clock.monoMs(), body: JSON.parse(body) })
    if (reply instanceof WorldError) throw reply
    if (reply !== 'hangs') return reply
    const { promise, reject } = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => reject(signal.reason))
    return promise
  }
  const sender = new HookSender({
    hook,
    secrets: { url: 'https://slack.example/api', headers: { authorization: 'Bearer secret' } },
    onThread: (ts) => threads.push(ts),
    warn: (text) => warnings.push(text),
    call: { post },
    clock,
    random: new SeededRandom(1),
    ...(thread === undefined ? {} : { thread }),
  })
  return { sender, clock, posted, warnings, threads }
}

test('what the receiver does not want is not sent, and the rest goes one after the other', async () => {
  const { sender, clock, posted, warnings } = aSender(WEBHOOK, [{ status: 204, body: '' }])
  for (const each of [notice('a', 'started'), notice('b'), notice('c', 'stopped')]) sender.send(each)
  await clock.advance(0)
  assert.deepEqual([posted.map(({ body }) => body.title), warnings], [['b', 'c'], []])
})

test('all messages of a run are one thread of Slack, also those of the process that goes on with it', async () => {
  const first = aSender(HOOK, [slackOk])
  for (const title of ['a', 'b']) first.sender.send(notice(title))
  await first.clock.advance(0)
  assert.deepEqual(
    first.posted.map(({ body }) => body.thread_ts),
    [undefined, '17.1'],
  )
  assert.deepEqual(first.threads, ['17.1'])
  const next = aSender(HOOK, [slackOk], '17.1')
  next.sender.send(notice('c'))
  await next.clock.advance(0)
  assert.deepEqual([next.posted[0]?.body.thread_ts, next.threads], ['17.1', []])
})

test('a receiver that is away is asked again, later each time, and as late as it asks for', async () => {
  const away = new WorldError('the request failed: ECONNREFUSED', { code: 'HOOK_FAILED', retry: 'backoff' })
  const { sender, clock, posted, warnings } = aSender(HOOK, [
    away,
    { status: 429, body: '', retryAfterMs: 60_000 },
    slackOk,
  ])
  sender.send(notice('a'))
  await clock.advance(2_000)
  assert.equal(posted.length, 2)
  await clock.advance(57_000)
  assert.equal(posted.length, 2)
  await clock.advance(10_000)
  assert.deepEqual([posted.length, warnings], [3, []])
})

test('a receiver that hangs or stays away costs five tries and one warning, and the next notice is tried', async () => {
  const { sender, clock, posted, warnings } = aSender(HOOK, ['hangs', 'hangs', 'hangs', 'hangs', 'hangs', slackOk])
  for (const title of ['a', 'b']) sender.send(notice(title))
  await clock.advance(300_000)
  assert.deepEqual(warnings, ['"a" did not reach ops: no answer within 10 s; tried 5 times'])
  assert.deepEqual([posted.length, posted[5]?.body.text], [6, '*b*'])
})

for (const [what, reply, text] of [
  ['that refuses', { status: 403, body: 'no' }, 'it answered HTTP 403'],
  ['that redirects', { status: 302, body: '' }, 'it answered HTTP 302'],
  [
    'of Slack that refuses',
    { status: 200, body: '{"ok":false,"error":"invalid_auth"}' },
    'Slack refused it: invalid_auth',
  ],
  ['that is not Slack', { status: 200, body: '<html>' }, 'Slack refused it: an answer that is not of Slack'],
] as const) {
  test(`a receiver ${what} is not asked again`, async () => {
    const { sender, clock, posted, warnings } = aSender(HOOK, [reply])
    sender.send(notice('a'))
    await clock.advance(300_000)
    assert.deepEqual([posted.length, warnings], [1, [`"a" did not reach ops: ${text}`]])
  })
}

test('the end waits for what is being sent, and no longer than its limit', async () => {
  const { sender, clock, warnings } = aSender(HOOK, ['hangs'])
  for (const title of ['a', 'b']) sender.send(notice(title))
  let isClosed = false
  const closing = sender.close(4_000).then(() => {
    isClosed = true
  })
  await clock.advance(3_999)
  assert.equal(isClosed, false)
  await clock.advance(1)
  await closing
  assert.deepEqual(warnings, ['"a" did not reach ops: the roll is over', '"b" did not reach ops: the roll is over'])
  assert.equal(clock.sleeping(), 0)
})
