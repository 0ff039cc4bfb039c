import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EndpointSlice } from '../../../../src/ground/model/service.ts'
import { apiServers } from '../../../../src/roll/decide/plan/api-servers.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const slice = (namespace: string, serviceName: string, addresses: readonly string[]): EndpointSlice => ({
  namespace,
  name: `${serviceName}-x`,
  serviceName,
  ports: [6443],
  endpoints: [{ addresses, ready: true, serving: true, terminating: false }],
})

test('the API is where the kubeconfig says and at each address of Service default/kubernetes', () => {
  const slices = [
    slice('default', 'kubernetes', ['10.0.0.1', '10.0.0.2']),
    slice('default', 'cart', ['10.1.0.1']),
    slice('shop', 'kubernetes', ['10.1.0.2']),
    slice('shop', 'cart', ['10.1.0.3']),
  ]
  assert.deepEqual(apiServers(planSnapshot({}, { slices })), [
    { address: '10.0.0.100', port: 443 },
    { address: '10.0.0.1', port: 6443 },
    { address: '10.0.0.2', port: 6443 },
  ])
})
