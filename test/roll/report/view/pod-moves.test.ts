import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StampedEvent } from '../../../../src/roll/model/roll-event.ts'
import { outcomeDocument } from '../../../../src/roll/report/view/outcome-document.ts'
import { movesText } from '../../../../src/roll/report/view/pod-moves.ts'
import { rollViewOf } from '../../../../src/roll/report/view/reduce-roll.ts'

let seq = 0
const moved = (node: string, workload?: string, replicas = 1): StampedEvent => {
  seq += 1
  const of = workload === undefined ? {} : { workload, replicas }
  return {
    v: '1.0',
    seq,
    at: '2026-01-01T00:00:00.000Z',
    type: 'pod.moved',
    node,
    pod: `shop/p${seq}`,
    stage: 2,
    ...of,
  }
}

const CART = 'Deployment shop/cart'
const DB = 'StatefulSet shop/db'

test('the moves of a workload are counted over all nodes, and set against the pods that it wants', () => {
  const view = rollViewOf([
    ...['n1', 'n2', 'n3'].map((node) => moved(node, CART)),
    ...['n1', 'n2', 'n3'].map((node) => moved(node, DB, 3)),
    moved('n3'),
  ])
  const { podsMoved, moves } = outcomeDocument(view)
  assert.equal(podsMoved, 7)
  assert.deepEqual(moves, [
    { workload: CART, moved: 3, replicas: 1 },
    { workload: DB, moved: 3, replicas: 3 },
  ])
  assert.equal(
    movesText(view),
    '7 pods moved; 1 workload had more moves than replicas: Deployment shop/cart (3 moves, 1 replica)',
  )
})

test('where no pod was moved twice there is nothing to add', () => {
  assert.equal(movesText(rollViewOf([moved('n1', CART), moved('n1')])), '2 pods moved')
  assert.equal(movesText(rollViewOf([])), 'no pods moved')
})

test('of many workloads those that were moved most often are named', () => {
  const often = [2, 5, 3, 4, 2].flatMap((times, i) =>
    Array.from({ length: times }, () => moved('n1', `Deployment shop/a${i}`)),
  )
  assert.equal(
    movesText(rollViewOf(often)),
    '16 pods moved; 5 workloads had more moves than replicas: Deployment shop/a1 (5 moves, 1 replica), Deployment shop/a3 (4 moves, 1 replica), Deployment shop/a2 (3 moves, 1 replica), and 2 more',
  )
})
