import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { ControlPlane } from '../contract/control/control-plane.ts'
import { controlContract } from '../contract/control-contract.ts'
import { realPlane } from '../contract/doors/control-planes.ts'
import { requires } from '../support/requires.ts'

describe('the controllers of a real cluster', requires('testbed'), () => {
  let plane: ControlPlane | undefined
  before(async () => {
    plane = await realPlane()
  })
  after(() => plane?.close())
  controlContract(() => {
    assert.ok(plane)
    return plane
  })
})
