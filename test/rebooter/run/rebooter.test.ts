import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { type RebooterWord, rebooterWord } from '../../../src/ground/model/rebooter-condition.ts'
import type { SeenSlot } from '../../../src/ground/model/slot.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { ConditionsChange, FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { DoorFault } from '../../../src/rebooter/ports/door.ts'
import { Rebooter } from '../../../src/rebooter/run/rebooter.ts'
import { INTENT_ANNOTATION, REQUEST_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { aNode } from '../../support/roll-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const BOOT = '8d3c0c8b-0000-4000-8000-000000000001'
const RUN = '20260101-000000-abcd'
const ID = '00112233aabbccdd'
const MARK = { version: 1, run: RUN, bootId: BOOT }
const SLOT = {
  index: 0,
  owner: { holder: `${RUN}/1`, run: RUN, node: 'n1' },
  isStale: false,
  renewTime: '',
  durationMs: 1,
}

/** One Node with a request, a roll that gives back each word, and what other people do meanwhile. */
class World {
  readonly clock = new VirtualClock()
  readonly said: RebooterWord[] = []
  uses = 0
  node: Node = aNode('n1', {
    unschedulable: true,
    annotations: {
      [INTENT_ANNOTATION]: JSON.stringify({ ...MARK, at: 'then' }),
      [REQUEST_ANNOTATION]: JSON.stringify({ ...MARK, id: ID }),
    },
  })
  /** While the slots are read for a request whose word was given back. */
  onSlots: () => void = () => undefined
  use: () => Promise<void> = async () => undefined
  /** Of each write: why it fails. */
  failure: (word: RebooterWord) => WorldError | undefined = () => undefined
  #sink: (event: FollowEvent<Node>) => void = () => undefined

  change(change: Partial<Node>): void {
    this.node = { ...this.node, ...change, resourceVersion: String(Number(this.node.resourceVersion) + 1) }
    this.#sink({ type: 'applied', object: this.node })
  }

  get isGivenBack(): boolean {
    return this.node.annotations[REQUEST_ANNOTATION]?.includes('"word"') === true
  }

  async run(forMs: number): Promise<void> {
    const ends = new AbortController()
    const rebooter = new Rebooter({
      node: 'n1',
      bootId: BOOT,
      door: {
        fault: async () => undefined,
        use: () => {
          this.uses += 1
          return this.use()
        },
      },
      cluster: { readNode: async () => this.node, setConditions: async (change) => this.#set(change) },
      follow: (sink, signal) => {
        this.#sink = sink
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
      slots: async (): Promise<readonly SeenSlot[]> => {
        if (this.isGivenBack) this.onSlots()
        return [SLOT]
      },
      clock: this.clock,
      random: new SeededRandom(1),
      log: { debug: () => undefined, warn: () => undefined },
    })
    const ended = assert.rejects(rebooter.run(ends.signal), /over/)
    await this.clock.advance(forMs)
    ends.abort(new Error('over'))
    await ended
  }

  #set({ resourceVersion, conditions }: ConditionsChange): void {
    const set = conditions.EvenKeelRebooter
    assert.ok(set !== null && set !== undefined)
    const shown = { status: set.status ?? 'True', reason: set.reason, message: set.message, heartbeat: set.at } as const
    const word = rebooterWord(shown)
    assert.ok(word !== undefined)
    const isOther = resourceVersion !== undefined && resourceVersion !== this.node.resourceVersion
    const failure = isOther ? new WorldError('changed', { code: 'KUBE_CONFLICT', retry: 'now' }) : this.failure(word)
    if (failure !== undefined) throw failure
    this.said.push(word)
    this.change({ rebooter: shown })
    if (word.reason !== 'Asked') return
    const given = JSON.stringify({ ...MARK, id: ID, word: word.word })
    this.change({ annotations: { ...this.node.annotations, [REQUEST_ANNOTATION]: given } })
  }

  reasons(): readonly string[] {
    return this.said.map(({ reason }) => reason)
  }
}

test('the door is used once for a request whose word was given back', async () => {
  const world = new World()
  await world.run(200_000)
  assert.deepEqual([world.uses, world.reasons()], [1, ['Asked', 'RebootSent']])
})

test('the door is not used where the request and its intent are removed while the slots are read', async () => {
  const world = new World()
  world.onSlots = () => world.change({ annotations: {} })
  await world.run(5_000)
  assert.deepEqual([world.uses, world.reasons()], [0, ['Asked', 'Ready']])
})

test('the door is not used where people uncordon the node while the slots are read', async () => {
  const world = new World()
  world.onSlots = () => world.change({ unschedulable: false })
  await world.run(5_000)
  assert.deepEqual([world.uses, world.reasons()], [0, ['Asked', 'Refused']])
})

test('a Node that a kubelet writes to meanwhile is looked at again, and the request is obeyed', async () => {
  const world = new World()
  let writes = 0
  world.onSlots = () => {
    writes += 1
    if (writes === 1) world.change({ heartbeat: '2026-01-01T00:00:10Z' })
  }
  await world.run(5_000)
  assert.deepEqual([world.uses, world.reasons()], [1, ['Asked', 'RebootSent']])
})

test('a door that fails makes RebootSent a refusal of the same request, also where the API server is away at first', async () => {
  const world = new World()
  world.use = async () => {
    throw new DoorFault('no unit')
  }
  let failures = 0
  world.failure = ({ reason }) => {
    if (reason !== 'Refused' || failures >= 2) return undefined
    failures += 1
    return new WorldError('away', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  }
  await world.run(20_000)
  assert.deepEqual([world.uses, failures, world.reasons()], [1, 2, ['Asked', 'RebootSent', 'Refused']])
  assert.deepEqual([world.said.at(-1)?.request, world.said.at(-1)?.text], [ID, 'no unit'])
})
