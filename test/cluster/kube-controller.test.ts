import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { type Bed, openBed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { field } from '../contract/api/field.ts'
import { controllerContract } from '../contract/controller-contract.ts'
import { httpClientDoor } from '../contract/doors/http-client-door.ts'
import { administrator } from '../support/administrator.ts'
import { leaderOf } from '../support/controller/controller-place.ts'
import { ControllerProcess } from '../support/controller/controller-process.ts'
import { requires } from '../support/requires.ts'
import { refusedRequests } from '../support/roll-bed/audit.ts'

const ACCOUNT = 'system:serviceaccount:evenkeel:evenkeel-controller'
const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']
const GRANTS = '/api/v1/namespaces/evenkeel/configmaps/evenkeel-cordon-grants'
const MERGE = 'application/merge-patch+json'

/** The roles that the page shows, bound to the account of a controller. */
function rights(): readonly object[] {
  const page = readFileSync(new URL('../../docs/controller.md', import.meta.url), 'utf8')
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
  const roles = parseAllDocuments(yaml).map((document) => document.toJS() as { kind: string; metadata: object })
  assert.equal(roles.length, 3)
  const subjects = [{ kind: 'ServiceAccount', name: 'evenkeel-controller', namespace: 'evenkeel' }]
  const bindings = roles.map(({ kind, metadata }) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'evenkeel-controller' },
    subjects,
  }))
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'evenkeel' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'evenkeel-controller', namespace: 'evenkeel' } },
    ...roles,
    ...bindings,
  ]
}

describe('a controller of a real API server', requires('testbed'), () => {
  const stop = new AbortController()
  const controllers: ControllerProcess[] = []
  let bed: Bed
  let client: ReturnType<typeof httpClientDoor>

  const ask: typeof client.door.ask = (...words) => client.door.ask(...words)
  const grantedIn = (body: unknown): readonly string[] =>
    (JSON.parse(String(field(body, 'data.grants'))) as { granted: readonly string[] }).granted

  /** Without a kubelet no process says that the Node is Ready; for a while the node monitor believes it. */
  async function readyNode(name: string): Promise<void> {
    await ask('POST', '/api/v1/nodes', { body: { metadata: { name, labels: { fleet: 'yes' } } } })
    const at = new Date().toISOString().replace(/\.\d+/, '')
    const condition = { type: 'Ready', status: 'True', lastHeartbeatTime: at, lastTransitionTime: at }
    const body = { status: { conditions: [{ ...condition, reason: 'Test', message: '' }] } }
    assert.equal((await ask('PATCH', `/api/v1/nodes/${name}/status`, { body, contentType: MERGE })).status, 200)
  }

  before(async () => {
    bed = await openBed({ controlPlaneOnly: true, monitorGraceSeconds: 600 })
    const { server, tls } = administrator(bed.kubeconfig)
    client = httpClientDoor(server, tls)
    await bed.apply(rights())
    for (const name of NAMES) await readyNode(name)
  })
  after(async () => {
    stop.abort(new Error('the tests are over'))
    await Promise.all(controllers.map((controller) => controller.end('SIGKILL')))
    client?.close()
    await bed?.close()
  })

  test('by the rights of its page it grants a burst as far as may be, though the leader is killed in the middle', async () => {
    const { outside } = await bed.serviceAccountKubeconfig('evenkeel', 'evenkeel-controller')
    const words = ['--kubeconfig', outside, '--namespace', 'evenkeel', '--status-port', '0', '--lease-duration', '6s']
    for (let n = 0; n < 2; n += 1) {
      controllers.push(await ControllerProcess.start([...words, '--selector', 'fleet=yes']))
    }
    const leader = await leaderOf(controllers)
    const until = (what: string, holds: () => Promise<boolean>) =>
      waitFor({ what, limitMs: 60_000, everyMs: 20 }, async () => (await holds()) || undefined)
    await until('the grants', async () => (await ask('GET', GRANTS)).status === 200)
    const selected = 'watch=true&fieldSelector=metadata.name%3Devenkeel-cordon-grants'
    const seen = await client.door.watch(`/api/v1/namespaces/evenkeel/configmaps?${selected}`)
    const cordon = (names: readonly string[]) =>
      Promise.all(
        names.map((name) =>
          ask('PATCH', `/api/v1/nodes/${name}`, { body: { spec: { unschedulable: true } }, contentType: MERGE }),
        ),
      )
    await cordon(NAMES.slice(0, 3))
    await until('a grant', async () => grantedIn((await ask('GET', GRANTS)).body).length > 0)
    await Promise.all([leader.end('SIGKILL'), cordon(NAMES.slice(3))])
    const heir = controllers.find((controller) => controller !== leader)
    assert.ok(heir)
    await leaderOf([heir])
    await until('as many grants as may be', async () => grantedIn((await ask('GET', GRANTS)).body).length === 3)
    const asked = encodeURIComponent('involvedObject.kind=Node,reason=CordonNotGranted')
    const events = async () => field((await ask('GET', `/api/v1/events?fieldSelector=${asked}`)).body, 'items')
    const waiting = NAMES.filter((name) => !grantedIn(seen.events.at(-1)?.object).includes(name))
    await until('events', async () => {
      const named = ((await events()) as readonly unknown[]).map((event) => field(event, 'involvedObject.name'))
      return waiting.every((name) => named.includes(name))
    })
    const messages = new Set(((await events()) as readonly unknown[]).map((event) => field(event, 'message')))
    assert.deepEqual([...messages], ['the limit of nodes out by cordon is reached: 3 of 6'])
    assert.ok(seen.events.length >= 2)
    assert.deepEqual(
      seen.events.filter(({ object }) => grantedIn(object).length > 3),
      [],
    )
    seen.close()
    assert.equal(await heir.end('SIGTERM'), 0)
    const lines = readFileSync(bed.auditLog, 'utf8').split('\n')
    assert.deepEqual(
      refusedRequests(
        lines.filter((line) => line !== ''),
        ACCOUNT,
      ),
      [],
    )
  })

  controllerContract(async () => ({ kubeconfig: bed.kubeconfig, door: client.door, signal: stop.signal }))
})
