import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { evenkeelExplain } from '../support/explain/evenkeel-explain.ts'
import { appOn } from '../support/explain/explain-manifests.ts'
import { grantedBy, type RbacManifest } from '../support/granted-rights.ts'
import { covers, isGranted, requestedBy } from '../support/requested-rights.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'

const test = simulationTest(import.meta.url)

const manifests = parseAllDocuments(
  readFileSync(new URL('../../deploy/explain-rbac.yaml', import.meta.url), 'utf8'),
).map((document) => document.toJS() as RbacManifest)

/** Each account has it (ClusterRole system:basic-user). */
const isReview = ({ path }: ApiRequest): boolean => path.includes('selfsubjectaccessreviews')

test('the shipped roles grant all that explain asks for, and it asks for each of them', async (t) => {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  ground.apply(appOn('n1', 'api'))
  await ground.until('a pod to run', () => ground.pods().some(({ spec }) => spec.nodeName === 'n1'))
  ground.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'kube-system', name: 'kube-dns' },
    spec: { selector: { 'k8s-app': 'kube-dns' }, ports: [{ name: 'dns', protocol: 'UDP', port: 53 }] },
  })
  const asked = new Set<string>()
  const person = {
    cluster: ground.cluster,
    runs: [{ run: '20250101T000000Z-0001' }],
    outside: {
      passageOf: (request: ApiRequest) => {
        if (!isReview(request)) for (const right of requestedBy(request)) asked.add(right)
        return { kind: 'passes' } as const
      },
    },
  }
  const pod = ground.pods().find(({ spec }) => spec.nodeName === 'n1')
  const lines = ['node n1', 'node n9', `pod default/${pod?.metadata.name}`]
  for (const line of lines) await evenkeelExplain(person, line)
  const granted = grantedBy(manifests)
  assert.deepEqual(
    [...asked].filter((right) => !isGranted(right, granted)),
    [],
  )
  assert.deepEqual(
    granted.filter((right) => ![...asked].some((one) => covers(right, one))),
    [],
  )
})

test('the shipped roles read, but for the one of evictions, and contain no wildcard', () => {
  const verbs = manifests
    .filter(({ metadata }) => metadata.name !== 'evenkeel-explain-evictions')
    .flatMap(({ rules = [] }) => rules.flatMap((rule) => rule.verbs))
  assert.deepEqual([...new Set(verbs)].toSorted(), ['get', 'list'])
  const words = manifests.flatMap(({ rules = [] }) => rules.flatMap((rule) => [...rule.apiGroups, ...rule.resources]))
  assert.ok(words.every((word) => !word.includes('*')))
})
