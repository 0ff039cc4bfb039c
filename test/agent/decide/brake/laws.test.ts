import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decideBrake } from '../../../../src/agent/decide/brake/decide.ts'
import { NOTHING_SEEN, observe } from '../../../../src/agent/decide/brake/observe.ts'
import { isOutByItself } from '../../../../src/agent/decide/brake/out-by-itself.ts'
import type { BrakeSnapshot, Published } from '../../../../src/agent/decide/brake/snapshot.ts'
import type { FleetNode } from '../../../../src/agent/model/fleet-node.ts'
import type { OutLimit } from '../../../../src/ground/model/out-limit.ts'
import { monoMs } from '../../../../src/ground/model/time.ts'
import { maxOut } from '../../../../src/service/decide/budget/max-out.ts'
import { aNode } from '../../../support/brake-world.ts'

const RETURN_MS = 50

const limit: fc.Arbitrary<OutLimit> = fc.oneof(
  fc.record({ kind: fc.constant('count' as const), count: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ kind: fc.constant('percent' as const), percent: fc.integer({ min: 1, max: 100 }) }),
)

/** What becomes of one node: its marks, or that it goes. */
const change = fc.record({
  node: fc.integer({ min: 1, max: 8 }),
  marks: fc.constantFrom('!', '!', '!', '', '', '-', '!-', '>', '!>', 'x', 'gone'),
  afterMs: fc.integer({ min: 0, max: 40 }),
  /** Another leader that has seen nothing goes on. */
  heir: fc.boolean(),
})

const isOut = (node: FleetNode, published: Published | undefined): boolean =>
  isOutByItself(node) || (node.unschedulable && published?.grants?.granted.includes(node.name) === true)

/** Plays a life of a fleet through passes until each is settled, and looks at every publication. */
function play(most: OutLimit, changes: readonly (typeof change extends fc.Arbitrary<infer C> ? C : never)[]): void {
  const marks = new Map(Array.from({ length: 8 }, (_, i) => [i + 1, '']))
  let published: Published | undefined
  let memory = NOTHING_SEEN
  let now = 0
  let leader = 0
  /** Until when each was out, as the world has it and no leader may. */
  const outUntil = new Map<string, number>()
  for (const { node, marks: next, afterMs, heir } of changes) {
    now += afterMs
    const were = [...marks].map(([name, sign]) => aNode(`n${name}${sign}`))
    for (const { name } of were.filter((one) => isOut(one, published))) outUntil.set(name, now)
    if (next === 'gone') {
      marks.delete(node)
      outUntil.delete(`n${node}`)
    } else marks.set(node, next)
    if (heir) {
      leader += 1
      memory = NOTHING_SEEN
    }
    const nodes = [...marks].map(([name, sign]) => aNode(`n${name}${sign}`))
    const isCordoned = new Set(nodes.filter(({ unschedulable }) => unschedulable).map(({ name }) => name))
    for (let pass = 0; ; pass += 1) {
      assert.ok(pass < 10, 'the passes have no end')
      const granted = published?.grants?.granted ?? []
      memory = observe(memory, { nodes, granted, now: monoMs(now), returnMs: RETURN_MS })
      const at = now
      const snapshot: BrakeSnapshot = {
        now: monoMs(now),
        self: `leader-${leader}`,
        limit: most,
        returnMs: RETURN_MS,
        fleet: { kind: 'known', nodes },
        memory,
        published,
      }
      const decision = decideBrake(snapshot)
      assert.ok(decision.reasons.length > 0)
      if (decision.kind !== 'act') break
      for (const action of decision.actions) {
        if (action.kind === 'tell') continue
        const now = action.grants.granted
        const kept = granted.filter((name) => isCordoned.has(name))
        assert.deepEqual(
          kept.filter((name) => !now.includes(name)),
          [],
          'a grant is kept while its node is cordoned',
        )
        assert.ok(
          now.every((name) => isCordoned.has(name)),
          'only cordoned nodes are granted',
        )
        assert.ok(now.length <= Math.max(maxOut(most, nodes.length), kept.length), 'no more than may')
        assert.deepEqual(now, [...new Set(now)].toSorted(), 'each once, sorted')
        const anew = now.filter((name) => !granted.includes(name))
        const isBackSince = (name: string): number => at - (outUntil.get(name) ?? Number.NEGATIVE_INFINITY)
        const out = nodes.filter(
          (one) => now.includes(one.name) || isOutByItself(one) || isBackSince(one.name) < RETURN_MS,
        )
        assert.ok(
          anew.length === 0 || out.length <= maxOut(most, nodes.length),
          'nobody anew where too many are out, or were a moment ago',
        )
        published = { writer: `leader-${leader}`, announced: action.announced, grants: action.grants }
      }
    }
  }
}

test('whatever happens to the nodes and the leader: no more grants than the limit, and no cordoned node loses its grant', () => {
  fc.assert(
    fc.property(limit, fc.array(change, { maxLength: 40 }), (most, changes) => play(most, changes)),
    { numRuns: 300 },
  )
})

test('the order in which nodes are told is no matter', () => {
  const marks = fc.array(fc.constantFrom('!', '', '-', '!>'), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(limit, marks, (most, signs) => {
      const nodes = signs.map((sign, i) => aNode(`n${i}${sign}`))
      const decided = [nodes, nodes.toReversed()].map((order) =>
        decideBrake({
          now: monoMs(1),
          self: 'a',
          limit: most,
          returnMs: RETURN_MS,
          fleet: { kind: 'known', nodes: order },
          memory: observe(NOTHING_SEEN, { nodes: order, now: monoMs(1), returnMs: RETURN_MS }),
          published: undefined,
        }),
      )
      assert.deepEqual(decided[0], decided[1])
    }),
  )
})
