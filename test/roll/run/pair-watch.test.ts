import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { HostPair, MachineReading } from '../../../src/roll/model/host-pair.ts'
import { PairWatch } from '../../../src/roll/run/pair/pair-watch.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const HOST = { name: 'lb-1', ssh: 'lb-1', instances: ['lb-1'] }
const PAIR: HostPair = {
  name: 'edge',
  addresses: ['192.0.2.1'],
  machines: [HOST],
  moveAway: ['away'],
  moveBack: ['back'],
  runs: 'onHost',
  commandTimeoutMs: 10_000,
  moveLimitMs: 10_000,
  connectionsLimitMs: 10_000,
}
const NEW: MachineReading = { bootId: 'new', addresses: [] }
const OLD: MachineReading = { bootId: 'old', addresses: ['192.0.2.1'] }

/** A question that is under way, and is answered when the test says so. */
type Question = ReturnType<typeof Promise.withResolvers<MachineReading>>

/** Two questions to one machine, one second apart: the second is answered at once. */
async function asked(answer: (first: Question) => void) {
  const clock = new VirtualClock()
  const questions: Question[] = []
  const read = (): Promise<MachineReading> => {
    const question = Promise.withResolvers<MachineReading>()
    questions.push(question)
    return question.promise
  }
  const run = async () => ({ ok: true }) as const
  const watch = new PairWatch({
    pair: PAIR,
    host: HOST,
    machines: { read, run },
    balancers: [],
    clock,
    onNews: () => undefined,
  })
  const { signal } = new AbortController()
  const slow = watch.refresh(signal)
  await clock.advance(1_000)
  const quick = watch.refresh(signal)
  const [first, second] = questions
  assert.ok(first !== undefined && second !== undefined)
  second.resolve(NEW)
  await quick
  answer(first)
  await slow
  return watch.machines()[0]
}

const HEARD = { machine: HOST, reading: NEW, askedAt: monoMs(1_000), silentForMs: 0 }

test('an answer to an earlier question does not replace that to a later one: the machine has rebooted in between', async () => {
  assert.deepEqual(await asked((first) => first.resolve(OLD)), HEARD)
})

test('an earlier question that hangs until its limit does not make a machine silent that has answered a later one', async () => {
  const error = new WorldError('ssh lb-1: timed out', { code: 'HOST_TIMEOUT', retry: 'backoff' })
  assert.deepEqual(await asked((first) => first.reject(error)), HEARD)
})
