import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { exchange } from '../../src/ground/kube/exchange.ts'
import { kubeconfigCredentials } from '../../src/ground/kube/kubeconfig-credentials.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { type Bed, openBed } from '../../testbed/bed.ts'
import type { ApiDoor } from '../contract/api/api-door.ts'
import { eventually } from '../contract/api/eventually.ts'
import { apiContract } from '../contract/api-contract.ts'
import { httpClientDoor } from '../contract/doors/http-client-door.ts'
import type { FrameGround } from '../contract/frame/frame-ground.ts'
import { frameContract } from '../contract/frame-contract.ts'
import { administrator } from '../support/administrator.ts'
import { anyCustomResource } from '../support/any-custom-resource.ts'
import { requires } from '../support/requires.ts'

describe('a real API server', requires('testbed'), () => {
  let bed: Bed
  let client: { readonly door: ApiDoor; readonly close: () => void } | undefined
  const door = (): ApiDoor => {
    assert.ok(client)
    return client.door
  }

  before(async () => {
    bed = await openBed({ controlPlaneOnly: true })
    const { server, tls } = administrator(bed.kubeconfig)
    client = httpClientDoor(server, tls)
    await door().ask('POST', '/api/v1/nodes', { body: { metadata: { name: 'n1' } } })
    await bed.kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=30s'])
    await bed.apply([anyCustomResource('nodeguards', 'NodeGuard')])
    await eventually('the custom resource', async () => {
      return (await door().ask('GET', '/apis/evenkeel.dev/v1alpha1/nodeguards')).status === 200
    })
  })
  after(async () => {
    client?.close()
    await bed?.close()
  })

  apiContract(door)

  describe('asked by controllers', () => {
    const stop = new AbortController()
    let ground: Omit<FrameGround, 'door'> | undefined
    before(async () => {
      const source = { paths: [bed.kubeconfig], context: undefined, env: {} }
      ground = { credentials: await kubeconfigCredentials(source, systemClock), exchange, signal: stop.signal }
    })
    after(() => stop.abort(new Error('the tests are over')))
    frameContract(() => {
      assert.ok(ground)
      return { ...ground, door: door() }
    })
  })
})
