import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiEvidence } from '../../../src/core/balancer/api-backend.ts'

const backend = (name: string, ...ports: readonly number[]) => ({ name, servers: ports.map((port) => ({ port })) })

test('a backend with a server at the API server’s port is the API’s', () => {
  assert.deepEqual(apiEvidence(backend('control', 443, 6443)), { kind: 'port', port: 6443 })
  assert.deepEqual(apiEvidence(backend('control', 16443), [16443]), { kind: 'port', port: 16443 })
  assert.equal(apiEvidence(backend('control', 16443)), undefined)
})

test('a backend is the API’s by its name', () => {
  for (const [name, word] of [
    ['k8s-api', 'k8s-api'],
    ['APISERVER', 'APISERVER'],
    ['kubernetes', 'kubernetes'],
    ['etcd-peers', 'etcd'],
  ] as const) {
    assert.deepEqual(apiEvidence(backend(name, 443)), { kind: 'name', word })
  }
})

test('other backends are not', () => {
  for (const name of ['web', 'ingress-http', 'ingress-https', 'control', 'shop-api', 'rapid-checkout', 'capital']) {
    assert.equal(apiEvidence(backend(name, 80, 443, 30443)), undefined)
  }
})
