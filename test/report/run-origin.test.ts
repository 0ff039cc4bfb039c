import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runOrigin } from '../../src/report/document/run-origin.ts'

test('context, API server, user and reason are read from whichever of the first entries has them; a password is not', () => {
  const kubeconfig = {
    context: 'prod-eu1',
    server: 'https://alice:s3cret@k8s.example.com:6443/?token=x',
    user: 'alice',
  }
  assert.deepEqual(runOrigin([{ type: 'journal' }, { type: 'planned', kubeconfig, reason: 'kernel update' }]), {
    context: 'prod-eu1',
    server: 'https://k8s.example.com:6443/?…',
    user: 'alice',
    reason: 'kernel update',
  })
})

test('a journal without them, or with something else in their place, has no origin', () => {
  assert.deepEqual(runOrigin([{ type: 'journal' }]), {})
  assert.deepEqual(runOrigin([{ kubeconfig: '/home/alice/.kube/config', reason: { text: 1 } }]), {})
  assert.deepEqual(runOrigin([{ kubeconfig: { context: 7 } }]), {})
})
