import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toIso } from '../../../../src/ground/model/time.ts'
import { type HookSpec, NOTICE_KINDS } from '../../../../src/roll/model/notify-spec.ts'
import type { RollEvent } from '../../../../src/roll/model/roll-event.ts'
import { HookSender } from '../../../../src/roll/run/notify/hook-sender.ts'
import { Notifier } from '../../../../src/roll/run/notify/notifier.ts'
import { SeededRandom } from '../../../support/seeded-random.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'

/** Two receivers, and the titles that each of them got; the second wants to hear of a hold later. */
function aNotifier() {
  const clock = new VirtualClock()
  const got: string[] = []
  const receivers = [1_000, 60_000].map((holdForMs) => {
    const target = { kind: 'webhook', at: { url: 'https://x.example/' }, headers: [] } as const
    const hook: HookSpec = { name: `after ${holdForMs}`, target, on: NOTICE_KINDS, holdForMs, timeoutMs: 1_000 }
    const sender = new HookSender({
      hook,
      secrets: { url: 'https://x.example/', headers: {} },
      onThread: () => undefined,
      warn: (text) => assert.fail(text),
      call: {
        post: async ({ body }) => {
          got.push(`${hook.name}: ${JSON.parse(body).title}`)
          return { status: 200, body: '' }
        },
      },
      clock,
      random: new SeededRandom(1),
    })
    return { sender, holdForMs }
  })
  const notifier = new Notifier({ senders: receivers, clock })
  let seq = 0
  const note = (event: RollEvent): void => notifier.note({ ...event, v: '1.0', seq: seq++, at: toIso(clock.wallMs()) })
  return { notifier, note, clock, got }
}

const held: RollEvent = { type: 'hold.started', node: 'n1', step: 'drain', reasons: [] }
const over: RollEvent = { type: 'hold.ended', node: 'n1', step: 'drain' }

test('each receiver hears of a hold once it has lasted as long as that one wants, and of its end', async () => {
  const { notifier, note, clock, got } = aNotifier()
  note({ type: 'roll.started', run: 'r', cluster: 'prod', nodes: ['n1'], resumed: false })
  note(held)
  await clock.advance(30_000)
  note({ ...held, type: 'hold.changed' })
  note(over)
  note(held)
  await clock.advance(500)
  note(over)
  await clock.advance(120_000)
  assert.deepEqual(got, [
    'after 1000: prod: the roll of 1 node begins',
    'after 60000: prod: the roll of 1 node begins',
    'after 1000: prod: n1 has been held in step drain for 1 s',
    'after 1000: prod: n1 goes on with step drain after 30 s',
  ])
  await notifier.close()
  assert.equal(clock.sleeping(), 0)
})

test('no receiver is notified of a hold after the roll has ended', async () => {
  const { notifier, note, clock, got } = aNotifier()
  note(held)
  await notifier.close()
  await clock.advance(120_000)
  assert.deepEqual([got, clock.sleeping()], [[], 0])
})
