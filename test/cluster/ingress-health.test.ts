import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { appContainer } from '../../src/sim/cluster/article-workloads.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { InstallBed } from '../support/agent-install/install-bed.ts'
import { requires } from '../support/requires.ts'

const real = { ...requires('testbed', 'helm'), timeout: 300_000 }
const AGENT_PORT = 8_080
/** A pod is Ready once this condition of it is True, which no kubelet sets. */
const GATE = 'example.com/well'

const ingress = (healthCheckNodePorts: readonly number[]): object => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'IngressDaemonSet',
  metadata: { name: 'web' },
  spec: {
    podsPerNode: 2,
    healthCheckNodePorts,
    selector: { matchLabels: { app: 'web' } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailableNodes: 1, attachGraceSeconds: 1 } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        readinessGates: [{ conditionType: GATE }],
        terminationGracePeriodSeconds: 5,
        containers: [appContainer({ STOP: 'graceful', GRACE: '1s', VERSION: 'v1' })],
      },
    },
  },
})

let opened: InstallBed | undefined
const place = (): InstallBed => {
  assert.ok(opened)
  return opened
}
const bed = () => place().bed

before(async () => {
  if (real.skip !== false) return
  opened = await InstallBed.open()
  await place().install(['minReadySeconds=6', 'agent.upDelay=1s', 'controller.enabled=true', 'ingress.enabled=true'])
  await place().rolledOut()
})
after(async () => opened?.close())

interface SeenPod {
  readonly metadata: { readonly name: string; readonly uid: string }
  readonly spec: { readonly nodeName?: string }
}

const pods = async (): Promise<readonly SeenPod[]> =>
  JSON.parse(await bed().kubectl(['get', 'pods', '-l', 'app=web', '-o', 'json'])).items

async function setWell({ metadata }: SeenPod, status: 'True' | 'False'): Promise<void> {
  const patch = JSON.stringify({ status: { conditions: [{ type: GATE, status }] } })
  await bed().kubectl(['patch', 'pod', metadata.name, '--subresource=status', '--type=strategic', '-p', patch])
}

/** As a load balancer hears it; `refused` where nothing listens. */
const at = (node: string, port: number): Promise<string> =>
  place()
    .page(node, port, '/nodecheck')
    .catch(() => 'refused')

function says(node: string, port: number, wanted: string): Promise<true> {
  const seen: { last?: string } = {}
  const wait = { what: `${wanted} of ${node} at ${port}`, limitMs: 60_000, everyMs: 100, explain: () => `${seen.last}` }
  return waitFor(wait, async () => {
    seen.last = await at(node, port)
    return seen.last === wanted ? true : undefined
  })
}

test(
  'a node whose pods are not ready fails the health port of their IngressDaemonSet and not the check of the node',
  real,
  async () => {
    await bed().apply([ingress([10_080])])
    const made = await waitFor({ what: 'two pods on each node', limitMs: 120_000, everyMs: 500 }, async () => {
      const all = await pods()
      return all.filter(({ spec }) => spec.nodeName !== undefined).length === 6 ? all : undefined
    })
    for (const node of bed().nodes) {
      await says(node, 10_080, '503 Down')
      await says(node, AGENT_PORT, '200 OK')
    }
    for (const pod of made) await setWell(pod, 'True')
    for (const node of bed().nodes) await says(node, 10_080, '200 OK')
    const [sick] = made.filter(({ spec }) => spec.nodeName === 'n1')
    assert.ok(sick)
    await setWell(sick, 'False')
    await says('n1', 10_080, '503 Down')
    assert.deepEqual([await at('n1', AGENT_PORT), await at('n2', 10_080)], ['200 OK', '200 OK'])
    await setWell(sick, 'True')
    await says('n1', 10_080, '200 OK')
    // A second port for a migration, and then the first one goes: no pod is replaced for it.
    await bed().apply([ingress([10_080, 10_081])])
    for (const node of bed().nodes) await says(node, 10_081, '200 OK')
    assert.equal(await at('n1', 10_080), '200 OK')
    await bed().apply([ingress([10_081])])
    await says('n1', 10_080, 'refused')
    const uids = (all: readonly SeenPod[]): readonly string[] => all.map(({ metadata }) => metadata.uid).toSorted()
    assert.deepEqual(uids(await pods()), uids(made))
  },
)
