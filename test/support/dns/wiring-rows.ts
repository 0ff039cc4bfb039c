import assert from 'node:assert/strict'
import { nodePodRange, podRange } from '../../../testbed/addresses.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { atNight } from '../roll-bed/at-night.ts'
import { type DnsBed, drop, REPLIES, readinessOf, WELL } from './dns-bed.ts'

const PROXY = 'kube-proxy --config'

/** No endpoint is added or taken away. */
const FROZEN_SLICES = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'frozen-slices' },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['discovery.k8s.io'],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['endpointslices'],
          },
        ],
      },
      validations: [{ expression: 'false', message: 'slices are frozen' }],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'frozen-slices' },
    spec: { policyName: 'frozen-slices', validationActions: ['Deny'] },
  },
]

/** What lies between clients and CoreDNS, by night. */
export function wiringRows(bed: () => DnsBed): void {
  atNight('row 14: no endpoint is ready, and kube-proxy refuses', {}, async () => {
    const dns = bed()
    const [one, two] = [await dns.podOn('n1'), await dns.podOn('n2')]
    await dns.filtered('n1', [readinessOf(one.address)], () =>
      dns.filteredInside('n2', [readinessOf(two.address)], async () => {
        await dns.says(/NoEndpointsProgrammed kube-system\/kube-dns$/)
      }),
    )
  })

  atNight('row 15: the address of the Service is not put back into replies', {}, async () => {
    const dns = bed()
    const untracked = {
      table: 'raw',
      match: ['PREROUTING', '-p', 'udp', '-s', podRange, '--sport', '53'],
      target: 'NOTRACK',
    }
    await dns.filtered('n2', [untracked], () =>
      dns.from('podOnN2', async () => {
        await dns.says(/^ReplyFromElsewhere n2$/)
      }),
    )
  })

  atNight('row 17: kube-proxy of one node stands still while a pod is replaced', {}, async () => {
    const dns = bed()
    const { name } = await dns.podOn('n2')
    await dns.mustExec('n1', ['pkill', '-STOP', '-f', PROXY])
    try {
      await dns.bed.kubectl(['delete', 'pod', '-n', 'kube-system', name])
      await dns.says(/^DeadEndpointKept n1$/)
    } finally {
      await dns.mustExec('n1', ['pkill', '-CONT', '-f', PROXY])
    }
    await dns.says(WELL)
  })

  atNight('row 24: a pod that answers is in no EndpointSlice', {}, async () => {
    const dns = bed()
    await dns.bed.apply(FROZEN_SLICES)
    try {
      // Until the policy is in force a pod more would be taken in.
      await waitFor({ what: 'the policy', limitMs: 30_000, everyMs: 200 }, () =>
        dns.bed.kubectl(['label', 'endpointslice', '-n', 'kube-system', '--all', 'tried=yes', '--overwrite']).then(
          () => undefined,
          (error: unknown) => (String(error).includes('frozen') ? true : undefined),
        ),
      )
      const before = (await dns.pods(2)).map(({ name }) => name)
      await dns.scale(3)
      const { findings } = await dns.says(/^EndpointMissing coredns-\S+$/)
      const [finding] = findings
      assert.equal(finding?.row, 24)
      assert.ok(!before.includes(finding?.subjects[0]?.name ?? ''), 'it is the pod that came last')
    } finally {
      for (const kind of ['validatingadmissionpolicybinding', 'validatingadmissionpolicy'])
        await dns.bed.kubectl(['delete', kind, 'frozen-slices'])
      await dns.scale(2)
    }
    await dns.says(WELL)
  })

  atNight('row 12: UDP between nodes is dropped, and TCP is not', {}, async () => {
    const dns = bed()
    // One silent pod of another node may be the pod's own fault: two on each node are no chance.
    await spreadAnew(dns, 4)
    const nodes = (await dns.pods(4)).map(({ node }) => node)
    assert.deepEqual(nodes.toSorted(), ['n1', 'n1', 'n2', 'n2'])
    await dns.filtered('n1', [drop(...REPLIES, '-s', nodePodRange('n2'))], async () => {
      await dns.says(/^CrossNodeUdp n1, n2$/)
    })
    await spreadAnew(dns, 2)
  })
}

/** So many pods of DNS, as many on the one node as on the other: what was scaled up or down may have left them on one. */
async function spreadAnew(dns: DnsBed, replicas: number): Promise<void> {
  await dns.scale(0)
  await dns.pods(0)
  await dns.scale(replicas)
  await dns.pods(replicas)
  await dns.says(WELL)
}
