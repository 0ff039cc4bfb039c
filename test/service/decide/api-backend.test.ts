import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiEvidence } from '../../../src/service/decide/api-backend.ts'

const backend = (name: string, ...ports: readonly number[]) => ({
  name,
  servers: ports.map((port) => ({ address: '10.0.0.1', port })),
})

const at = (address: string, port: number) => ({ address, port })

test('a backend with a server at the API server’s port is the API’s', () => {
  assert.deepEqual(apiEvidence(backend('control', 443, 6443), []), { kind: 'port', port: 6443 })
  assert.deepEqual(apiEvidence(backend('control', 16443), [at('api.example.com', 16443)]), {
    kind: 'port',
    port: 16443,
  })
  assert.equal(apiEvidence(backend('control', 16443), []), undefined)
})

test('at a port that many services use, the address decides', () => {
  assert.equal(apiEvidence(backend('ingress', 443), [at('api.example.com', 443), at('10.0.0.9', 443)]), undefined)
  assert.deepEqual(apiEvidence(backend('control', 443), [at('::ffff:10.0.0.1', 443)]), { kind: 'port', port: 443 })
})

const NAMES: readonly (readonly [name: string, word: string])[] = [
  ['k8s-api', 'k8s-api'],
  ['k8sapi', 'k8sapi'],
  ['k8s', 'k8s'],
  ['k8s-master', 'k8s-master'],
  ['k8smasters', 'k8smasters'],
  ['APISERVER', 'APISERVER'],
  ['api-server', 'api-server'],
  ['kube-api-server', 'kube-api-server'],
  ['kubeapi-server', 'kubeapi-server'],
  ['kube-apiserver', 'kube-apiserver'],
  ['kube-api', 'kube-api'],
  ['kubeapi', 'kubeapi'],
  ['kube', 'kube'],
  ['kubernetes', 'kubernetes'],
  ['kubernetes-api', 'kubernetes-api'],
  ['kubernetesapi', 'kubernetesapi'],
  ['etcd-peers', 'etcd'],
  ['prod-etcd', 'etcd'],
  ['prod_kubeapi_6', 'kubeapi'],
  ['eu.k8s.main', 'k8s'],
]

for (const [name, word] of NAMES) {
  test(`a backend named ${name} is taken for the Kubernetes API`, () => {
    assert.deepEqual(apiEvidence(backend(name, 443), []), { kind: 'name', word })
  })
}

test('other backends are not', () => {
  for (const name of [
    'web',
    'ingress-http',
    'ingress-https',
    'control',
    'shop-api',
    'rapid-checkout',
    'capital',
    'myetcd',
    'k8sx',
    'shopkubeapi',
  ]) {
    assert.equal(apiEvidence(backend(name, 80, 443, 30443), []), undefined)
  }
})
