import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RebootAnswer } from '../../../src/ground/model/host.ts'
import type { JsonPatch } from '../../../src/ground/model/json-patch.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { type RebooterWord, rebooterMessage } from '../../../src/ground/model/rebooter-condition.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { RebooterHost } from '../../../src/roll/run/rebooter-host.ts'
import { INTENT_ANNOTATION, REQUEST_ANNOTATION, type RebootRequest } from '../../../src/service/model/node-record.ts'
import { parseRebootRequest } from '../../../src/service/model/parse-node-record.ts'
import { aNode } from '../../support/roll-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const BOOT = '8d3c0c8b-0000-4000-8000-000000000001'
const OTHER = '8d3c0c8b-0000-4000-8000-000000000002'
const RUN = '20260101-000000-abcd'
const WORD = 'ffeeddccbbaa9988'
const TARGET = { node: 'n1', address: '' }
const LIMIT_MS = 30_000

type Said = Omit<RebooterWord, 'bootId'> & { readonly bootId?: string; readonly heartbeat?: string }

/** One Node, its rebooter's answers, and what goes wrong on the way to it. */
class World {
  readonly clock = new VirtualClock()
  readonly requests: RebootRequest[] = []
  node: Node | undefined = aNode('n1', {
    bootId: BOOT,
    annotations: { [INTENT_ANNOTATION]: JSON.stringify({ version: 1, run: RUN, bootId: BOOT, at: 'then' }) },
  })
  /** What the rebooter says to a request. */
  answer: (request: RebootRequest) => Said | undefined = ({ word, id }) =>
    word === undefined
      ? { reason: 'Asked', text: 'x', request: id, word: WORD }
      : { reason: 'RebootSent', text: 'x', request: id }
  /** Of the patch of that number, from 1 on. */
  failure: (count: number) => WorldError | undefined = () => undefined
  #patches = 0

  constructor() {
    this.say({ reason: 'Ready', text: 'it waits' })
  }

  say({ heartbeat = '2026-01-01T00:00:00Z', ...word }: Said): void {
    if (this.node === undefined) return
    const message = rebooterMessage({ bootId: BOOT, ...word })
    this.node = { ...this.node, rebooter: { status: 'True', reason: word.reason, message, heartbeat } }
  }

  host(): RebooterHost {
    return new RebooterHost({
      cluster: { readNode: async () => this.node, patchNode: async (_, patch) => this.#patch(patch) },
      clock: this.clock,
      random: new SeededRandom(1),
      limitMs: LIMIT_MS,
      ownBootId: async () => undefined,
    })
  }

  #patch(patch: JsonPatch): Node {
    this.#patches += 1
    const failure = this.failure(this.#patches)
    if (failure !== undefined) throw failure
    const written = patch.find(({ op, path }) => op === 'add' && path.endsWith('reboot-request'))
    const text = String(written !== undefined && 'value' in written && written.value)
    const request = parseRebootRequest(text)
    assert.ok(request.ok && this.node !== undefined)
    this.requests.push(request.value)
    this.node = { ...this.node, annotations: { ...this.node.annotations, [REQUEST_ANNOTATION]: text } }
    const said = this.answer(request.value)
    if (said !== undefined) this.say(said)
    return this.node
  }

  async reboot(): Promise<RebootAnswer> {
    const answer = this.host().reboot(TARGET, BOOT, new AbortController().signal)
    await this.clock.advance(LIMIT_MS + 1_000)
    return answer
  }
}

test('a request is written, and the word that the rebooter answers is given back', async () => {
  const world = new World()
  assert.deepEqual(await world.reboot(), { kind: 'sent' })
  const [first, second] = world.requests
  assert.deepEqual([first?.run, first?.bootId, first?.word], [RUN, BOOT, undefined])
  assert.deepEqual(second, { ...first, word: WORD })
})

const conflict = new WorldError('changed', { code: 'KUBE_CONFLICT', retry: 'backoff' })
const forbidden = new WorldError('forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' })
const away = new WorldError('away', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })

const ROWS: readonly (readonly [
  what: string,
  change: (world: World) => void,
  kind: RebootAnswer['kind'],
  requests: number,
])[] = [
  ['the rebooter is silent: no word was given back', (w) => (w.answer = () => undefined), 'unsent', 1],
  [
    'the word is given back, and no answer comes',
    (w) =>
      (w.answer = ({ word, id }) =>
        word === undefined ? { reason: 'Asked', text: '', request: id, word: WORD } : undefined),
    'unknown',
    2,
  ],
  [
    'it answers another request',
    (w) => (w.answer = () => ({ reason: 'RebootSent', text: '', request: WORD })),
    'unsent',
    1,
  ],
  ['it refuses', (w) => (w.answer = ({ id }) => ({ reason: 'Refused', text: 'no slot', request: id })), 'refused', 1],
  [
    'it runs in another boot',
    (w) => (w.answer = ({ id }) => ({ reason: 'Refused', text: '', request: id, bootId: OTHER })),
    'otherBoot',
    1,
  ],
  ['there is no rebooter', (w) => (w.node = aNode('n1')), 'unsent', 0],
  ['there is no Node', (w) => (w.node = undefined), 'refused', 0],
  ['its door is broken', (w) => w.say({ reason: 'DoorBroken', text: 'no unit' }), 'unsent', 0],
  ['its process has ended', (w) => w.say({ reason: 'Stopped', text: '' }), 'unsent', 0],
  [
    'it has not written for long',
    (w) => w.say({ reason: 'Ready', text: '', heartbeat: '2025-12-31T23:40:00Z' }),
    'unsent',
    0,
  ],
  ['nothing is announced', (w) => (w.node = w.node && { ...w.node, annotations: {} }), 'refused', 0],
  ['the request is not written', (w) => (w.failure = () => away), 'unsent', 0],
  ['the request may not be written', (w) => (w.failure = () => forbidden), 'refused', 0],
  [
    'the announced reboot has changed before the word is given back',
    (w) => (w.failure = (at) => (at === 2 ? conflict : undefined)),
    'unsent',
    1,
  ],
  [
    'it is not known whether the word was given back',
    (w) => (w.failure = (at) => (at === 2 ? away : undefined)),
    'unknown',
    1,
  ],
]

for (const [what, change, kind, requests] of ROWS) {
  test(`${what}: ${kind}`, async () => {
    const world = new World()
    change(world)
    const answer = await world.reboot()
    assert.deepEqual([answer.kind, world.requests.length], [kind, requests], JSON.stringify(answer))
  })
}

test('a door that fails some seconds after RebootSent is a refusal', async () => {
  const world = new World()
  const answer = world.host().reboot(TARGET, BOOT, new AbortController().signal)
  await world.clock.advance(3_000)
  world.say({ reason: 'Refused', text: 'no unit', request: world.requests[0]?.id ?? '' })
  await world.clock.advance(1_000)
  assert.deepEqual(await answer, { kind: 'refused', text: 'no unit' })
})

test('nobody waits for a door once the machine has booted, and what was sent stays so where the time is over', async () => {
  const world = new World()
  let endedAt = 0
  const answer = world.host().reboot(TARGET, BOOT, new AbortController().signal)
  const ended = answer.then(() => {
    endedAt = world.clock.monoMs()
  })
  await world.clock.advance(2_000)
  world.node = world.node && { ...world.node, bootId: OTHER }
  await world.clock.advance(1_000)
  await ended
  assert.deepEqual([await answer, endedAt < 3_000], [{ kind: 'sent' }, true])

  const late = new World()
  const { answer: at } = late
  late.answer = (request) => (request.word === undefined ? at(request) : undefined)
  const sent = late.host().reboot(TARGET, BOOT, new AbortController().signal)
  await late.clock.advance(LIMIT_MS - 2_000)
  late.say({ reason: 'RebootSent', text: '', request: late.requests[0]?.id ?? '' })
  await late.clock.advance(3_000)
  assert.deepEqual(await sent, { kind: 'sent' })
})

test('an abort ends it', async () => {
  const world = new World()
  world.answer = () => undefined
  const stop = new AbortController()
  const answer = world.host().reboot(TARGET, BOOT, stop.signal)
  const ended = assert.rejects(answer, /enough/)
  await world.clock.advance(1_000)
  stop.abort(new Error('enough'))
  await ended
})

test('a check names the boot of a rebooter that lives, and what to do where there is none', async () => {
  const world = new World()
  const check = () => world.host().check(TARGET, new AbortController().signal)
  assert.deepEqual(await check(), { bootId: BOOT, mayReboot: true, hops: [] })
  world.say({ reason: 'Ready', text: 'it waits', bootId: OTHER })
  assert.match((await check()).refusal ?? '', /speaks of boot .*2, and its kubelet of .*1/)
  world.say({ reason: 'DoorBroken', text: 'no\u001b[31m unit' })
  assert.deepEqual([(await check()).mayReboot, (await check()).refusal?.includes('\u001b')], [false, false])
  world.node = aNode('n1')
  assert.match((await check()).fix ?? '', /docs\/rebooter\.md/)
  world.node = undefined
  assert.equal((await check()).refusal, 'it has no Node, and only nodes have rebooters')
})
