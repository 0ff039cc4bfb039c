import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachesOfNodes, firstResolver, resolverOfKubelet, resolverOfPod } from '../../../src/dns/decide/pod-resolver.ts'

test('the resolv.conf of a pod names the Service of DNS and the zone', () => {
  const text =
    '# kubelet\nsearch shop.svc.corp.example svc.corp.example corp.example example\nnameserver 10.96.0.10\nnameserver fd00::a ; two\noptions ndots:5\n'
  assert.deepEqual(resolverOfPod(text), { addresses: ['10.96.0.10', 'fd00::a'], zone: 'corp.example' })
})

test('the resolv.conf of a node names no zone of a cluster', () => {
  assert.deepEqual(resolverOfPod('search lan\nnameserver 192.0.2.53\n'), { addresses: ['192.0.2.53'] })
})

test('the kubelet configuration of kubeadm names both', () => {
  const text =
    'apiVersion: kubelet.config.k8s.io/v1beta1\nclusterDNS:\n- 10.96.0.10\n- "fd00::a"\nclusterDomain: corp.example.\ncpuManagerPolicy: none\n'
  assert.deepEqual(resolverOfKubelet(text), { addresses: ['10.96.0.10', 'fd00::a'], zone: 'corp.example' })
})

test('a text that is no configuration names nothing', () => {
  assert.deepEqual(resolverOfKubelet('clusterDNS: [broken\nclusterDomain: "-bad-"\n'), { addresses: [] })
})

test('what the pod itself is given comes before what kubelets are given', () => {
  const own = { addresses: ['10.96.0.10'] }
  const ofKubelets = { addresses: ['169.254.20.10'], zone: 'corp.example' }
  assert.deepEqual(firstResolver([own, ofKubelets]), { addresses: ['10.96.0.10'], zone: 'corp.example' })
})

const CACHES: readonly (readonly [what: string, addresses: readonly string[], caches: readonly string[]])[] = [
  ['of IPv4', ['169.254.20.10', '10.96.0.10'], ['169.254.20.10']],
  ['of IPv6, each once', ['FE80::A', 'fe80:0::a', 'febf::1'], ['fe80:0:0:0:0:0:0:a', 'febf:0:0:0:0:0:0:1']],
  ['not of a private network', ['fd00::a', '192.0.2.53', '169.25.0.1', 'fec0::1'], []],
  ['not that of a Service', ['169.254.30.10'], []],
]
for (const [what, addresses, caches] of CACHES)
  test(`caches of nodes are at link-local addresses: ${what}`, () => {
    const service = {
      namespace: 'kube-system',
      name: 'kube-dns',
      addresses: ['169.254.30.10'],
      ports: [],
      outsideAddresses: [],
      isUneven: false,
      createdAt: '',
    }
    assert.deepEqual(cachesOfNodes([{ addresses, zone: 'corp.example' }], [service]), caches)
    assert.deepEqual(cachesOfNodes([{ addresses }], [service]), [], 'a cloud’s resolver is no cache of the cluster')
  })
