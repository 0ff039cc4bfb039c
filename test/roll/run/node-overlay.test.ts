import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NodeOverlay } from '../../../src/roll/run/node-overlay.ts'
import { aNode } from '../../support/roll-world.ts'

test('a node that was written counts as it was answered until a watch shows it, among all nodes', () => {
  const overlay = new NodeOverlay()
  const [n1, n2] = [aNode('n1', { uid: 'u1', resourceVersion: '7' }), aNode('n2', { uid: 'u2' })]
  const listed = [n1, n2]
  assert.equal(overlay.over(listed), listed)
  const written = { ...n1, resourceVersion: '9' }
  overlay.wrote(written)
  assert.deepEqual(overlay.over(listed), [written, n2])
  const shown = [{ ...n1, resourceVersion: '10' }, n2]
  assert.equal(overlay.over(shown), shown)
  const anew = [{ ...n1, uid: 'u3', resourceVersion: '8' }, n2]
  assert.equal(overlay.over(anew), anew, 'it was registered anew')
})

test('a write to one node leaves what was written to another: lanes write by turns, and a watch may lag', () => {
  const overlay = new NodeOverlay()
  const listed = [aNode('n1', { uid: 'u1' }), aNode('n2', { uid: 'u2' }), aNode('n3', { uid: 'u3' })]
  const written = listed.map((node) => ({ ...node, resourceVersion: '9', unschedulable: true }))
  for (const node of written.slice(0, 2)) overlay.wrote(node)
  assert.deepEqual(overlay.over(listed), [written[0], written[1], listed[2]])
  assert.deepEqual(
    listed.map((node) => overlay.newest(node)),
    [written[0], written[1], listed[2]],
  )
})
