import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../src/ground/model/claims.ts'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { nodeDisk } from '../../testbed/rack/plan.ts'
import { AgentBed } from '../support/agent-bed/agent-bed.ts'
import { ARTICLE_PORT } from '../support/agent-bed/check-backends.ts'
import { agentProcess } from '../support/agent-install/agent-process.ts'
import { runsOfOthers } from '../support/agent-install/checks.ts'
import { IMAGE, isReady, NAMESPACE } from '../support/agent-install/install-bed.ts'
import { requires } from '../support/requires.ts'
import { askSocket } from '../support/roll-bed/ask-socket.ts'

const NAME = 'nodecheck'
const labels = { app: NAME }
const account = { kind: 'ServiceAccount', name: NAME, namespace: 'default' }

/** The program that asks the API server at each check, on every node, with the right that it takes. */
const articleProgram = (): readonly object[] => [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: NAME },
    rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: NAME },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME },
    subjects: [account],
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: NAME },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: NAME,
          hostNetwork: true,
          tolerations: [{ operator: 'Exists' }],
          containers: [
            {
              name: 'app',
              image: 'testbed.local/nodecheck:1',
              imagePullPolicy: 'Never',
              args: [`:${ARTICLE_PORT}`],
              env: [{ name: 'MY_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            },
          ],
        },
      },
    },
  },
]

const OUTAGE_MS = 120_000

let opened: AgentBed | undefined
const place = (): AgentBed => {
  assert.ok(opened)
  return opened
}
const real = requires('testbed', 'haproxy')

before(async () => {
  if (real.skip !== false) return
  opened = await AgentBed.open()
  await opened.serve('hostNetwork', 'hostNetwork')
  await opened.bed.apply(articleProgram())
  await opened.bed.kubectl(['rollout', 'status', 'daemonset/nodecheck', '--timeout=120s'])
})
after(async () => opened?.close())

test('two minutes without an API server change no answer and fail no request; a program that asks it loses every node', {
  ...real,
  timeout: 400_000,
}, async (t) => {
  const { bed, place: install } = place()
  const lb = await place().haproxy({ dialects: ['plain', 'article'], asOnPage: true })
  const checks = install.check()
  // What runs on a node that is rebooted now would be missed until the API server is back.
  await bed.kubectl(['drain', 'n3', '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=60s'], {
    limitMs: 70_000,
  })
  await bed.kubectl(['rollout', 'status', 'deployment/whoami', '--timeout=60s'])
  await checks.say({ n1: '200 OK', n2: '200 OK', n3: '503 Down' })
  const up = async (back: string): Promise<readonly string[]> =>
    (await askSocket(lb.socket, 'show stat -1 4 -1'))
      .split('\n')
      .filter((row) => row.startsWith(`${back},n`) && /,UP,/.test(row))
      .map((row) => row.split(',')[1] ?? '')
  await waitFor({ what: 'n3 to have left', limitMs: 30_000 }, async () =>
    (await up('back-0')).join() === 'n1,n2' ? true : undefined,
  )
  await bed.kubectl(['annotate', 'node', 'n3', `${MAINTENANCE_ANNOTATION}=${REQUEST}`])
  const health = async (): Promise<string> => install.page('n3', 8081, '/healthz').catch(String)
  const healthSays = (text: string): Promise<true> => {
    const seen: { last?: string } = {}
    const wait = { what: `n3 to tell ${text}`, limitMs: 60_000, explain: () => `${seen.last}` }
    return waitFor(wait, async () => {
      seen.last = await health()
      return seen.last.includes(text) ? true : undefined
    })
  }
  await healthSays('"acknowledged":["a-1"]')
  await layAccount(bed)
  const judge = place().judge(0, 50)
  const from = checks.count
  const away = Date.now()
  await bed.api.stop()
  await waitFor({ what: 'the article’s program to lose every node', limitMs: 30_000 }, async () =>
    (await up('back-1')).length === 0 ? true : undefined,
  )
  t.diagnostic(`the program that asks had lost every node after ${Date.now() - away} ms`)

  const before = await agentProcess(install, 'n1')
  await bed.exec('n1', ['kill', '-9', String(before.pid)])
  const again = await waitFor({ what: 'another agent on n1', limitMs: 60_000 }, async () => {
    const now = await agentProcess(install, 'n1').catch(() => undefined)
    return now === undefined || now.pid === before.pid ? undefined : now
  })
  assert.notEqual(again.pid, before.pid)
  await checks.say({ n1: '200 OK', n2: '200 OK' })
  await bed.reboot('n3')
  // No kubelet starts a pod of a DaemonSet without the API server; an agent that is started all the same knows what it needs.
  layStaticPod(bed)
  await healthSays('"code":"MaintenanceKept"')
  await checks.say({ n3: '503 Down' })
  const left = OUTAGE_MS - (Date.now() - away)
  await waitFor({ what: 'two minutes to be over', limitMs: left + 10_000, everyMs: 500 }, () =>
    Date.now() - away >= OUTAGE_MS ? true : undefined,
  )
  assert.deepEqual(await up('back-0'), ['n1', 'n2'])
  assert.deepEqual(await up('back-1'), [])
  await bed.api.start()
  const { failedRequests, sentRequests, windows } = await judge.verdict()
  t.diagnostic(`${failedRequests} of ${sentRequests} requests failed`)
  assert.equal(failedRequests, 0, JSON.stringify(windows.slice(0, 3)))
  assert.ok(sentRequests > 3_750)
  assert.deepEqual(runsOfOthers(checks.of('n2', from), '200 OK'), [])
  // Between the end of the killed agent and the next one no process listens on n1: no answer is no other answer.
  const others = runsOfOthers(checks.of('n1', from), '200 OK').flat()
  assert.deepEqual(
    others.filter(({ outcome }) => !/^ECONN(REFUSED|RESET)$/.test(outcome)),
    [],
  )
  const ofN3 = checks.of('n3', from)
  assert.equal(
    ofN3.some(({ outcome }) => outcome === '200 OK'),
    false,
  )
  await waitFor({ what: 'n3 to be Ready again', limitMs: 120_000 }, async () => {
    const conditions = JSON.parse(await bed.kubectl(['get', 'node', 'n3', '-o', 'json'])).status.conditions
    return conditions.some(({ type, status }: Condition) => type === 'Ready' && status === 'True') ? true : undefined
  })
  await waitFor({ what: 'the agent of n3’s own pod', limitMs: 120_000 }, async () =>
    (await install.pods()).some((pod) => pod.spec.nodeName === 'n3' && isReady(pod)) ? true : undefined,
  )
  rmSync(staticPodPath(bed))
  await checks.say({ n3: '503 Down' }, 120_000)
  await bed.kubectl(['uncordon', 'n3'])
  await healthSays('"reasons":[{"code":"Maintenance",')
  await checks.say({ n3: '503 Down' })
  await bed.kubectl(['annotate', 'node', 'n3', `${MAINTENANCE_ANNOTATION}-`])
  await checks.say({ n1: '200 OK', n2: '200 OK', n3: '200 OK' }, 120_000).catch(async (error) => {
    throw new Error(`${error}\nn3: ${await health()}`)
  })
})

/** The account of the agents, as the kubelet lays it before a pod; n3 has it on its disk. */
async function layAccount(bed: Bed): Promise<void> {
  const folder = join(nodeDisk(bed.dir, 'n3'), 'account')
  mkdirSync(folder)
  const token = await bed.kubectl(['-n', NAMESPACE, 'create', 'token', 'evenkeel-agent'])
  const ca = await bed.kubectl([
    '-n',
    NAMESPACE,
    'get',
    'configmap',
    'kube-root-ca.crt',
    '-o',
    'jsonpath={.data.ca\\.crt}',
  ])
  for (const [name, text] of Object.entries({ token: token.trim(), 'ca.crt': ca, namespace: NAMESPACE }))
    writeFileSync(join(folder, name), text)
}

/** The agent of n3 as a static pod, which a kubelet starts whether there is an API server or not. */
function layStaticPod(bed: Bed): void {
  const places = Object.entries({
    memory: ['/run/evenkeel', '/run/evenkeel'],
    keep: ['/var/lib/evenkeel', '/var/lib/evenkeel'],
    account: ['/run/evenkeel/disk/account', '/var/run/secrets/kubernetes.io/serviceaccount'],
  } as const)
  const container = {
    name: 'agent',
    image: IMAGE,
    imagePullPolicy: 'Never',
    args: ['agent', '--node=n3', `--grants-namespace=${NAMESPACE}`],
    env: Object.entries({ HOST: '10.96.0.1', PORT: '443' }).map(([of, value]) => ({
      name: `KUBERNETES_SERVICE_${of}`,
      value,
    })),
    volumeMounts: places.map(([name, [, mountPath]]) => ({ name, mountPath })),
  }
  const spec = {
    hostNetwork: true,
    dnsPolicy: 'Default',
    securityContext: { runAsUser: 0, runAsGroup: 0 },
    containers: [container],
    volumes: places.map(([name, [path]]) => ({ name, hostPath: { path } })),
  }
  const metadata = { name: 'agent-by-hand', namespace: 'kube-system' }
  writeFileSync(staticPodPath(bed), JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }))
}

const staticPodPath = (bed: Bed): string => join(nodeDisk(bed.dir, 'n3'), 'etc/kubernetes/manifests/agent.json')

const REQUEST = formatClaims([{ owner: 'roll/run-1', id: 'a-1', at: '2026-01-01T00:00:00.000Z' }])

interface Condition {
  readonly type: string
  readonly status: string
}
