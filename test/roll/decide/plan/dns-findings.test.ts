import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../../../src/ground/model/pod.ts'
import type { Service } from '../../../../src/ground/model/service.ts'
import { makePlan } from '../../../../src/roll/decide/plan/make-plan.ts'
import type { DnsSpec } from '../../../../src/roll/model/roll-spec.ts'
import { aPod, aSpec } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const SERVICE: Service = {
  namespace: 'kube-system',
  name: 'kube-dns',
  type: 'ClusterIP',
  selector: { 'k8s-app': 'kube-dns' },
  externalTrafficPolicy: 'Cluster',
  internalTrafficPolicy: 'Cluster',
  nodePorts: [],
}

const dnsPod = (name: string, node: string): Pod =>
  aPod(name, node, { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } })

interface Facts {
  readonly services?: readonly Service[]
  readonly pods?: readonly Pod[]
  /** The pods that serve. */
  readonly serving?: readonly Pod[]
  readonly dns?: DnsSpec | undefined
}

/** `dns`: undefined where the file turns the check off. */
function said({ services = [SERVICE], pods = [], serving = [], ...facts }: Facts): readonly string[] {
  const dns = 'dns' in facts ? facts.dns : { namespace: 'evenkeel' }
  const spec = aSpec(dns === undefined ? {} : { dns })
  const endpoints = serving.map(({ uid, nodeName = '' }) => ({
    addresses: ['10.1.0.1'],
    ready: true,
    serving: true,
    terminating: false,
    nodeName,
    podUid: uid,
  }))
  const slice = { namespace: 'kube-system', name: 'kube-dns-1', serviceName: 'kube-dns', ports: [53], endpoints }
  return makePlan(planSnapshot({ spec, services }, { pods, slices: [slice] }))
    .findings.filter(({ code }) => /Dns/.test(code))
    .map(({ severity, code, node, text }) => [severity, code, ...(node === undefined ? [] : [node]), text].join(' '))
}

const NONE =
  'block DnsNoPods no pod runs behind Service kube-system/kube-dns, so the check of DNS would hold the roll before its first node'

test('a Service of DNS whose selector picks no pod blocks the plan, since the roll would hold', () => {
  assert.deepEqual(said({}), [NONE])
  assert.deepEqual(said({ pods: [aPod('cart-a', 'n1')] }), [NONE])
  const elsewhere: Service = { ...SERVICE, namespace: 'dns', name: 'resolver' }
  const dns = { namespace: 'evenkeel', service: { namespace: 'dns', name: 'resolver' } }
  assert.deepEqual(said({ services: [SERVICE, elsewhere], dns }), [
    NONE.replace('kube-system/kube-dns', 'dns/resolver'),
  ])
})

test('of several Services with usual names, one of kube-system comes first, as in the check, and one that has pods', () => {
  const pods = [dnsPod('coredns-a', 'n1')]
  const rke2: Service = { ...SERVICE, name: 'rke2-coredns-rke2-coredns' }
  const ofPeople: Service = { ...SERVICE, namespace: 'edge', name: 'coredns' }
  assert.deepEqual(said({ services: [ofPeople, rke2], pods }), [])
  const left: Service = { ...SERVICE, selector: { app: 'old-dns' } }
  assert.deepEqual(said({ services: [left, { ...SERVICE, name: 'coredns' }], pods }), [])
})

test('nothing is said of DNS without such a Service or its selector, or where the file does not check it', () => {
  assert.deepEqual(said({ services: [] }), [])
  assert.deepEqual(said({ services: [{ ...SERVICE, selector: {} }] }), [])
  assert.deepEqual(said({ dns: undefined }), [])
})

test('the node of the only DNS pod that serves may hold, where other pods do not', () => {
  const [one, two] = [dnsPod('coredns-a', 'n1'), dnsPod('coredns-b', 'n2')]
  assert.deepEqual(said({ pods: [one, two], serving: [one, two] }), [])
  assert.deepEqual(said({ pods: [one, two], serving: [one] }), [
    'hold LastDnsPod n1 coredns-a on n1 is the only one of 2 DNS pods that serves',
  ])
  assert.deepEqual(said({ pods: [one], serving: [one] }), [], 'people have accepted that DNS is away while it moves')
})
