import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RebootAnswer } from '../../../src/ground/model/host.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import { fullDecision } from '../../support/full-decision.ts'
import { announced, out } from '../../support/roll-stages.ts'
import { aPod, aRecord, aSnapshot, aSpec, aWorkload, NEW_BOOT } from '../../support/roll-world.ts'

const NOW = monoMs(1_000_000)
const notNow = { failures: 2, notBefore: monoMs(1_000_700), error: 'connect ECONNREFUSED' }
const daemonSet = aWorkload({ kind: 'DaemonSet', namespace: 'kube-system', name: 'cni', uid: 'uid-cni' })
const daemonPod = aPod('cni-1', 'n1', {
  namespace: 'kube-system',
  controller: { kind: 'DaemonSet', name: 'cni', uid: 'uid-cni' },
  containerIds: { cni: 'containerd://new' },
})
const cart = aPod('cart-1', 'n1')
const withCart = { ...out, pods: [cart], workloads: [aWorkload()] }
const sent = (answer: RebootAnswer) => ({
  ...announced,
  evidence: { ...out.evidence, reboot: { at: monoMs(999_000), answer } },
})

const evictsCni = aSpec({
  drain: { ...aSpec().drain, daemonSets: [{ matchLabels: { app: 'cart' }, matchExpressions: [] }] },
})

const DECISIONS: readonly (readonly [title: string, snapshot: RollSnapshot, decision: readonly string[]])[] = [
  [
    'a pod is evicted',
    aSnapshot(withCart),
    [
      'act drain',
      'evict {"node":"n1","namespace":"shop","name":"cart-1","uid":"uid-cart-1","stage":2}',
      'PodsHere | - | 1 pod of stage 2 is here',
    ],
  ],
  [
    'a pod is evicted with the grace of the roll',
    aSnapshot({ ...withCart, change: { spec: aSpec({ drain: { ...aSpec().drain, graceSeconds: 7 } }) } }),
    [
      'act drain',
      'evict {"node":"n1","namespace":"shop","name":"cart-1","uid":"uid-cart-1","stage":2,"graceSeconds":7}',
      'PodsHere | - | 1 pod of stage 2 is here',
    ],
  ],
  [
    'of two pods of one workload one is evicted',
    aSnapshot({ ...out, pods: [cart, aPod('cart-2', 'n1')], workloads: [aWorkload()] }),
    [
      'act drain',
      'evict {"node":"n1","namespace":"shop","name":"cart-1","uid":"uid-cart-1","stage":2}',
      'PodsHere | - | 2 pods of stage 2 are here',
    ],
  ],
  [
    'two pods of two workloads are evicted together',
    aSnapshot({
      ...out,
      pods: [
        cart,
        aPod('api-1', 'n1', {
          labels: { app: 'api' },
          controller: { kind: 'ReplicaSet', name: 'api', uid: 'uid-api' },
        }),
      ],
      workloads: [
        aWorkload(),
        aWorkload({ name: 'api', uid: 'uid-api', selector: { matchLabels: { app: 'api' }, matchExpressions: [] } }),
      ],
    }),
    [
      'act drain',
      'evict {"node":"n1","namespace":"shop","name":"cart-1","uid":"uid-cart-1","stage":2}',
      'evict {"node":"n1","namespace":"shop","name":"api-1","uid":"uid-api-1","stage":2}',
      'PodsHere | - | 2 pods of stage 2 are here',
    ],
  ],
  [
    'a pod that leaves is waited for',
    aSnapshot({ ...out, pods: [aPod('cart-1', 'n1', { terminating: true })], workloads: [aWorkload()] }),
    ['hold drain for 500 ms', 'PodLeaving | shop/cart-1 | shop/cart-1 is leaving'],
  ],
  [
    'an eviction that the API did not answer is waited for',
    aSnapshot({ ...withCart, evidence: { ...out.evidence, retries: { 'evict uid-cart-1': notNow } } }),
    [
      'hold drain for 500 ms',
      'EvictionFailed | shop/cart-1 | the eviction of shop/cart-1 failed and is tried again: connect ECONNREFUSED',
    ],
  ],
  [
    'an eviction that was throttled is waited for',
    aSnapshot({
      ...withCart,
      evidence: {
        ...out.evidence,
        retries: { 'evict uid-cart-1': notNow },
        evictions: { 'uid-cart-1': { kind: 'throttled' } },
      },
    }),
    [
      'hold drain for 500 ms',
      'Throttled | shop/cart-1 | the API server is busy; the eviction of shop/cart-1 is tried again',
    ],
  ],
  [
    'an eviction whose pause is over is tried again',
    aSnapshot({
      ...withCart,
      evidence: { ...out.evidence, retries: { 'evict uid-cart-1': { ...notNow, notBefore: NOW } } },
    }),
    [
      'act drain',
      'evict {"node":"n1","namespace":"shop","name":"cart-1","uid":"uid-cart-1","stage":2}',
      'PodsHere | - | 1 pod of stage 2 is here',
    ],
  ],
  [
    'a pod without a controller is refused',
    aSnapshot({
      ...out,
      pods: [
        ((pod) => {
          const { controller: _, ...bare } = pod
          return bare
        })(cart),
      ],
    }),
    [
      'hold drain for 500 ms',
      'PodRefused | shop/cart-1 | shop/cart-1 has no controller that would replace it | set drain.deleteUnmanaged to delete it from n1',
    ],
  ],
  [
    'a pod with data in an emptyDir is refused',
    aSnapshot({ ...out, pods: [aPod('cart-1', 'n1', { usesEmptyDir: true })], workloads: [aWorkload()] }),
    [
      'hold drain for 500 ms',
      'PodRefused | shop/cart-1 | shop/cart-1 keeps data in an emptyDir | set drain.deleteEmptyDirData to delete it from n1',
    ],
  ],
  [
    'a workload that lost a pod is waited for',
    aSnapshot({
      ...out,
      record: aRecord({ workloads: { 'ReplicaSet shop/cart': 2 } }),
      workloads: [aWorkload({ ready: 1 })],
      evidence: {
        ...out.evidence,
        evicted: { 'uid-cart-1': { name: 'shop/cart-1', stage: 2, workload: 'ReplicaSet shop/cart' } },
      },
    }),
    [
      'hold drain for 500 ms',
      'ReplacementNotReady | ReplicaSet shop/cart | ReplicaSet shop/cart has 0 ready of 2 recorded',
    ],
  ],
  [
    'a node is shut before the pod of a DaemonSet is evicted',
    aSnapshot({
      ...out,
      pods: [daemonPod],
      workloads: [daemonSet],
      change: { spec: evictsCni },
    }),
    [
      'act drain',
      'addTaint {"node":"n1","taint":{"key":"evenkeel.dev/out","effect":"NoSchedule"}}',
      'DaemonSetWouldReturn | - | a DaemonSet would start its pod again before the reboot',
    ],
  ],
  [
    'the pod of a DaemonSet is evicted from a node that is shut',
    aSnapshot({
      ...out,
      node: { unschedulable: true, taints: [OUT_TAINT] },
      pods: [daemonPod],
      workloads: [daemonSet],
      change: { spec: evictsCni },
    }),
    [
      'act drain',
      'evict {"node":"n1","namespace":"kube-system","name":"cni-1","uid":"uid-cni-1","stage":3}',
      'PodsHere | - | 1 pod of stage 3 is here',
    ],
  ],
  [
    'the reboot of an empty node is announced',
    aSnapshot(out),
    [
      'act reboot',
      'writeIntent {"node":"n1","bootId":"11111111-1111-4111-8111-111111111111"}',
      'NoIntent | - | the reboot is not announced on the node yet',
    ],
  ],
  [
    'a reboot that this process announced is sent',
    aSnapshot({ ...announced, evidence: { ...out.evidence, intentByUs: true } }),
    [
      'act reboot',
      'sendReboot {"node":"n1","bootId":"11111111-1111-4111-8111-111111111111"}',
      'RebootDue | - | nothing is left on the node that the reboot could harm',
    ],
  ],
  [
    'a reboot that an earlier process announced is waited for',
    aSnapshot({ ...announced, evidence: { ...out.evidence, awaySince: monoMs(999_000) } }),
    ['hold reboot for 500 ms', 'RebootUnknown | n1 | it is unknown whether n1 got an earlier reboot command'],
  ],
  [
    'a reboot that was not heard of for long is sent again',
    aSnapshot({ ...announced, evidence: { ...out.evidence, awaySince: monoMs(940_000) } }),
    [
      'act reboot',
      'sendReboot {"node":"n1","bootId":"11111111-1111-4111-8111-111111111111"}',
      'RebootUnheard | - | no other boot id was seen since the command',
    ],
  ],
  [
    'a node that reboots is waited for',
    aSnapshot(sent({ kind: 'sent' })),
    ['hold reboot for 500 ms', 'Rebooting | n1 | n1 is rebooting; the API still shows its old boot id'],
  ],
  [
    'a node that bears another boot id is waited for',
    aSnapshot(sent({ kind: 'otherBoot', bootId: NEW_BOOT })),
    [
      'hold reboot for 500 ms',
      'BootIdNotPublished | n1 | n1 has another boot id, and its kubelet has not reported it yet',
    ],
  ],
  [
    'a reboot that was refused is waited for',
    aSnapshot(sent({ kind: 'refused', text: 'sudo: no' })),
    ['hold reboot for 500 ms', 'RebootRefused | n1 | n1 refused the reboot: sudo: no'],
  ],
  [
    'a reboot that may not have arrived is waited for',
    aSnapshot(sent({ kind: 'unknown', text: 'cut off' })),
    ['hold reboot for 500 ms', 'RebootUnknown | n1 | it is unknown whether n1 got the reboot command: cut off'],
  ],
  [
    'a node that went away after its reboot was sent is not sent another',
    aSnapshot({
      ...announced,
      node: { unschedulable: true, ready: 'Unknown' },
      evidence: { ...out.evidence, reboot: { at: monoMs(900_000), answer: { kind: 'sent' } } },
    }),
    ['hold reboot for 500 ms', 'Rebooting | n1 | n1 is rebooting; the API still shows its old boot id'],
  ],
  [
    'a node that ignored its reboot is sent another',
    aSnapshot({
      ...announced,
      evidence: { ...out.evidence, reboot: { at: monoMs(940_000), answer: { kind: 'sent' } } },
    }),
    [
      'act reboot',
      'sendReboot {"node":"n1","bootId":"11111111-1111-4111-8111-111111111111"}',
      'RebootUnheard | - | no other boot id was seen since the command',
    ],
  ],
  [
    'a node that another client uncordoned is cordoned before its reboot',
    aSnapshot({ ...announced, node: { unschedulable: false }, evidence: { ...out.evidence, intentByUs: true } }),
    ['act cordon', 'cordon {"node":"n1"}', 'Schedulable | - | new pods can still be scheduled here'],
  ],
  [
    'a node that was uncordoned after this process had cordoned it is cordoned again, with a word',
    aSnapshot({
      ...announced,
      node: { unschedulable: false },
      evidence: { ...out.evidence, stuckStep: 'drain', intentByUs: true },
    }),
    [
      'act cordon',
      'cordon {"node":"n1"}',
      'Schedulable | - | n1 is not cordoned any more while the roll has it in work, so the roll sets the cordon again; to have it back: evenkeel roll abort',
    ],
  ],
]

for (const [title, snapshot, decision] of DECISIONS) {
  test(`in full: ${title}`, () => assert.deepEqual(fullDecision(decide(snapshot)), decision))
}
