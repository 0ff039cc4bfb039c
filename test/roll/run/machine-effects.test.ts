import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RebootAnswer } from '../../../src/ground/model/host.ts'
import { invariant } from '../../../src/ground/model/invariant.ts'
import { MachineEffects } from '../../../src/roll/run/pair/machine-effects.ts'
import { LeaseKeeper } from '../../../src/service/run/lease-keeper.ts'
import { LeaseStore } from '../../support/lease-store.ts'
import { twoHosts } from '../../support/memory-pair.ts'
import { SLOT, SLOT_MS } from '../../support/perform-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const REBOOT = { kind: 'reboot', bootId: 'aaaaaaaa-0000-4000-8000-000000000000' } as const

function aMachine(answer: RebootAnswer) {
  const clock = new VirtualClock()
  const cluster = new LeaseStore(clock).client()
  const random = new SeededRandom(1)
  const parts = { cluster, clock, random, slot: SLOT, run: 'run-1', nonce: 'p1', durationMs: SLOT_MS }
  const keeper = new LeaseKeeper({ ...parts, onChange: () => undefined })
  const sent: string[] = []
  const host = {
    check: () => Promise.reject(new Error('nobody asks')),
    reboot: async ({ node }: { readonly node: string }) => {
      sent.push(node)
      return answer
    },
    ownBootId: async () => undefined,
    close: async () => undefined,
  }
  const effects = new MachineEffects({ keeper, host, balancers: [], clock })
  const [pair] = twoHosts().pairs
  const [machine] = pair?.machines ?? []
  invariant(pair !== undefined && machine !== undefined, 'there is a pair')
  const perform = (action: Parameters<MachineEffects['perform']>[0]) =>
    effects.perform(action, { pair, host: machine }, never)
  return { cluster, sent, perform }
}

test('a machine gets no reboot command under a slot that cannot be renewed, and has not refused it', async () => {
  const { cluster, sent, perform } = aMachine({ kind: 'sent' })
  await perform({ kind: 'takeSlot' })
  cluster.fault = 'lost'
  const { ok, reboot } = await perform(REBOOT)
  assert.deepEqual([ok, reboot?.kind, sent], [false, 'unsent', []])
})

const ANSWERS: readonly (readonly [answer: RebootAnswer, ok: boolean])[] = [
  [{ kind: 'sent' }, true],
  [{ kind: 'unknown', text: 'the connection broke' }, true],
  [{ kind: 'unsent', text: 'no route' }, false],
  [{ kind: 'refused', text: 'sudo: a password is required' }, false],
  [{ kind: 'otherBoot', bootId: 'x' }, false],
]

for (const [answer, ok] of ANSWERS) {
  test(`a reboot command to a machine that is answered with ${answer.kind} ${ok ? 'may have been' : 'was not'} carried out`, async () => {
    const { sent, perform } = aMachine(answer)
    await perform({ kind: 'takeSlot' })
    const outcome = await perform(REBOOT)
    assert.deepEqual([outcome.ok, outcome.reboot, sent], [ok, answer, ['lb-1']])
  })
}
