import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiPort, isNamedAsApi } from '../../../src/service/decide/api-backend.ts'

const backend = (...ports: readonly number[]) => ({ servers: ports.map((port) => ({ address: '10.0.0.1', port })) })

const at = (address: string, port: number) => ({ address, port })

test('a backend with a server at a port of the API server or of etcd is theirs', () => {
  assert.equal(apiPort(backend(443, 6443), []), 6443)
  assert.equal(apiPort(backend(2379), []), 2379)
  assert.equal(apiPort(backend(16443), [at('api.example.com', 16443)]), 16443)
  assert.equal(apiPort(backend(16443), []), undefined)
  assert.equal(apiPort(backend(80, 443, 30443), []), undefined)
})

test('at a port that many services use, the address decides', () => {
  assert.equal(apiPort(backend(443), [at('api.example.com', 443), at('10.0.0.9', 443)]), undefined)
  assert.equal(apiPort(backend(443), [at('::ffff:10.0.0.1', 443)]), 443)
})

test('a kubeconfig that leads through a tunnel says nothing of the ports of the cluster', () => {
  for (const tunnel of ['127.0.0.1', 'localhost', '::1'])
    assert.equal(apiPort(backend(8443), [at(tunnel, 8443)]), undefined, tunnel)
  assert.equal(apiPort(backend(8443), [at('127.0.0.1', 8443), at('10.0.0.1', 8443)]), 8443)
  assert.equal(apiPort({ servers: [at('127.0.0.1', 8443)] }, [at('127.0.0.1', 8443)]), 8443)
})

test('the name of a backend is that of the API only as a whole', () => {
  const named = [
    'k8s-api',
    'k8s',
    'k8smasters',
    'APISERVER',
    'kube-api-server',
    'kubeapi',
    'kubernetes',
    'kubernetes-api',
    'etcd',
  ]
  for (const name of named) assert.equal(isNamedAsApi({ name }), true, name)
  const others = [
    'web',
    'k8s-ingress-http',
    'k8s_ingress',
    'k8s-workers',
    'kubernetes-ingress-backend',
    'kube-nodes-http',
    'shop-api',
  ]
  for (const name of others) assert.equal(isNamedAsApi({ name }), false, name)
})
