import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type RebooterWord, rebooterMessage, rebooterWord } from '../../../src/ground/model/rebooter-condition.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { type ObeySnapshot, obey, WORD_LIMIT_MS } from '../../../src/rebooter/decide/obey.ts'
import { INTENT_ANNOTATION, REQUEST_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { aNode } from '../../support/roll-world.ts'

const BOOT = '8d3c0c8b-0000-4000-8000-000000000001'
const OTHER = '8d3c0c8b-0000-4000-8000-000000000002'
const RUN = '20260101-000000-abcd'
const ID = '00112233aabbccdd'
const WORD = 'ffeeddccbbaa9988'
const NOW = monoMs(100_000)
const askedBack = { request: ID, word: WORD, at: monoMs(99_000) }

const intent = (change: object = {}) => JSON.stringify({ version: 1, run: RUN, bootId: BOOT, at: 'then', ...change })
const request = (change: object = {}) => JSON.stringify({ version: 1, run: RUN, bootId: BOOT, id: ID, ...change })
const slot = (change: object = {}) => ({ owner: { holder: `${RUN}/1`, run: RUN, node: 'n1', ...change } })

interface On {
  readonly intent?: string | undefined
  readonly request?: string | undefined
  readonly said?: RebooterWord
}

function seen(on: On = {}, change: Partial<ObeySnapshot> = {}): ObeySnapshot {
  const marks = { [INTENT_ANNOTATION]: intent(), [REQUEST_ANNOTATION]: request({ word: WORD }) }
  if ('intent' in on) Object.assign(marks, { [INTENT_ANNOTATION]: on.intent })
  if ('request' in on) Object.assign(marks, { [REQUEST_ANNOTATION]: on.request })
  const annotations = Object.fromEntries(Object.entries(marks).filter(([, text]) => text !== undefined))
  const { said } = on
  const shown =
    said === undefined
      ? {}
      : { rebooter: { status: 'True', reason: said.reason, message: rebooterMessage(said), heartbeat: '' } as const }
  return {
    node: aNode('n1', { annotations, unschedulable: true, ...shown }),
    bootId: BOOT,
    slots: [slot()],
    askedBack,
    now: NOW,
    ...change,
  }
}

test('a request is answered by a word first, and the machine is rebooted once the roll has given it back', () => {
  assert.deepEqual(obey(seen({ request: request() }, { askedBack: undefined as never })), {
    kind: 'askBack',
    request: ID,
  })
  const waiting = obey(seen({ request: request() }))
  assert.deepEqual(waiting.kind === 'say' && [waiting.word.reason, waiting.word.word], ['Asked', WORD])
  const given = obey(seen())
  assert.equal(given.kind, 'reboot')
  assert.deepEqual(given.kind === 'reboot' && [given.word.reason, given.word.request], ['RebootSent', ID])
})

test('without a request it says whether the door works', () => {
  for (const text of [undefined, 'none', '{"version":1}', request({ id: 'x' }), request({ run: '../x' })]) {
    const ready = obey(seen({ request: text }))
    assert.equal(ready.kind === 'say' && ready.word.reason, 'Ready', String(text))
    const broken = obey(seen({ request: text }, { fault: 'no unit' }))
    assert.deepEqual(broken.kind === 'say' && [broken.word.reason, broken.word.text], ['DoorBroken', 'no unit'])
  }
})

/** What is wrong, of a request with its word, and what the refusal says. */
const REFUSED: readonly (readonly [what: string, s: ObeySnapshot, why: RegExp])[] = [
  ['another boot asked for', seen({ request: request({ word: WORD, bootId: OTHER }) }), /is for boot/],
  ['another boot runs', seen({}, { bootId: OTHER }), /is for boot/],
  ['no intent', seen({ intent: undefined }), /no reboot is announced/],
  ['an unreadable intent', seen({ intent: 'x' }), /no reboot is announced/],
  ['the intent of another run', seen({ intent: intent({ run: 'other' }) }), /run other has announced/],
  ['an intent of another boot', seen({ intent: intent({ bootId: OTHER }) }), /is of boot/],
  ['the run is over', seen({}, { slots: [] }), /holds no slot/],
  ['the slot is of another run', seen({}, { slots: [slot({ run: 'other' })] }), /holds no slot/],
  ['the slot is for another node', seen({}, { slots: [slot({ node: 'n2' })] }), /holds no slot/],
  ['the slot is for a machine of that name', seen({}, { slots: [slot({ isMachine: true })] }), /holds no slot/],
  ['the door is broken', seen({}, { fault: 'no unit' }), /no unit/],
  ['the word of an earlier process', seen({}, { askedBack: undefined as never }), /not said by this process/],
  ['another word', seen({ request: request({ word: 'aaaaaaaaaaaaaaaa' }) }), /not said by this process/],
  ['the word of another request', seen({}, { askedBack: { ...askedBack, request: WORD } }), /not said by this/],
  ['a late word', seen({}, { askedBack: { ...askedBack, at: monoMs(NOW - WORD_LIMIT_MS - 1) } }), /too late/],
]

describe('law: a rebooter reboots its machine only for a run whose intent for this boot is on its Node, that holds a slot for it, and that answers at that moment', () => {
  for (const [what, s, why] of REFUSED) {
    test(`nothing is rebooted: ${what}`, () => {
      const told = obey(s)
      assert.equal(told.kind, 'say')
      assert.ok(told.kind === 'say' && told.word.reason === 'Refused' && told.word.request === ID)
      assert.match(told.word.text, why)
    })
  }
})

test('what a client of FleetLock may do is no request to the rebooter, with a word or without', () => {
  for (const text of [request({ by: 'fleetLock' }), request({ by: 'fleetLock', word: WORD }), request({ by: 'x' })]) {
    const said = obey(seen({ request: text }))
    assert.equal(said.kind === 'say' && said.word.reason, 'Ready', text)
  }
})

test('a Node that is being deleted, or that serves again since people have uncordoned it, is left alone', () => {
  const s = seen()
  for (const [change, why] of [
    [{ deleting: true }, /is being deleted/],
    [{ unschedulable: false }, /is not cordoned/],
  ] as const) {
    const told = obey({ ...s, node: { ...s.node, ...change } })
    assert.equal(told.kind === 'say' && told.word.reason, 'Refused')
    assert.match((told.kind === 'say' && told.word.text) || '', why)
  }
})

test('a slot that a restorer of the run holds is a slot of the run', () => {
  assert.equal(obey(seen({}, { slots: [slot({ run: `${RUN}+1` })] })).kind, 'reboot')
})

test('what was said for good about a request of this boot stays, and what was said in another boot does not', () => {
  for (const reason of ['RebootSent', 'Refused'] as const) {
    const said = { reason, text: 'x', request: ID, bootId: BOOT }
    assert.deepEqual(obey(seen({ said })), { kind: 'say', word: said })
    assert.equal(obey(seen({ said: { ...said, request: WORD } })).kind, 'reboot')
    assert.equal(obey(seen({ said: { ...said, bootId: OTHER } })).kind, 'reboot')
  }
})

test('a word is read as it was written, and foreign text is none', () => {
  const words: readonly RebooterWord[] = [
    { reason: 'Ready', text: 'it waits', bootId: BOOT },
    { reason: 'Refused', text: 'why (because)', request: ID, bootId: BOOT },
    { reason: 'Asked', text: 'it waits', request: ID, word: WORD, bootId: BOOT },
  ]
  const shown = (word: RebooterWord, change: object = {}) =>
    ({ status: 'True', reason: word.reason, message: rebooterMessage(word), heartbeat: '', ...change }) as const
  for (const word of words) assert.deepEqual(rebooterWord(shown(word)), word)
  for (const word of words)
    assert.equal(
      rebooterWord(shown(word, { reason: 'Else' })) ?? rebooterWord(shown(word, { message: 'x' })),
      undefined,
    )
})
