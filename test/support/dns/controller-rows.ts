import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { RbacManifest } from '../granted-rights.ts'
import { atNight } from '../roll-bed/at-night.ts'
import { DNS_RBAC, type DnsBed, IMAGE, REPAIR_RBAC, toPod, WELL } from './dns-bed.ts'

const NAMESPACE = 'evenkeel'
const ACCOUNT = 'evenkeel-controller'
/** Two checks, each of two rounds, and a pod that starts. */
const SAID_WITHIN_MS = 90_000
const REPAIRED_WITHIN_MS = 240_000

/** What a page shows as YAML, in order. */
const shownIn = (page: string): readonly object[] =>
  [...readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8').matchAll(/```yaml\n(.*?)```/gs)].flatMap(
    ([, yaml = '']) => parseAllDocuments(yaml).map((document) => document.toJS() as object),
  )

const readRbac = (text: string): readonly RbacManifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as RbacManifest)

/** Each role bound to the account of the controller, where it is. */
const bound = (manifests: readonly RbacManifest[]): readonly object[] =>
  manifests
    .filter(({ rules }) => rules !== undefined)
    .map(({ kind, metadata: { name, namespace } }) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: `${kind}Binding`,
      metadata: { name: `${name}-of-controller`, ...(namespace === undefined ? {} : { namespace }) },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: NAMESPACE }],
    }))

const SECURE = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } }
const LABELS = { app: ACCOUNT }

const controllerPod = (...flags: readonly string[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: ACCOUNT, namespace: NAMESPACE, labels: LABELS },
  spec: {
    nodeName: 'n1',
    serviceAccountName: ACCOUNT,
    restartPolicy: 'Never',
    securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'controller',
        image: IMAGE,
        args: ['controller', `--namespace=${NAMESPACE}`, '--dns', '--dns-interval=5s', ...flags],
        env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
        securityContext: SECURE,
      },
    ],
  },
})

/** `evenkeel dns check` and the loop of the controller in pods, from the image and by the rights that the pages show. */
export function controllerRows(place: () => DnsBed): void {
  const kubectl = (...words: readonly string[]): Promise<string> => place().bed.kubectl(words)

  const condition = async (): Promise<string> => {
    const json = await kubectl('get', 'service', 'kube-dns', '-n', 'kube-system', '-o', 'json')
    const { conditions = [] } = JSON.parse(json).status as {
      readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
    }
    const found = conditions.find(({ type }) => type === 'evenkeel.dev/DNSHealthy')
    return `${found?.status} ${found?.reason}`
  }
  const log = (): Promise<string> => kubectl('logs', '-n', NAMESPACE, ACCOUNT).catch(String)
  const becomes = async (wanted: string, limitMs = SAID_WITHIN_MS): Promise<void> => {
    let last = ''
    const said = { what: `the condition ${wanted}`, limitMs, everyMs: 500, explain: () => last }
    await waitFor(said, async () => {
      last = await condition()
      if (last === wanted) return true
      last = `${last}\n${await log()}`
      return undefined
    })
  }

  /** In one pod, until `during` is over. */
  const controlled = async (flags: readonly string[], during: () => Promise<void>): Promise<void> => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace: NAMESPACE } }
    const ofPage = shownIn('controller.md') as readonly RbacManifest[]
    const bindings = bound([...readRbac(DNS_RBAC), ...readRbac(REPAIR_RBAC), ...ofPage])
    await place().bed.apply([account, ...ofPage, ...bindings, controllerPod(...flags)])
    try {
      await during()
      const user = `system:serviceaccount:${NAMESPACE}:${ACCOUNT}`
      const refused = readFileSync(place().bed.auditLog, 'utf8')
        .split('\n')
        .filter((line) => line.includes(user) && /"code":403/.test(line))
      assert.deepEqual(refused, [])
    } finally {
      await kubectl('delete', 'pod', '-n', NAMESPACE, ACCOUNT, '--wait=true')
    }
  }

  const events = async (name: string): Promise<readonly string[]> => {
    const json = await kubectl('get', 'events', '-n', 'kube-system', '-o', 'json')
    const items = JSON.parse(json).items as readonly {
      readonly involvedObject: { readonly name: string }
      readonly reportingComponent?: string
      readonly type: string
      readonly reason: string
    }[]
    return items
      .filter((one) => one.involvedObject.name === name && one.reportingComponent === 'evenkeel-controller')
      .map(({ type, reason }) => `${type} ${reason}`)
  }

  describe('in a pod of the image', () => {
    test('a check is ok, from the pod’s own network and by its service account, as the page has it', async () => {
      const [shown] = shownIn('dns.md').filter((one) => 'kind' in one && one.kind === 'Job')
      assert.ok(shown)
      const job = JSON.stringify(shown).replace(/"image":"[^"]*"/, `"image":"${IMAGE}"`)
      await place().bed.apply([JSON.parse(job)])
      const ofJob = ['-n', NAMESPACE, 'job/dns-check'] as const
      await waitFor({ what: 'the Job to end', limitMs: SAID_WITHIN_MS, everyMs: 250 }, async () => {
        const { succeeded = 0, failed = 0 } = JSON.parse(await kubectl('get', ...ofJob, '-o', 'json')).status
        return succeeded + failed > 0 || undefined
      })
      const document = await kubectl('logs', ...ofJob)
      const { verdict, scene } = JSON.parse(document)
      assert.equal(verdict, 'ok', document)
      const [here, ...more] = scene.vantages
      assert.deepEqual([here.name, here.control, more], ['here', 'answers', []])
      assert.match(here.node, /^n[12]$/)
      await kubectl('delete', ...ofJob, '--wait=true')
    })

    atNight(
      'the controller says by a condition that DNS is healthy, that a pod is dead over UDP, and that it is well again',
      {},
      async () => {
        await place().says(WELL)
        await controlled([], async () => {
          await becomes('True Healthy')
          const { address } = await place().podOn('n2')
          await place().filtered('n2', [toPod(address, 'udp', 53)], async () => {
            await becomes('False UdpDead')
            const condition = '--for=condition=evenkeel.dev/DNSHealthy=False'
            await kubectl('wait', 'svc/kube-dns', '-n', 'kube-system', condition, '--timeout=5s')
          })
          await becomes('True Healthy')
          assert.ok((await events('kube-dns')).includes('Warning UdpDead'))
        })
      },
    )

    atNight('the controller replaces the pod that is dead over UDP by itself, where it may', {}, async () => {
      await place().forgetRepairs()
      await place().says(WELL)
      await controlled([`--dns-image=${IMAGE}`, '--dns-repair'], async () => {
        await becomes('True Healthy')
        const { name, address } = await place().podOn('n2')
        await place().filtered('n2', [toPod(address, 'udp', 53)], async () => {
          const what = 'the pod to be repaired'
          await waitFor({ what, limitMs: REPAIRED_WITHIN_MS, everyMs: 1_000, explain: () => what }, async () =>
            (await events(name)).includes('Normal UdpDead') ? true : undefined,
          )
          const labels = await kubectl('get', 'pod', '-n', 'kube-system', name, '-o', 'jsonpath={.metadata.labels}')
          assert.deepEqual(JSON.parse(labels), { 'evenkeel.dev/quarantine': 'dns' })
          assert.equal(await condition(), 'True Healthy')
        })
      })
      await place().forgetRepairs()
    })
  })
}
