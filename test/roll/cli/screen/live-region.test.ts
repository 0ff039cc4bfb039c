import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cellWidth } from '../../../../src/ground/text/cell-width.ts'
import { paintLine, type Style } from '../../../../src/ground/text/terminal/style.ts'
import { liveRegion } from '../../../../src/roll/cli/screen/live-region.ts'
import type { RollView } from '../../../../src/roll/report/view/roll-view.ts'
import { at, budget, heldStory, load, NODES, Story } from './roll-story.ts'

const unicode: Style = { color: false, symbols: 'unicode' }
const ascii: Style = { color: false, symbols: 'ascii' }

function drawn(view: RollView, columns: number, { style = unicode, rows = 24 } = {}): readonly string[] {
  const now = at('06:19:59')
  return liveRegion(view, { now, size: { columns, rows }, style }).map((line) => paintLine(line, style, columns - 1))
}

test('at 80 columns a held node has two lines, between the counts and the load', () => {
  assert.deepEqual(drawn(heldStory().view, 80), [
    'roll prod-eu1    1 done, 1 active, 6 waiting   5 min 20 s, 28 min left + hold',
    'w-2  5/11 drain, stage 2 of 2   8 of 11 pods  ███████████░░░░  1:12',
    '     held 46 s: shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3',
    'load 0 failed of 32,000   100/s   p99 12 ms (before 11)   strays 0',
  ])
})

test('in ASCII the bar has brackets', () => {
  assert.equal(
    drawn(heldStory().view, 80, { style: ascii })[1],
    'w-2  5/11 drain, stage 2 of 2   8 of 11 pods  [###########....]  1:12',
  )
})

test('at 120 columns the whole ladder stands there, the step in work in brackets', () => {
  assert.deepEqual(drawn(heldStory().view, 120), [
    'roll prod-eu1    1 done, 1 active, 6 waiting                 5 min 20 s, 28 min left + hold, ends after 06:47 UTC',
    'w-2  slot record cordon detach [drain 2 of 2] reboot proof uncordon settle attach soak                             1:12',
    '     8 of 11 pods ████████████████░░░░░░  held 46 s: shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3',
    'load 0 failed of 32,000   100/s   p99 12 ms (before 11)   strays 0',
  ])
})

test('where there is no room one line is left', () => {
  assert.deepEqual(drawn(heldStory().view, 30), ['w-2 drain 8/11, 0 failed'])
  assert.deepEqual(drawn(heldStory().view, 80, { rows: 5 }), ['w-2 drain 8/11, 0 failed'])
})

test('before the first node is through nothing is estimated, and without a probe nothing is claimed', () => {
  const story = new Story().add('06:19:00', {
    type: 'roll.started',
    run: 'r',
    cluster: 'c',
    nodes: NODES,
    resumed: false,
  })
  assert.deepEqual(drawn(story.view, 80), ['roll c           0 done, 0 active, 8 waiting   59 s'])
})

function manyNodes(count: number, inWork: number): RollView {
  const names = Array.from({ length: count }, (_, index) => `w-${index + 1}`)
  const story = new Story().begin(names)
  for (const [index, node] of names.slice(0, inWork).entries()) {
    story.add('06:15:00', { type: 'node.started', node, index }).steps(node, [['06:15:00', 'drain']])
  }
  return story.view
}

test('many nodes in work have one line each, then a count', () => {
  assert.deepEqual(drawn(manyNodes(9, 5), 80).slice(1, -1), [
    'w-1  5/11 drain   4:59',
    'w-2  5/11 drain   4:59',
    'w-3  5/11 drain   4:59',
    'w-4  5/11 drain   4:59',
    'w-5  5/11 drain   4:59',
  ])
  const crowded = drawn(manyNodes(30, 20), 80)
  assert.equal(crowded.length, 12)
  assert.equal(crowded.at(-2), 'and 11 more active')
})

test('a large roll has a strip and names its slowest node', () => {
  assert.equal(drawn(manyNodes(60, 1), 80).at(-2), '[>.......................................]  slowest w-1 4 min 59 s')
})

test('no line is ever wider than the terminal, and no more lines than fit', () => {
  const words = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(
      words,
      words,
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 60 }),
      (name, why, columns, rows) => {
        const story = new Story().begin([name, 'w-2']).add('06:15:00', { type: 'node.started', node: name, index: 0 })
        story.steps(name, [['06:15:00', 'drain']]).add('06:15:01', { type: 'load.tick', load: load(10_000, 3) })
        story.add('06:15:02', {
          type: 'step.changed',
          node: name,
          step: 'drain',
          done: 1,
          total: 3,
          unit: 'pods',
          stage: [1, 3],
        })
        story.add('06:15:03', { type: 'hold.started', node: name, step: 'drain', reasons: [{ ...budget, text: why }] })
        const color: Style = { color: true, symbols: 'unicode' }
        const size = { columns, rows }
        const region = liveRegion(story.view, { now: at('06:20:00'), size, style: color })
        assert.ok(region.length <= Math.max(1, Math.min(12, rows - 3)))
        for (const line of region) {
          const painted = paintLine(line, color, columns - 1)
          const plain = painted.replace(/\x1b\[[0-9;]*m/g, '')
          assert.ok(cellWidth(plain) <= Math.max(0, columns - 1), JSON.stringify(plain))
          assert.ok(!/[\x00-\x1f\x7f-\x9f]/.test(plain))
          assert.equal(
            plain,
            paintLine(line, { ...color, color: false }, columns - 1),
            'colour says nothing that words do not',
          )
        }
      },
    ),
    { numRuns: 300 },
  )
})
