import assert from 'node:assert/strict'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { evenkeelExplain } from '../support/explain/evenkeel-explain.ts'
import { appOn } from '../support/explain/explain-manifests.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import type { ProcessOutside } from '../support/virtual-roll/process-ports.ts'

const test = simulationTest(import.meta.url)

const answering = (code: number, reason: string, isMeant: (request: ApiRequest) => boolean): ProcessOutside => ({
  passageOf: (request) =>
    isMeant(request)
      ? { kind: 'answered', reply: { kind: 'object', code, body: { kind: 'Status', reason, message: reason, code } } }
      : { kind: 'passes' },
})

const isNode = ({ path }: ApiRequest): boolean => path === '/api/v1/nodes/n1'

async function aGround(t: { readonly after: (work: () => unknown) => void }): Promise<GuardGround> {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  ground.apply(appOn('n1', 'api'))
  await ground.until('a pod to run', () => ground.pods().some(({ spec }) => spec.nodeName === 'n1'))
  ground.cordon('n1', true)
  return ground
}

test('what may not be read is not known, one line each, and the rest is explained', async (t) => {
  const ground = await aGround(t)
  const outside = answering(403, 'Forbidden', (request) => !isNode(request))
  const { code, out, err, document } = await evenkeelExplain({ cluster: ground.cluster, outside }, 'node n1')
  assert.deepEqual([code, err], [0, ''])
  assert.match(document.verdict, /^n1 is cordoned, and its pods are not known$/)
  const lines = out.split('\n').filter((line) => line.startsWith('  not known: '))
  assert.deepEqual(
    lines.map((line) => line.split(':')[1]?.trim()),
    document.unknown.map(({ what }) => what),
  )
  const wanted = ['the pods of the node', 'PodDisruptionBudgets', 'VolumeAttachments', 'the node budget', 'NodeGuards']
  for (const what of wanted)
    assert.ok(
      document.unknown.some((one) => one.what === what),
      out,
    )
})

test('a kind that is not installed is said, and is no failure', async (t) => {
  const ground = await aGround(t)
  const outside = answering(404, 'NotFound', ({ path }) => path.includes('evenkeel.dev') || path.includes('mumoshu'))
  const { document, out } = await evenkeelExplain({ cluster: ground.cluster, outside }, 'node n1')
  const absent = document.unknown
    .filter(({ why }) => why.startsWith('the kind is not installed'))
    .map(({ what }) => what)
  assert.deepEqual(absent.toSorted(), ['IngressDaemonSets', 'NodeGuards'], out)
})

test('without the right to create evictions, or without a dry run, the numbers of the budgets count', async (t) => {
  const ground = await aGround(t)
  const asked: string[] = []
  const outside: ProcessOutside = {
    passageOf: ({ method, path, body }) => {
      if (path.endsWith('/eviction')) asked.push(JSON.stringify(body))
      if (!path.includes('selfsubjectaccessreviews')) return { kind: 'passes' }
      assert.equal(method, 'POST')
      return { kind: 'answered', reply: { kind: 'object', code: 201, body: { status: { allowed: false } } } }
    },
  }
  const denied = await evenkeelExplain({ cluster: ground.cluster, outside }, 'node n1')
  assert.equal(denied.document.findings[0]?.code, 'MayLeave', denied.out)
  assert.deepEqual(
    denied.document.unknown.filter(({ what }) => what.includes('evictions')).map(({ why }) => why),
    ['this identity is not allowed to create pods/eviction in default: see deploy/explain-rbac.yaml'],
  )
  const plain = await evenkeelExplain({ cluster: ground.cluster, outside }, 'node n1 --no-dry-run')
  assert.ok(
    plain.document.unknown.every(({ what }) => !what.includes('evictions')),
    plain.out,
  )
  assert.deepEqual(asked, [])
})

test('each eviction that is sent is a dry run, and nothing is written', async (t) => {
  const ground = await aGround(t)
  const written: string[] = []
  const outside: ProcessOutside = {
    passageOf: ({ method, path, body }) => {
      if (method !== 'GET' && !path.includes('selfsubject')) written.push(`${method} ${path} ${JSON.stringify(body)}`)
      return { kind: 'passes' }
    },
  }
  const before = ground.pods().map(({ metadata }) => metadata.resourceVersion)
  assert.equal((await evenkeelExplain({ cluster: ground.cluster, outside }, 'node n1')).code, 0)
  assert.ok(written.length > 0)
  for (const one of written) assert.match(one, /^POST \S+\/eviction .*"dryRun":\["All"\]/)
  assert.deepEqual(
    ground.pods().map(({ metadata }) => metadata.resourceVersion),
    before,
  )
})

test('a node or a pod that is not there, or a word that names none, is wrong usage; a Node that may not be read a failure', async (t) => {
  const ground = await aGround(t)
  const typed = async (line: string, outside: ProcessOutside = {}) => {
    const { code, err } = await evenkeelExplain({ cluster: ground.cluster, outside }, line)
    return [code, err]
  }
  assert.deepEqual(await typed('node n11'), [
    2,
    'error: there is no Node n11 (explain.no-such-node)\n  = fix: evenkeel explain node n1\n',
  ])
  assert.deepEqual((await typed('pod shop/cart-0'))[0], 2)
  assert.match(String((await typed('pod shop/cart-0'))[1]), /namespace shop has no pod cart-0 \(explain\.no-such-pod\)/)
  assert.match(String((await typed('pod a/b -n c'))[1]), /"a\/b" names namespace a, and -n names c \(explain\.usage\)/)
  assert.equal((await typed('pod a/b/c'))[0], 2)
  assert.equal((await typed('node n1', answering(403, 'Forbidden', isNode)))[0], 1)
})

test('commands keep the cluster, the slots and the journals that were asked about', async (t) => {
  const ground = await aGround(t)
  ground.holdSlot(0, 'n2')
  const flags = '--context prod --kubeconfig /tmp/k --state-dir /tmp/j'
  const { document } = await evenkeelExplain(ground, `node n3 ${flags} --grants-namespace g`)
  const commands = document.findings.flatMap(({ next }) => next.flatMap(({ command }) => command ?? []))
  assert.deepEqual(commands, [
    'evenkeel explain node n2 --context prod --kubeconfig /tmp/k --state-dir /tmp/j --grants-namespace g',
    'evenkeel budget --context prod --kubeconfig /tmp/k --grants-namespace g',
  ])
  const cordoned = await evenkeelExplain(ground, `node n1 ${flags}`)
  assert.match(cordoned.out, /kubectl --context prod --kubeconfig \/tmp\/k uncordon n1/)
})
