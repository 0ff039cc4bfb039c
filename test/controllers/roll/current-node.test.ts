import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentNode } from '../../../src/controllers/roll/gather.ts'
import { NodeOverlay } from '../../../src/controllers/roll/node-overlay.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../../src/model/node-record.ts'
import { aNode, aRecord, aSnapshot, aSpec } from '../../support/roll-world.ts'

const recorded = { annotations: { [RECORD_ANNOTATION]: formatRecord(aRecord()) } }

/** n1 still shows our record, as a watch that is cut goes on showing it. */
function parts(settledHere: readonly string[]): Parameters<typeof currentNode>[0] {
  const nodes = [aNode('n1', recorded), aNode('n2')]
  const view = {
    facts: () => ({ ...aSnapshot().cluster, nodes }),
    node: (name: string) => nodes.find((node) => node.name === name),
  }
  const run = {
    id: 'run-1',
    spec: aSpec(),
    order: ['n1', 'n2'],
    resumed: false,
    done: settledHere,
    settledHere,
    verdict: undefined,
    measuredSince: undefined,
    evictedBefore: {},
  }
  return { run, view, overlay: new NodeOverlay() }
}

test('a node that bears the record of this run is under way, whichever was next', () => {
  assert.equal(currentNode(parts([]), undefined)?.name, 'n1')
})

test('a node that this process is through with is not begun again, though a cut watch still shows its record', () => {
  assert.equal(currentNode(parts(['n1']), undefined)?.name, 'n2')
})
