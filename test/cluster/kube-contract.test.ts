import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { type Bed, openBed } from '../../testbed/bed.ts'
import type { ApiDoor } from '../contract/api/api-door.ts'
import { apiContract } from '../contract/api-contract.ts'
import { httpClientDoor } from '../contract/doors/http-client-door.ts'
import { administrator } from '../support/administrator.ts'
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
  })
  after(async () => {
    client?.close()
    await bed?.close()
  })

  apiContract(door)
})
