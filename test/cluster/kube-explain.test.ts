import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { explainActions } from '../../bin/explain/explain-actions.ts'
import { runProgram } from '../../src/cli/program.ts'
import { addExplainCommand } from '../../src/explain/cli/explain-command.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { memoryContext } from '../cli/memory-context.ts'
import { shipped } from '../support/agent-chart.ts'
import type { SaidDocument } from '../support/explain/ask-explain.ts'
import { configMap, grants, podBudget, recordOf } from '../support/explain/explain-manifests.ts'
import type { RawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { refusedRequests } from '../support/roll-bed/audit.ts'
import { volumeAttachment } from '../support/virtual-guard/guard-manifests.ts'
import { KubeGround } from './kube-ground.ts'

const PERSON = 'explainer'
const GROUP = 'rbac.authorization.k8s.io'
const PODS = '/api/v1/namespaces/default/pods'
const GUARDS = '/apis/evenkeel.dev/v1alpha1/namespaces/default/nodeguards'
const log = { debug: () => undefined, warn: () => undefined }

const binding = (kind: string, name: string, namespace?: string): object => ({
  apiVersion: `${GROUP}/v1`,
  kind: `${kind}Binding`,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { apiGroup: GROUP, kind, name },
  subjects: [{ apiGroup: GROUP, kind: 'User', name: PERSON }],
})

/** Each row has nodes and names of its own, so that none waits for another. */
describe('explain on a real API server', { ...requires('testbed'), timeout: 300_000 }, () => {
  const ground = new KubeGround()
  let bed: Bed
  let raw: RawApi
  let kubeconfig = ''

  before(async () => {
    ;({ bed, raw } = await ground.open())
    await bed.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'evenkeel' } }])
    await bed.kubectl(['apply', '-f', new URL('../../deploy/explain-rbac.yaml', import.meta.url).pathname])
    await bed.apply([
      binding('ClusterRole', 'evenkeel-explain'),
      binding('ClusterRole', 'evenkeel-explain-evictions'),
      binding('Role', 'evenkeel-explain-budget', 'evenkeel'),
    ])
    kubeconfig = (await bed.userKubeconfig(PERSON)).outside
    await bed.kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=30s'])
    const held = ['list pods', 'create pods --subresource=eviction', 'get leases -n evenkeel']
    for (const right of held)
      await waitFor({ what: `the right to ${right}`, limitMs: 20_000 }, () =>
        bed.kubectl(['auth', 'can-i', ...right.split(' '), `--as=${PERSON}`]).catch(() => undefined),
      )
  })
  after(async () => {
    const lines = readFileSync(bed.auditLog, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    await ground.close()
    assert.deepEqual([...refusedRequests(lines, PERSON)], [], 'the shipped rights are enough')
  })

  const ok = async (method: string, path: string, body: object): Promise<void> => {
    const { status, body: said } = await raw(method, path, body)
    assert.ok(status < 300, `${method} ${path}: ${JSON.stringify(said)}`)
  }

  /** A Node that no kubelet speaks for; it is Ready until the controllers miss its heartbeat. */
  async function aNode(name: string, { spec = {}, annotations = {} } = {}): Promise<void> {
    await ok('POST', '/api/v1/nodes', { metadata: { name, annotations }, spec })
    await ready(name, 'True')
  }

  const ready = (name: string, status: string): Promise<void> =>
    ok('PATCH', `/api/v1/nodes/${name}/status`, {
      status: {
        conditions: [
          {
            ...{ type: 'Ready', status, reason: status === 'True' ? 'KubeletReady' : 'NodeStatusUnknown' },
            message: status === 'True' ? '' : 'Kubelet stopped posting node status.',
            lastHeartbeatTime: new Date().toISOString(),
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    })

  /** A pod that no kubelet runs, but whose status says it does. What stands for its controller is the Node, which is there. */
  async function aPod(node: string, name: string, { isOwned = true, finalizers = [] as string[] } = {}): Promise<void> {
    const uid = await bed.kubectl(['get', `node/${node}`, '-o', 'jsonpath={.metadata.uid}'])
    const ownerReferences = isOwned ? [{ apiVersion: 'v1', kind: 'Node', name: node, uid, controller: true }] : []
    const spec = { nodeName: node, containers: [{ name: 'main', image: 'none' }] }
    await ok('POST', PODS, { metadata: { name, labels: { app: name }, ownerReferences, finalizers }, spec })
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await ok('PATCH', `${PODS}/${name}/status`, { status })
  }

  async function aBudget(name: string, app: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
    await bed.apply([podBudget(name, app, spec)])
    await bed.kubectl(['wait', '--for=jsonpath={.status.expectedPods}=1', `pdb/${name}`, '--timeout=20s'])
  }

  async function explain(line: string) {
    const run = async (...more: readonly string[]) => {
      const { context } = memoryContext()
      const actions = explainActions({ version: '0', env: { XDG_STATE_HOME: bed.dir }, log })
      const parts = { version: '0', context: { ...context, clock }, commands: [addExplainCommand(async () => actions)] }
      const words = ['explain', ...line.split(' '), '--kubeconfig', kubeconfig, ...more]
      const code = await runProgram(parts, words)
      return { code, out: context.out.text, err: context.err.text }
    }
    const text = await run()
    assert.equal(text.code, 0, text.err)
    return { ...text, document: JSON.parse((await run('-o', 'json')).out) as SaidDocument }
  }

  async function names(line: string, code: string, verdict: RegExp): Promise<SaidDocument> {
    const { document, out } = await explain(line)
    assert.equal(document.findings[0]?.code, code, out)
    assert.match(document.verdict, verdict, out)
    return document
  }

  test('a node in service with nothing wrong; kinds that are not installed are said', async () => {
    await aNode('quiet')
    const { unknown } = await names('node quiet', 'NodeReady', /^quiet is in service; nothing takes it out$/)
    const absent = unknown.filter(({ why }) => why.startsWith('the kind is not installed')).map(({ what }) => what)
    assert.deepEqual(absent.toSorted(), ['IngressDaemonSets', 'NodeGuards'])
  })

  test('a budget that never allows one: the dry run consults it, and changes neither pod nor budget', async () => {
    await aNode('shut', { spec: { unschedulable: true } })
    await aPod('shut', 'never')
    await aPod('shut', 'free')
    await aBudget('never', 'never', { minAvailable: 1 })
    await aBudget('free', 'free', { minAvailable: 0 })
    const versions = () =>
      bed.kubectl([
        'get',
        'pods/never',
        'pods/free',
        'pdb/never',
        'pdb/free',
        '-o',
        'jsonpath={range .items[*]}{.metadata.resourceVersion} {.status.disruptedPods};{end}',
      ])
    const before = await versions()
    const document = await names(
      'node shut',
      'BudgetExhausted',
      /^shut is cordoned and waits for 1 pod: default\/never cannot be evicted, because budget default\/never needs 1 healthy pod and has 1 of 1; it allows no eviction at all/,
    )
    assert.equal(
      document.findings[0]?.evidence[0],
      'a dry run of its eviction was refused with HTTP 429, because of a disruption budget',
    )
    assert.deepEqual(document.findings.find(({ code }) => code === 'MayLeave')?.evidence, [
      'a dry run of 1 of these evictions was accepted',
    ])
    await names('pod default/free', 'MayLeave', /^default\/free may leave shut, which is cordoned/)
    assert.equal(await versions(), before)
  })

  test('two budgets over one pod', async () => {
    await aNode('double', { spec: { unschedulable: true } })
    await aPod('double', 'double')
    await aBudget('double-a', 'double', { minAvailable: 0 })
    await aBudget('double-b', 'double', { minAvailable: 0 })
    await names('pod default/double', 'TwoBudgets', /which eviction does not support$/)
  })

  test('a pod without a controller, and one that a finalizer keeps', async () => {
    await aNode('bare', { spec: { unschedulable: true } })
    await aPod('bare', 'bare', { isOwned: false })
    await names('node bare', 'PodUnmanaged', /^bare is cordoned and waits for 1 pod: default\/bare has no controller/)
    await aPod('bare', 'kept', { finalizers: ['example.com/audit'] })
    await ok('DELETE', `${PODS}/kept`, { gracePeriodSeconds: 0 })
    const { findings } = await names('pod default/kept', 'PodFinalizer', /has ended and is kept by its finalizer/)
    assert.match(findings[0]?.evidence[0] ?? '', /deletionGracePeriodSeconds 0, finalizers example\.com\/audit$/)
    await ok('PATCH', `${PODS}/kept`, { metadata: { finalizers: null } })
  })

  test('a node that does not report, and a pod of it that is being deleted', async () => {
    await aNode('silent')
    await aPod('silent', 'lost')
    await ok('DELETE', `${PODS}/lost`, { gracePeriodSeconds: 600 })
    await ready('silent', 'Unknown')
    const { findings } = await names('pod default/lost', 'NodeUnreachable', /and silent is not Ready/)
    assert.equal(findings[0]?.next[0]?.command, `kubectl --kubeconfig ${kubeconfig} describe node silent`)
    await names('node silent', 'NodeNotReady', /^silent serves nothing: .*Kubelet stopped posting node status\.$/)
    await ok('DELETE', '/api/v1/nodes/silent', {})
  })

  test('a volume that is still attached', async () => {
    await aNode('volume', { spec: { unschedulable: true } })
    await bed.apply([volumeAttachment('still', 'volume')])
    await names('node volume', 'VolumeAttached', /volume pv-still is still attached to volume \(driver\.example\.com\)/)
  })

  test('a guard that is held, by the status of its NodeGuard', async () => {
    await aNode('guarded', { spec: { unschedulable: true } })
    await bed.apply(shipped('crd/nodeguards.evenkeel.dev.yaml'))
    await bed.established(['crd/nodeguards.evenkeel.dev'])
    const spec = { follow: { daemonSet: { name: 'storage' } }, holds: [{ name: 'volumes', volumes: {} }] }
    await ok('POST', GUARDS, {
      apiVersion: 'evenkeel.dev/v1alpha1',
      kind: 'NodeGuard',
      metadata: { name: 'storage' },
      spec,
    })
    const held = { name: 'guarded', state: 'Held', reason: 'HoldStands', message: 'guarded is held by volumes' }
    await ok('PATCH', `${GUARDS}/storage/status`, {
      status: { observedGeneration: 1, desiredNodes: 1, heldNodes: 1, requestedNodes: 1, nodes: [held] },
    })
    await names('node guarded', 'HoldStands', /NodeGuard default\/storage: guarded is held by volumes$/)
  })

  test('a cordon that the brake has not granted, a slot of another run, a record that was left behind, a claim', async () => {
    await aNode('braked', { spec: { unschedulable: true } })
    await bed.apply([grants(['other']), configMap('evenkeel-budget', { maxOut: '1' })])
    await names('node braked', 'CordonNotGranted', /the brake has not granted the cordon of braked/)
    await aNode('waits')
    const renewTime = `${new Date().toISOString().slice(0, -1)}000Z`
    await bed.apply([
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: {
          namespace: 'evenkeel',
          name: 'evenkeel-slot-0',
          annotations: { 'evenkeel.dev/node': 'braked', 'evenkeel.dev/run': '20260101T000000Z-0001' },
        },
        spec: { holderIdentity: '20260101T000000Z-0001/a', leaseDurationSeconds: 120, renewTime },
      },
    ])
    const { findings } = await names('node waits', 'BudgetUsedUp', /the node budget is used up/)
    assert.ok(findings[0]?.evidence.some((one) => /^braked is about to leave: run 20260101T000000Z-0001/.test(one)))
    await aNode('left', { annotations: { 'evenkeel.dev/record': recordOf('20260101T000000Z-0002') } })
    await names('node left', 'LeftBehind', /^left is out and nothing that is seen will bring it back/)
    const claims = JSON.stringify({ version: 2, claims: [{ owner: 'person/bob', id: 'disk' }] })
    await aNode('claimed', { annotations: { 'evenkeel.dev/maintenance': claims } })
    const claimed = await names('node claimed', 'Maintenance', /person\/bob keeps claimed out$/)
    const [program = '', ...words] = (claimed.findings[0]?.next[0]?.command ?? '').split(' ')
    assert.equal(program, 'kubectl')
    await bed.kubectl(words.filter((word) => word !== '--kubeconfig' && word !== kubeconfig))
    await ready('claimed', 'True')
    assert.equal((await explain('node claimed')).document.state, 'InService')
  })
})
