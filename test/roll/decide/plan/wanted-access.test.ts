import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wantedAccess } from '../../../../src/roll/decide/plan/wanted-access.ts'

test('a roll asks for these rights and for no other', () => {
  const shown = wantedAccess('ops').map(
    ({ verb, group, resource, subresource, name, namespace }) =>
      `${verb} ${[resource, subresource, name].filter((part) => part !== undefined).join('/')} ${group}@${namespace ?? ''}`,
  )
  assert.deepEqual(shown, [
    'list nodes @',
    'watch nodes @',
    'get nodes @',
    'patch nodes @',
    'list pods @',
    'watch pods @',
    'create pods/eviction @',
    'list persistentvolumeclaims @',
    'watch persistentvolumeclaims @',
    'list services @',
    'get namespaces/kube-system @',
    'list deployments apps@',
    'watch deployments apps@',
    'list replicasets apps@',
    'watch replicasets apps@',
    'list statefulsets apps@',
    'watch statefulsets apps@',
    'list daemonsets apps@',
    'watch daemonsets apps@',
    'list poddisruptionbudgets policy@',
    'watch poddisruptionbudgets policy@',
    'list volumeattachments storage.k8s.io@',
    'watch volumeattachments storage.k8s.io@',
    'list endpointslices discovery.k8s.io@',
    'watch endpointslices discovery.k8s.io@',
    'get leases coordination.k8s.io@ops',
    'create leases coordination.k8s.io@ops',
    'patch leases coordination.k8s.io@ops',
    'list leases coordination.k8s.io@kube-node-lease',
    'watch leases coordination.k8s.io@kube-node-lease',
  ])
})
