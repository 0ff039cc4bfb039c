import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { controlContract } from '../contract/control-contract.ts'
import { realPlane } from '../contract/doors/control-planes.ts'
import { requires } from '../support/requires.ts'

describe('the controllers of a real cluster', requires('testbed'), () => {
  let opened: Awaited<ReturnType<typeof realPlane>> | undefined
  before(async () => {
    opened = await realPlane()
  })
  after(() => opened?.close())
  controlContract(() => {
    assert.ok(opened)
    return opened.plane
  })
})
