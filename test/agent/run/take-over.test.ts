import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeOver } from '../../../src/agent/run/take-over.ts'
import type { ReasonCode } from '../../../src/ground/model/reason.ts'
import type { Answer } from '../../../src/service/model/answer.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

/** An agent that begins, and what it finds; all of it may change as time goes. */
interface Found {
  readonly isBeside?: boolean
  /** The process beside it says that it is an agent. */
  readonly isKnown?: boolean
  readonly heard?: boolean
  readonly isKeptKnown?: boolean
  readonly isDataPortAsked?: boolean
  readonly answer?: Answer
  /** What the other one answers. */
  readonly other?: Answer
  readonly code?: ReasonCode
  /** Of the IngressDaemonSets that it is to answer for. */
  readonly ingressHeard?: boolean
}

function beginning(change: Found = {}) {
  const clock = new VirtualClock()
  const found = {
    isBeside: true,
    isKnown: true,
    heard: false,
    isKeptKnown: true,
    isDataPortAsked: true,
    code: 'Returning' as ReasonCode,
    ingressHeard: undefined as boolean | undefined,
  }
  const state = { ...found, answer: 'down' as Answer, other: 'up' as Answer | undefined, ...change }
  const view = () => ({
    heard: state.heard,
    isDataPortAsked: state.isDataPortAsked,
    isKeptKnown: state.isKeptKnown,
    decision: { answer: state.answer, reasons: [{ code: state.code, text: 'why' }] },
    ...(state.ingressHeard === undefined
      ? {}
      : { ingress: { heard: state.ingressHeard, answered: [], isOpen: () => false, trouble: [] } }),
  })
  let end: string | undefined
  const beside = async () =>
    state.isBeside
      ? {
          ...(state.other === undefined ? {} : { answer: state.other }),
          ...(state.isKnown ? {} : { silentPort: 8080 }),
        }
      : undefined
  const begun = takeOver({ beside, status: view, limitMs: 1_000, clock }, never)
  void begun.then((how) => {
    end = how
  })
  return { state, clock, end: () => end }
}

test('where no process answers, an agent begins at once, whatever it knows', async () => {
  const { clock, end } = beginning({ isBeside: false })
  await clock.advance(0)
  assert.equal(end(), 'alone')
})

test('beside another it waits until the API has told it and it would say down for a moment only no more', async () => {
  const { state, clock, end } = beginning()
  await clock.advance(200)
  state.answer = 'up'
  await clock.advance(200)
  assert.equal(end(), undefined)
  state.heard = true
  await clock.advance(50)
  assert.equal(end(), 'ready')
})

test('an agent that is to answer for IngressDaemonSets waits until the API has told of them', async () => {
  const { state, clock, end } = beginning({ heard: true, answer: 'up', ingressHeard: false })
  await clock.advance(500)
  assert.equal(end(), undefined)
  state.ingressHeard = true
  await clock.advance(50)
  assert.equal(end(), 'ready')
})

test('a drain is an answer', async () => {
  const { clock, end } = beginning({ heard: true, answer: 'drain', code: 'Cordoned' })
  await clock.advance(0)
  assert.equal(end(), 'ready')
})

test('when the other one has gone, it waits no longer', async () => {
  const { state, clock, end } = beginning()
  await clock.advance(300)
  state.isBeside = false
  await clock.advance(50)
  assert.equal(end(), 'alone')
})

test('a node that is down is no reason to wait, if the other one says so, too', async () => {
  const { state, clock, end } = beginning({ heard: true, code: 'DataPortClosed' })
  await clock.advance(500)
  assert.equal(end(), undefined, 'a wrong port would take the node out')
  state.other = undefined
  await clock.advance(200)
  assert.equal(end(), undefined, 'what the other one says is not known')
  state.other = 'down'
  await clock.advance(50)
  assert.equal(end(), 'ready')
})

test('a request that may be on a disk which cannot be read is no drain to take over with', async () => {
  const { state, clock, end } = beginning({ heard: true, answer: 'drain', code: 'MaintenanceKept', isKeptKnown: false })
  await clock.advance(500)
  assert.equal(end(), undefined)
  state.isKeptKnown = true
  await clock.advance(50)
  assert.equal(end(), 'ready')
})

test('at the limit, an agent that still says down for a moment only, or that has not heard the API, gives up', async () => {
  const all = [
    beginning({ heard: true }),
    beginning({ heard: true, answer: 'up', isDataPortAsked: false }),
    beginning({ heard: true, code: 'BrakeUnknown' }),
    beginning({ heard: true, code: 'DataPortClosed' }),
    beginning({ heard: true, answer: 'up', isKnown: false }),
    beginning({ heard: true, answer: 'drain', code: 'Returning' }),
    beginning({ answer: 'up' }),
    beginning({ heard: true, answer: 'drain', isKeptKnown: false }),
  ]
  for (const { clock } of all) await clock.advance(950)
  assert.deepEqual(
    all.map(({ end }) => end()),
    Array(8).fill(undefined),
  )
  for (const { clock } of all) await clock.advance(100)
  assert.deepEqual(
    all.map(({ end }) => end()),
    Array(8).fill('late'),
  )
})
