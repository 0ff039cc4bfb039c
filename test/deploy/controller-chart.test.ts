import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { CONTROLLER_HELP, controllerOptions } from '../../bin/controller/controller-options.ts'
import { CONTROLLER_COMMAND } from '../../deploy/image/root-tree.ts'
import manifest from '../../package.json' with { type: 'json' }
import { agentOptions } from '../../src/agent/cli/agent-options.ts'
import { templateFaults } from '../../src/operator/decide/wanted-objects.ts'
import { GRANTS_CONFIG_MAP } from '../../src/service/model/cordon-grants.ts'
import { AGENT_RIGHTS, argsOf, readManifests, renderChart, shipped } from '../support/agent-chart.ts'
import { boundTo, grantedBy } from '../support/granted-rights.ts'
import { requires } from '../support/requires.ts'

const CONTROLLER_PAGE = new URL('../../docs/controller.md', import.meta.url)

describe('deploy/evenkeel.yaml', () => {
  const manifests = readManifests(shipped('evenkeel.yaml'))

  test('starts agents and a controller with options that they understand', () => {
    const [, ...ofAgent] = argsOf(manifests, 'DaemonSet')
    assert.equal(agentOptions(ofAgent, { NODE_NAME: 'n1' })?.statusPort, 8081)
    const [command, ...words] = argsOf(manifests, 'Deployment')
    assert.equal(command, 'controller')
    assert.deepEqual(controllerOptions(words, { podNamespace: undefined })?.ingress, {
      groups: ['evenkeel.dev'],
      slotsNamespace: 'evenkeel',
      agentPort: 8081,
    })
  })

  test('starts a controller with a compiler, and agents as the image begins', () => {
    const containers = (kind: string) => manifests.find((one) => one.kind === kind)?.spec?.template?.spec.containers
    assert.deepEqual(containers('Deployment')?.[0]?.command, CONTROLLER_COMMAND)
    assert.equal(containers('DaemonSet')?.[0]?.command, undefined)
  })

  test('holds no CustomResourceDefinition, whose objects would go with kubectl delete -f', () => {
    assert.deepEqual(
      manifests.filter(({ kind }) => kind === 'CustomResourceDefinition'),
      [],
    )
  })
})

describe('the controller of the chart', requires('helm'), () => {
  test('a controller is not there unless it is wanted, and may write what it publishes and no more', async () => {
    const without = readManifests((await renderChart()).stdout)
    const all = readManifests((await renderChart('controller.enabled=true')).stdout)
    const rights = grantedBy(
      all.filter(({ metadata }) => metadata.name.startsWith('evenkeel-agent-controller')),
    ).toSorted()
    assert.deepEqual(
      rights,
      [
        'list  nodes * *',
        'watch  nodes * *',
        'create  configmaps evenkeel *',
        `get  configmaps evenkeel ${GRANTS_CONFIG_MAP}`,
        `patch  configmaps evenkeel ${GRANTS_CONFIG_MAP}`,
        'create coordination.k8s.io leases evenkeel *',
        'get coordination.k8s.io leases evenkeel evenkeel-controller',
        'update coordination.k8s.io leases evenkeel evenkeel-controller',
        'create  events default *',
      ].toSorted(),
    )
    // And its page says just that.
    const [, page = ''] = /```yaml\n(.*?)```/s.exec(readFileSync(CONTROLLER_PAGE, 'utf8')) ?? []
    assert.deepEqual(grantedBy(readManifests(page)).toSorted(), rights)
    assert.deepEqual(argsOf(all, 'Deployment'), ['controller', '--namespace=evenkeel', '--status-port=8081'])
    assert.deepEqual(argsOf(without, 'Deployment'), [])
    assert.deepEqual(grantedBy(without).toSorted(), AGENT_RIGHTS.toSorted())
  })

  test('variables of the pods of Rolls go into their Job, beside those of the chart', async () => {
    const jobOf = async (...values: readonly string[]) => {
      const { stdout, stderr } = await renderChart('controller.enabled=true', 'rolls.enabled=true', ...values)
      const found = readManifests(stdout).find(({ metadata }) => metadata.name === 'evenkeel-agent-rolls')
      const { data } = (found ?? assert.fail(stderr)) as unknown as { readonly data: Readonly<Record<string, string>> }
      const [job] = readManifests(data['job.yaml'] ?? '')
      assert.deepEqual(templateFaults(job?.spec), [])
      const [container] = job?.spec?.template?.spec.containers ?? []
      return (container as { readonly env?: unknown } | undefined)?.env
    }
    assert.equal(await jobOf(), undefined)
    const own = { name: 'SLACK_WEBHOOK', value: 'x' }
    assert.deepEqual(await jobOf('rolls.env[0].name=SLACK_WEBHOOK', 'rolls.env[0].value=x'), [own])
    assert.deepEqual(await jobOf('apiServer.host=h', 'rolls.env[0].name=SLACK_WEBHOOK', 'rolls.env[0].value=x'), [
      { name: 'KUBERNETES_SERVICE_HOST', value: 'h' },
      own,
    ])
  })

  test('nobody may connect to a controller but at its pages', async () => {
    const all = readManifests((await renderChart('controller.enabled=true', 'controller.statusPort=9000')).stdout)
    const pods = all.find(({ kind }) => kind === 'Deployment')?.spec as { readonly selector: object } | undefined
    assert.deepEqual(
      all.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata, spec }) => [metadata.name, spec]),
      [
        [
          'evenkeel-agent-controller',
          { podSelector: pods?.selector, policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 9000 }] }] },
        ],
      ],
    )
  })

  test('of several replicas one may be evicted at a time; a single one has no budget that would keep its node', async () => {
    const budgets = async (...values: readonly string[]) =>
      readManifests((await renderChart(...values)).stdout).filter(({ kind }) => kind === 'PodDisruptionBudget')
    const all = readManifests((await renderChart('controller.enabled=true')).stdout)
    const pods = all.find(({ kind }) => kind === 'Deployment')?.spec as { readonly selector: object } | undefined
    assert.deepEqual(
      (await budgets('controller.enabled=true')).map(({ metadata, spec }) => [metadata.name, spec]),
      [
        [
          'evenkeel-agent-controller',
          { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: pods?.selector },
        ],
      ],
    )
    for (const values of [[], ['controller.enabled=true', 'controller.replicas=1']])
      assert.deepEqual(await budgets(...values), [], values.join())
  })

  test('a controller that rolls IngressDaemonSets out may write what belongs to them, and the claims on Nodes', async () => {
    const settings = ['controller.enabled=true', 'ingress.enabled=true'] as const
    const all = readManifests((await renderChart(...settings)).stdout)
    const rights = grantedBy(
      all.filter(({ metadata }) => metadata.name.startsWith('evenkeel-agent-controller-ingress')),
    ).toSorted()
    const verbs = (list: string, rest: string): readonly string[] => list.split(' ').map((verb) => `${verb} ${rest}`)
    assert.deepEqual(
      rights,
      [
        ...verbs('get list watch patch', 'evenkeel.dev ingressdaemonsets * *'),
        'patch evenkeel.dev ingressdaemonsets/status * *',
        'update evenkeel.dev ingressdaemonsets/finalizers * *',
        ...verbs('get list watch create patch delete', 'apps deployments * *'),
        ...verbs('get list watch create patch delete', 'apps daemonsets * *'),
        ...verbs('list watch create patch delete', 'apps controllerrevisions * *'),
        ...verbs('get list watch create patch delete', 'policy poddisruptionbudgets * *'),
        ...verbs('list watch', ' pods * *'),
        ...verbs('list watch', ' services * *'),
        ...verbs('get list watch patch', ' nodes * *'),
        ...verbs('create patch', ' events * *'),
        ...verbs('get create patch', 'coordination.k8s.io leases evenkeel *'),
        'get  configmaps evenkeel evenkeel-budget',
      ].toSorted(),
    )
    assert.ok(argsOf(all, 'Deployment').includes('--ingress'))
    const refused = await renderChart('ingress.enabled=true')
    assert.match(refused.stderr, /ingress.enabled requires controller.enabled/)
  })

  test('a controller that acts on NodeGuards may write what belongs to them, their status, and the claims on Nodes', async () => {
    const all = readManifests((await renderChart('controller.enabled=true', 'guard.enabled=true')).stdout)
    const rights = grantedBy(
      all.filter(({ metadata }) => metadata.name.startsWith('evenkeel-agent-controller-guard')),
    ).toSorted()
    const verbs = (list: string, rest: string): readonly string[] => list.split(' ').map((verb) => `${verb} ${rest}`)
    assert.deepEqual(
      rights,
      [
        ...verbs('get list watch', 'evenkeel.dev nodeguards * *'),
        'patch evenkeel.dev nodeguards/status * *',
        'update evenkeel.dev nodeguards/finalizers * *',
        ...verbs('get list watch create patch delete', 'apps deployments * *'),
        ...verbs('get list watch create patch delete', 'policy poddisruptionbudgets * *'),
        ...verbs('list watch', 'apps daemonsets * *'),
        ...verbs('list watch patch delete', ' pods * *'),
        'impersonate  serviceaccounts * evenkeel-holds',
        ...verbs('list watch', 'storage.k8s.io volumeattachments * *'),
        ...verbs('get list watch patch', ' nodes * *'),
        ...verbs('create patch', ' events * *'),
        ...verbs('get create patch', 'coordination.k8s.io leases evenkeel *'),
        'get  configmaps evenkeel evenkeel-budget',
      ].toSorted(),
    )
    assert.ok(argsOf(all, 'Deployment').includes('--guard'))
    assert.ok(!argsOf(all, 'DaemonSet').some((word) => word.includes('guard')))
  })

  test('a controller whose holds may name Services asks the DNS of the cluster, and any other one needs none', async () => {
    const policies = async (...values: readonly string[]) =>
      readManifests((await renderChart('controller.enabled=true', ...values)).stdout)
        .filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet')
        .map(({ kind, spec }) => `${kind} ${spec?.template?.spec.dnsPolicy}`)
        .toSorted()
    assert.deepEqual(await policies('guard.enabled=true'), ['DaemonSet Default', 'Deployment ClusterFirst'])
    assert.deepEqual(await policies('ingress.enabled=true'), ['DaemonSet Default', 'Deployment Default'])
  })

  test('both loops of the controller take their slots in the same namespace', async () => {
    const slots = ['controller.enabled=true', 'guard.enabled=true', 'ingress.slotsNamespace=slots'] as const
    const words = argsOf(readManifests((await renderChart(...slots)).stdout), 'Deployment').slice(1)
    assert.equal(controllerOptions(words, { podNamespace: undefined })?.guard?.slotsNamespace, 'slots')
    const both = readManifests((await renderChart(...slots, 'ingress.enabled=true')).stdout)
    const leases = grantedBy(both).filter((right) => /^patch coordination/.test(right))
    assert.deepEqual([...new Set(leases)], ['patch coordination.k8s.io leases slots *'])
    const options = controllerOptions(argsOf(both, 'Deployment').slice(1), { podNamespace: undefined })
    assert.deepEqual([options?.ingress?.slotsNamespace, options?.guard?.slotsNamespace], ['slots', 'slots'])
  })

  test('values of a release with a webhook are refused where it was on, with what to do, and are taken where it was off', async () => {
    const on = ['controller.enabled=true', 'ingress.enabled=true'] as const
    const old = ['ingress.webhook.port=9443', 'ingress.webhook.failurePolicy=Ignore'] as const
    const refused = await renderChart(...on, ...old, 'ingress.webhook.enabled=true')
    assert.match(refused.stderr, /ingress\.webhook is gone: .* Remove ingress\.webhook from the values/)
    const taken = await renderChart(...on, ...old, 'ingress.webhook.enabled=false')
    assert.doesNotMatch(taken.stdout + taken.stderr, /webhook/i)
    assert.equal((await renderChart(...on, ...old, 'ingress.webhook=null')).code, 0)
  })

  const DNS = ['controller.enabled=true', 'dns.enabled=true'] as const
  const dnsRights = async (...settings: readonly string[]) =>
    grantedBy(
      readManifests((await renderChart(...DNS, ...settings)).stdout).filter(({ metadata }) =>
        metadata.name.startsWith('evenkeel-agent-controller-dns'),
      ),
    )

  test('a controller that looks at DNS may read what a check reads, and show its health on the Service', async () => {
    const granted = grantedBy(readManifests(shipped('dns-rbac.yaml')))
    // For a command's own first question, and for relays.
    const ofCommand = (right: string) => right.endsWith('namespaces * kube-system') || right.includes(' evenkeel ')
    const shown = ['patch  services/status kube-system *', 'create  events kube-system *']
    assert.deepEqual(
      (await dnsRights()).toSorted(),
      [...granted.filter((right) => !ofCommand(right)), ...shown].toSorted(),
    )
    const relays = granted.filter((right) => right.includes(' evenkeel '))
    assert.equal(relays.length, 5)
    assert.deepEqual((await dnsRights('dns.relay=true')).toSorted(), [...(await dnsRights()), ...relays].toSorted())
    // And the page says what is shown beyond the shipped rights.
    const pages = [...readFileSync(CONTROLLER_PAGE, 'utf8').matchAll(/```yaml\n(.*?)```/gs)]
    assert.deepEqual(grantedBy(readManifests(pages[1]?.[1] ?? '')).toSorted(), shown.toSorted())
  })

  test('a controller that repairs DNS may do what the command may', async () => {
    const repair = grantedBy(readManifests(shipped('dns-repair-rbac.yaml')))
    assert.deepEqual(
      (await dnsRights('dns.relay=true', 'dns.repair=true')).toSorted(),
      [...(await dnsRights('dns.relay=true')), ...repair].toSorted(),
    )
    const { code, stderr } = await renderChart(...DNS, 'dns.repair=true')
    assert.equal(code, 1)
    assert.match(stderr, /dns\.repair requires dns\.relay/)
  })

  test('each role of DNS is bound to the controller’s account, where it is, and none is there without it', async () => {
    const all = readManifests((await renderChart(...DNS, 'dns.relay=true', 'dns.repair=true')).stdout)
    const roles = all.filter(({ kind, metadata }) => kind.endsWith('Role') && metadata.name.includes('controller'))
    assert.deepEqual(
      boundTo(all, 'ServiceAccount evenkeel/evenkeel-agent-controller').toSorted(),
      roles
        .map(({ kind, metadata }) => `${kind} ${metadata.name} in ${metadata.namespace ?? 'the cluster'}`)
        .toSorted(),
    )
    const without = readManifests((await renderChart('controller.enabled=true')).stdout)
    assert.deepEqual(
      without.filter(({ metadata }) => metadata.name.includes('-dns')),
      [],
    )
  })

  test('every option of the controller that is not of its place is a value', async () => {
    const dns = [
      ...DNS,
      'dns.interval=1m',
      'dns.relay=true',
      'dns.image=registry.example/evenkeel:1.0',
      'dns.repair=true',
    ]
    const values = { maxCordonedOut: '2', selector: 'ingress=edge\\,tier', returnDelay: '0', leaseDuration: '30s' }
    const settings = Object.entries(values).map(([name, value]) => `controller.${name}=${value}`)
    const ingress = [
      'ingress.enabled=true',
      'ingress.groups={evenkeel.dev,ingressdaemonsets.mumoshu.github.io}',
      'ingress.slotsNamespace=slots',
      'guard.enabled=true',
      'rolls.enabled=true',
      'rolls.fleetLock.enabled=true',
      'rolls.fleetLock.tokenSecret=fleetlock',
    ]
    const { stdout, stderr } = await renderChart(...dns, ...ingress, ...settings)
    const [, ...words] = argsOf(readManifests(stdout), 'Deployment')
    assert.deepEqual(
      words.slice(2),
      [
        ...['--max-cordoned-out=2', '--selector=ingress=edge,tier', '--return-delay=0', '--lease-duration=30s'],
        ...['--dns', '--dns-interval=1m', '--dns-image=registry.example/evenkeel:1.0', '--dns-repair'],
        ...[
          '--ingress',
          '--ingress-agent-port=8081',
          '--ingress-groups=evenkeel.dev,ingressdaemonsets.mumoshu.github.io',
        ],
        ...['--guard', '--rolls=/etc/evenkeel/rolls'],
        ...['--fleetlock-port=8082', '--fleetlock-token=/etc/evenkeel/fleetlock/token', '--slots-namespace=slots'],
      ],
      stderr,
    )
    assert.equal(controllerOptions(words, { podNamespace: undefined })?.dns?.repair, true)
    assert.deepEqual(controllerOptions(words, { podNamespace: undefined })?.ingress, {
      groups: ['evenkeel.dev', 'ingressdaemonsets.mumoshu.github.io'],
      slotsNamespace: 'slots',
      agentPort: 8081,
    })
    // Relays run the release's own image where no other is named.
    const own = argsOf(readManifests((await renderChart(...DNS, 'dns.relay=true')).stdout), 'Deployment')
    assert.ok(own.includes(`--dns-image=evenkeel.local/evenkeel:${manifest.version}`), own.join(' '))
    const flags = [...new Set(CONTROLLER_HELP.match(/(?<=--)[a-z][a-z-]*/g))]
    const ofPlace = ['help', 'namespace', 'grants-namespace', 'status-port', 'address', 'kubeconfig', 'node-name']
    assert.deepEqual(
      flags.filter((flag) => !ofPlace.includes(flag)).toSorted(),
      words
        .slice(2)
        .map((word) => word.slice(2).replace(/=.*/, ''))
        .toSorted(),
    )
  })

  test('a controller publishes where the agents look, and may write there', async () => {
    const all = readManifests((await renderChart('controller.enabled=true', 'agent.grantsNamespace=edge')).stdout)
    assert.ok(argsOf(all, 'Deployment').includes('--grants-namespace=edge'))
    assert.ok(argsOf(all, 'DaemonSet').includes('--grants-namespace=edge'))
    assert.deepEqual(
      grantedBy(all)
        .filter((right) => /^(create|update|patch) .*(configmaps|leases)/.test(right))
        .toSorted(),
      [
        'create  configmaps edge *',
        `patch  configmaps edge ${GRANTS_CONFIG_MAP}`,
        'create coordination.k8s.io leases evenkeel *',
        'update coordination.k8s.io leases evenkeel evenkeel-controller',
      ].toSorted(),
    )
  })
})
