import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passOf } from '../../../src/ingress/decide/pass.ts'
import { mayMove } from '../../../src/ingress/decide/rollout-rules.ts'
import { aNodeOf, aScene } from '../../support/ingress-world.ts'

test('what is the same for all nodes is made once for a pass, however many nodes are asked for', () => {
  const names = Array.from({ length: 50 }, (_, at) => `n${at}`)
  const made = passOf(aScene(names.map((name) => aNodeOf(name))))
  const walksFor = (count: number): number => {
    let walks = 0
    const counted = <T>(list: readonly T[]): readonly T[] =>
      new Proxy(list, {
        get(target, key) {
          if (key === 'filter' || key === 'some') walks += 1
          return Reflect.get(target, key) as unknown
        },
      })
    const pass = { ...made, nodes: counted(made.nodes), eligible: counted(made.eligible) }
    for (const n of made.nodes.slice(0, count)) assert.equal(mayMove(pass, n, 'r1'), true)
    return walks
  }
  assert.ok(walksFor(1) > 0)
  assert.equal(walksFor(50), walksFor(1))
})
