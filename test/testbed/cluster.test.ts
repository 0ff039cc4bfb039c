import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { type Bed, openBed } from '../../testbed/bed.ts'
import { runToEnd } from '../../testbed/machine/run.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { requires } from '../support/requires.ts'

/** A Deployment of the bed's app behind a NodePort, made ready for a test. */
interface AppOptions {
  readonly name: string
  readonly replicas: number
  readonly nodePort: number
  readonly env?: Readonly<Record<string, string>>
}

function appManifest({ name, replicas, nodePort, env = {} }: AppOptions): object[] {
  const labels = { app: name }
  const fromField = (field: string): object => ({ valueFrom: { fieldRef: { fieldPath: field } } })
  const container = {
    name: 'app',
    image: 'testbed.local/app:1',
    imagePullPolicy: 'Never',
    env: [
      { name: 'NODE_NAME', ...fromField('spec.nodeName') },
      { name: 'POD_NAME', ...fromField('metadata.name') },
      ...Object.entries(env).map(([key, value]) => ({ name: key, value })),
    ],
    ports: [{ containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
  }
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
  }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { topologySpreadConstraints: [spread], containers: [container] } },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { type: 'NodePort', selector: labels, ports: [{ port: 80, targetPort: 8080, nodePort }] },
    },
  ]
}

interface AuditLine {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly resource: string; readonly name?: string }
  readonly responseStatus?: { readonly code: number }
  readonly requestReceivedTimestamp: string
}

describe('a bed of three nodes', requires('testbed'), () => {
  let bed: Bed
  before(async () => {
    bed = await openBed({ nodes: 3, fast: true, darkMs: 300 })
  })
  after(() => bed?.close())

  const apiBootId = (node: string): Promise<string> =>
    bed.kubectl(['get', 'node', node, '-o', 'jsonpath={.status.nodeInfo.bootID}'])
  const ssh = (node: string, ...command: string[]) => {
    const argv = bed.enter(['ssh', '-F', bed.sshConfig, '-o', 'ConnectTimeout=2', node, ...command])
    return runToEnd(argv, { limitMs: 20_000 })
  }
  const sshAnswers = (node: string): Promise<true> =>
    waitFor({ what: `ssh to ${node}`, limitMs: 15_000 }, async () =>
      (await ssh(node, 'true')).code === 0 ? true : undefined,
    )
  const bootAfter = (node: string, earlier: string): Promise<string> =>
    waitFor({ what: `another boot of ${node}`, limitMs: 30_000 }, async () => {
      const now = await bed.bootId(node)
      return now === earlier ? undefined : now
    })

  test('is Ready, at the version it was built from, with DNS available', async () => {
    const nodes = await bed.kubectl(['get', 'nodes', '--no-headers'])
    assert.match(nodes, /^n1 +Ready +<none> +\S+ +v1\.35\.4\nn2 +Ready .*\nn3 +Ready .*\n$/)
    const path = 'jsonpath={.status.availableReplicas}'
    assert.equal(await bed.kubectl(['get', 'deployment', 'coredns', '-n', 'kube-system', '-o', path]), '2')
  })

  test('serves an app behind a NodePort, which says who answered, and resolves its name in a pod', async () => {
    await bed.apply(appManifest({ name: 'web', replicas: 2, nodePort: 30080 }))
    await bed.kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s'], { limitMs: 70_000 })
    const { port } = await bed.relay(bed.nodeAddress('n3'), 30080)
    const answer = await waitFor({ what: 'the NodePort to answer', limitMs: 15_000 }, async () => {
      const tried = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
      return tried?.status === 200 ? tried : undefined
    })
    assert.match(answer.headers.get('x-served-by') ?? '', /^web-[\w-]+\/n[123]$/)
    const words = ['exec', 'deployment/web', '--', '/app', 'get', 'http://web.default.svc.cluster.local/']
    // Each node's kube-proxy hears of the endpoints in its own time.
    const wait = { what: 'the name to answer in a pod', limitMs: 15_000 }
    const got = await waitFor(wait, () => bed.kubectl(words).catch(() => undefined))
    assert.match(got, /^200 web-[\w-]+\/n[123]\n$/)
  })

  test('shows another boot id after a soft reboot, and the node is Ready in it', async () => {
    const earlier = await bed.bootId('n1')
    assert.equal(await apiBootId('n1'), earlier)
    await bed.reboot('n1')
    await bed.waitReady()
    const now = await bed.bootId('n1')
    assert.notEqual(now, earlier)
    assert.equal(await apiBootId('n1'), now)
    assert.equal((await ssh('n1', 'cat', '/proc/sys/kernel/random/boot_id')).stdout.trim(), now)
  })

  test('shows another boot id after a power cycle', async () => {
    const earlier = await bed.bootId('n2')
    await bed.reboot('n2', { hard: true })
    await bed.waitReady()
    assert.notEqual(await apiBootId('n2'), earlier)
  })

  for (const command of ['reboot', 'reboot -f', 'systemctl reboot', 'shutdown -r now']) {
    test(`reboots the node and nothing else on "${command}" over ssh`, async () => {
      const [machine, earlier, other] = [bootIdOfMachine(), await bed.bootId('n3'), await bed.bootId('n1')]
      await sshAnswers('n3')
      await ssh('n3', command)
      await bootAfter('n3', earlier)
      assert.equal(await bed.bootId('n1'), other)
      assert.equal(bootIdOfMachine(), machine)
    })
  }

  test('keeps a node dark that was switched off, until it is switched on', async () => {
    const earlier = await bed.bootId('n3')
    await bed.powerOff('n3')
    await assert.rejects(bed.exec('n3', ['true']), /n3 is dark/)
    const refused = await ssh('n3', 'true')
    assert.match(refused.stderr, /timed out|No route to host/)
    await bed.powerOn('n3')
    await bed.waitReady()
    assert.notEqual(await apiBootId('n3'), earlier)
  })

  test('is reached at one hardware address by all others, whichever node goes dark', async () => {
    const hub = async (): Promise<string> => (await runToEnd(bed.enter(['ip', '-brief', 'link', 'show', 'hub']))).stdout
    const before = await hub()
    assert.match(before, /^hub +UP +([0-9a-f]{2}:){5}[0-9a-f]{2} /)
    for (const node of bed.nodes) {
      const boot = await bed.bootId(node)
      await bed.powerOff(node)
      assert.equal(await hub(), before, `${node} is dark`)
      await bed.powerOn(node)
      await bootAfter(node, boot)
    }
    await bed.waitReady()
  })

  test('has a node that stays off after "poweroff", and can be switched on again', async () => {
    const earlier = await bed.bootId('n3')
    await sshAnswers('n3')
    await ssh('n3', 'poweroff')
    await waitFor({ what: 'n3 to be dark', limitMs: 15_000 }, () =>
      bed.exec('n3', ['true']).then(
        () => undefined,
        () => true,
      ),
    )
    assert.equal(await bed.bootId('n3'), earlier)
    await bed.powerOn('n3')
    await bed.waitReady()
  })

  test('silences a node whose cable is pulled, which runs on meanwhile', async () => {
    const earlier = await bed.bootId('n2')
    await bed.unplug('n2')
    assert.notEqual((await ssh('n2', 'true')).code, 0)
    assert.equal((await bed.exec('n2', ['cat', '/proc/sys/kernel/random/boot_id'])).stdout.trim(), earlier)
    await bed.plug('n2')
    await sshAnswers('n2')
  })

  test('lets a user in as whom its certificate names, and writes down what was refused', async () => {
    const { outside } = await bed.userKubeconfig('alice', { group: 'readers' })
    await assert.rejects(
      bed.kubectl(['--kubeconfig', outside, 'get', 'nodes']),
      /User "alice" cannot list resource "nodes"/,
    )
    const line = auditLines(bed).find(
      ({ user, objectRef }) => user.username === 'alice' && objectRef?.resource === 'nodes',
    )
    assert.equal(line?.verb, 'list')
    assert.equal(line?.responseStatus?.code, 403)
    assert.match(line?.requestReceivedTimestamp ?? '', /^\d{4}-\d\d-\d\dT/)
    const expired = await bed.userKubeconfig('late', { notAfter: new Date(Date.now() - 60_000) })
    await assert.rejects(
      bed.kubectl(['--kubeconfig', expired.outside, 'get', 'nodes']),
      /logged in|Unauthorized|expired/,
    )
  })

  test('lets a ServiceAccount in by its token, within the network too', async () => {
    const { inside } = await bed.serviceAccountKubeconfig('default', 'default')
    const server = JSON.parse(readFileSync(inside, 'utf8')).clusters[0].cluster.server
    assert.equal(server, 'https://10.77.0.1:6443')
    await bed.kubectl(['create', 'clusterrolebinding', 'see', '--clusterrole=view', '--serviceaccount=default:default'])
    const { outside } = await bed.serviceAccountKubeconfig('default', 'default')
    assert.match(
      await bed.kubectl(['--kubeconfig', outside, 'get', 'deployments', '-o', 'name']),
      /deployment.apps\/web/,
    )
  })

  test('keeps its objects when the API server stops and starts', async () => {
    await bed.api.stop()
    await assert.rejects(bed.kubectl(['get', '--raw', '/readyz']))
    await bed.api.start()
    assert.match(await bed.kubectl(['get', 'deployments', '-o', 'name']), /deployment.apps\/web/)
  })
})

function bootIdOfMachine(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
}

function auditLines(bed: Bed): AuditLine[] {
  const lines = readFileSync(bed.auditLog, 'utf8').trim().split('\n')
  return lines.map((line): AuditLine => JSON.parse(line))
}
