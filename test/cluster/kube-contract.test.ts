import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe } from 'node:test'
import { type Bed, openBed } from '../../testbed/bed.ts'
import type { ApiDoor } from '../contract/api/api-door.ts'
import { apiContract } from '../contract/api-contract.ts'
import { httpClientDoor } from '../contract/doors/http-client-door.ts'
import { requires } from '../support/requires.ts'

/** As the administrator, with a certificate. */
function administrator(kubeconfig: string): { readonly door: ApiDoor; readonly close: () => void } {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8'))
  const pem = (data: string): Buffer => Buffer.from(data, 'base64')
  return httpClientDoor(clusters[0].cluster.server, {
    ca: pem(clusters[0].cluster['certificate-authority-data']),
    cert: pem(users[0].user['client-certificate-data']),
    key: pem(users[0].user['client-key-data']),
  })
}

describe('a real API server', requires('testbed'), () => {
  let bed: Bed
  let client: { readonly door: ApiDoor; readonly close: () => void } | undefined
  const door = (): ApiDoor => {
    assert.ok(client)
    return client.door
  }

  before(async () => {
    bed = await openBed({ controlPlaneOnly: true })
    client = administrator(bed.kubeconfig)
    await door().ask('POST', '/api/v1/nodes', { body: { metadata: { name: 'n1' } } })
    await bed.kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=30s'])
  })
  after(async () => {
    client?.close()
    await bed?.close()
  })

  apiContract(door)
})
