import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import { INGRESS_GROUPS } from '../../src/ground/model/ingress-keys.ts'
import { wallMs } from '../../src/ground/model/time.ts'
import { certificates } from '../../src/ingress/io/certificates.ts'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { field } from '../contract/api/field.ts'
import { shipped } from '../support/agent-chart.ts'
import { ControllerProcess } from '../support/controller/controller-process.ts'
import { ephemeralPort } from '../support/ephemeral-port.ts'
import { originalExample } from '../support/ingress/ingress-examples.ts'
import { ingress, rolling } from '../support/ingress/ingress-row.ts'
import type { RawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { KubeGround } from './kube-ground.ts'

type Json = Readonly<Record<string, unknown>>

const OBJECTS = '/apis/evenkeel.dev/v1alpha1/namespaces/default/ingressdaemonsets'
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/evenkeel-ingress'
const SECRET = '/api/v1/namespaces/evenkeel/secrets/evenkeel-webhook-certificate'
const DAY_MS = 86_400_000
const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64')

describe('the webhook of a controller, asked by a real API server', requires('testbed'), () => {
  const ground = new KubeGround()
  let bed: Bed
  let raw: RawApi
  let controller: ControllerProcess | undefined
  let port = 0

  /** A controller that ended, or that cannot read the cluster, says so in its last lines. */
  const until = (what: string, holds: () => Promise<boolean>): Promise<true> => {
    const explain = () => controller?.said.slice(-20).join('\n') ?? ''
    return waitFor({ what, limitMs: 60_000, everyMs: 100, explain }, async () => (await holds()) || undefined)
  }

  const webhooks = (): Json => ({
    name: 'ingress.evenkeel.dev',
    clientConfig: { url: `https://127.0.0.1:${port}/review` },
    rules: [
      {
        apiGroups: INGRESS_GROUPS,
        apiVersions: ['v1alpha1'],
        resources: ['ingressdaemonsets'],
        operations: ['CREATE', 'UPDATE'],
      },
    ],
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  })

  /**
   * On the machine of the API server, which calls it by an address of its own. The duration of its Lease is the default: a busy machine
   * can keep a leader from renewing a shorter one, and then the leader ends, as it must.
   */
  async function begin(): Promise<ControllerProcess> {
    const words = ['--kubeconfig', bed.insideKubeconfig, '--namespace', 'evenkeel', '--status-port', '0']
    const of = ['--ingress', '--ingress-groups', INGRESS_GROUPS.join(','), '--webhook-port', String(port)]
    return ControllerProcess.start([...words, ...of], (argv) => bed.enter(argv))
  }

  /** Asked for a change that is not stored. */
  const kubectl = (object: object, ...words: readonly string[]): Promise<string> =>
    bed.kubectl(['apply', '-f', '-', ...words], { stdin: JSON.stringify(object) })

  const isRefused = async (object: object): Promise<boolean> =>
    (await raw('POST', `${OBJECTS}?dryRun=All`, object)).status === 422

  const condition = async (name: string): Promise<string> => {
    const all = (field((await raw('GET', `${OBJECTS}/${name}`)).body, 'status.conditions') ?? []) as readonly Json[]
    const found = all.find(({ type }) => type === 'Stalled')
    return `${found?.status} ${found?.reason}`
  }

  const CONFLICT = ingress({ healthCheckNodePorts: [10_080] }, 'second')

  before(async () => {
    ;({ bed, raw } = await ground.open())
    port = await ephemeralPort()
    for (const group of INGRESS_GROUPS) {
      await bed.apply(shipped(`crd/ingressdaemonsets.${group}.yaml`))
      await bed.kubectl(['wait', '--for=condition=Established', `crd/ingressdaemonsets.${group}`, '--timeout=30s'])
    }
    await bed.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'evenkeel' } },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'evenkeel-ingress' },
        webhooks: [webhooks()],
      },
    ])
    controller = await begin()
    assert.equal((await raw('POST', OBJECTS, ingress({ healthCheckNodePorts: [10_080] }, 'first'))).status, 201)
    await until('the webhook to be asked', () => isRefused(CONFLICT))
  })
  after(async () => {
    await controller?.end('SIGKILL')
    await ground.close()
  })

  test('two objects with one health port: the second is refused, by the field and with what to write', async () => {
    await assert.rejects(
      kubectl(CONFLICT),
      /denied the request: spec\.healthCheckNodePorts\[0\]: IngressDaemonSet default\/first answers health checks at port 10080 of the same nodes: choose another port/,
    )
    await kubectl(ingress({ healthCheckNodePorts: [10_081] }, 'second'), '--dry-run=server')
  })

  test('one of the same name in the other group is refused', async () => {
    const other = { ...ingress({}, 'first'), apiVersion: 'ingressdaemonsets.mumoshu.github.io/v1alpha1' }
    await assert.rejects(kubectl(other), /metadata\.name: evenkeel\.dev has an IngressDaemonSet default\/first as well/)
  })

  test('the port of a Service is refused', async () => {
    await bed.apply([
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'lb', namespace: 'default' },
        spec: { type: 'NodePort', selector: { app: 'lb' }, ports: [{ port: 80, nodePort: 30_555 }] },
      },
    ])
    // Of the same second as the Service it would be older.
    await until('the Service to be known', () => isRefused(ingress({ healthCheckNodePorts: [30_555] }, 'third')))
  })

  test('the example of the original is refused with both of its contradictions', async () => {
    await assert.rejects(
      kubectl({ ...originalExample(), apiVersion: 'evenkeel.dev/v1alpha1' }),
      /maxUnavailableNodes and maxDegradedNodes are both set[\s\S]*keep maxUnavailableNodes and remove maxDegradedNodes/,
    )
  })

  test('misspelt names are taken with a warning that kubectl shows', async () => {
    for (const name of ['maxUnavaiablePodsPerNode', 'maxUnavailablePodsPerNodes']) {
      const object = rolling({ maxDegradedNodes: 1, [name]: 1 })
      const created = await kubectl(object, '--dry-run=server')
      assert.match(created, /created/)
      await assert.rejects(
        bed.kubectl(['apply', '--dry-run=server', '--warnings-as-errors', '-f', '-'], {
          stdin: JSON.stringify(object),
        }),
        new RegExp(`Warning: spec\\.updateStrategy\\.rollingUpdate\\.${name}: ${name} is a misspelt name`),
      )
    }
  })

  test('an update is asked for, one of metadata alone is not refused, and what is refused can be deleted', async () => {
    assert.equal((await raw('POST', OBJECTS, ingress({ healthCheckNodePorts: [10_082] }, 'third'))).status, 201)
    const at = `${OBJECTS}/third`
    const refused = await raw('PATCH', at, { spec: { healthCheckNodePorts: [10_080] } })
    assert.equal(refused.status, 422, JSON.stringify(refused.body))
    assert.equal((await raw('PATCH', at, { metadata: { labels: { a: 'b' } } })).status, 200)
    assert.equal((await raw('DELETE', at)).status, 200)
    await until('it to be gone', async () => (await raw('GET', at)).status === 404)
  })

  test('while the webhook is away objects are stored, and the controller refuses them itself', async () => {
    assert.equal(await controller?.end('SIGTERM'), 0)
    assert.equal((await raw('POST', OBJECTS, CONFLICT)).status, 201)
    controller = await begin()
    await until('it to be refused', async () => (await condition('second')) === 'True IngressRefused')
    assert.notEqual(await condition('first'), 'True IngressRefused')
    assert.equal((await raw('DELETE', `${OBJECTS}/second`)).status, 200)
    await until('the webhook to be asked again', () => isRefused(CONFLICT))
  })

  test('with an expired certificate the same, until the controller has made another one', async () => {
    assert.equal(await controller?.end('SIGTERM'), 0)
    const now = Date.now()
    const old = certificates(systemRandom).make({
      names: ['127.0.0.1'],
      from: wallMs(now - 91 * DAY_MS),
      until: wallMs(now - DAY_MS),
    })
    const data = {
      'tls.crt': encoded(old.certificate),
      'tls.key': encoded(old.key),
      'ca.crt': encoded(old.authority),
    }
    assert.equal((await raw('PATCH', SECRET, { data })).status, 200)
    const client = { ...webhooks(), clientConfig: { ...(webhooks().clientConfig as Json), caBundle: data['ca.crt'] } }
    assert.equal((await raw('PATCH', CONFIGURATION, { webhooks: [client] })).status, 200)
    controller = await begin()
    await until('the webhook to be asked again', () => isRefused(CONFLICT))
    const events = (await raw('GET', '/api/v1/namespaces/evenkeel/events')).body
    const told = (field(events, 'items') as readonly Json[]).map(({ reason, message }) => `${reason}: ${message}`)
    assert.deepEqual(told, [
      'WebhookCertificateReplaced: the certificate of the webhook has expired, and a new one is made',
    ])
  })
})
