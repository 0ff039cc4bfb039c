import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { CHART, PLAIN, plainYaml } from '../../deploy/chart/plain-yaml.ts'
import manifest from '../../package.json' with { type: 'json' }
import { AGENT_HELP, agentOptions } from '../../src/config/agent-options.ts'
import { CONTROLLER_HELP, controllerOptions } from '../../src/config/controller-options.ts'
import { GRANTS_CONFIG_MAP } from '../../src/model/cordon-grants.ts'
import { buildFolder } from '../../testbed/build/cache-root.ts'
import { runToEnd } from '../../testbed/machine/run.ts'
import { boundTo, grantedBy, type RbacManifest } from '../support/granted-rights.ts'
import { requires } from '../support/requires.ts'

interface Manifest extends RbacManifest {
  readonly spec?: {
    readonly template?: {
      readonly spec: {
        readonly nodeSelector?: Readonly<Record<string, string>>
        readonly containers: readonly { readonly args: readonly string[] }[]
      }
    }
  }
}

const shipped = (file: string): string => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')
const read = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest)
const argsOf = (manifests: readonly Manifest[], kind: string): readonly string[] =>
  manifests.find((one) => one.kind === kind)?.spec?.template?.spec.containers[0]?.args ?? []

const CONTROLLER_PAGE = new URL('../../docs/controller.md', import.meta.url)
const AGENT_RIGHTS = [
  'get  nodes * *',
  'list  nodes * *',
  'watch  nodes * *',
  `get  configmaps evenkeel ${GRANTS_CONFIG_MAP}`,
  `list  configmaps evenkeel ${GRANTS_CONFIG_MAP}`,
  `watch  configmaps evenkeel ${GRANTS_CONFIG_MAP}`,
]

for (const file of Object.keys(PLAIN)) {
  describe(`deploy/${file}`, () => {
    const manifests = read(shipped(file))

    test('lets an agent read nodes and one ConfigMap, and write nothing', () => {
      assert.deepEqual(grantedBy(manifests).toSorted(), AGENT_RIGHTS.toSorted())
    })

    test('binds each role to the agents’ account, where it is', () => {
      const roles = manifests.filter(({ rules }) => rules !== undefined)
      assert.deepEqual(
        boundTo(manifests, 'ServiceAccount evenkeel/evenkeel-agent').toSorted(),
        roles
          .map(({ kind, metadata }) => `${kind} ${metadata.name} in ${metadata.namespace ?? 'the cluster'}`)
          .toSorted(),
      )
    })

    test('starts an agent with options that it understands', () => {
      const [command, ...words] = argsOf(manifests, 'DaemonSet')
      assert.equal(command, 'agent')
      assert.equal(agentOptions(words, { NODE_NAME: 'n1' })?.port, 8080)
    })
  })
}

describe('the chart', requires('helm'), () => {
  const helm = join(buildFolder(), 'bin/helm')
  const render = async (...values: readonly string[]) => {
    const words = values.flatMap((value) => ['--set', value])
    return runToEnd([helm, 'template', 'evenkeel-agent', CHART, '-n', 'evenkeel', ...words])
  }

  for (const [file, values] of Object.entries(PLAIN)) {
    test(`deploy/${file} is what helm makes of it (npm run plain-yaml writes it anew)`, async () => {
      assert.equal(shipped(file), await plainYaml(helm, values))
    })
  }

  test('is of the version of the program', async () => {
    const [chart] = read(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as unknown as readonly {
      appVersion: string
    }[]
    assert.equal(chart?.appVersion, manifest.version)
  })

  test('every option of the agent but its node and a kubeconfig is a value', async () => {
    const flags = [...new Set(AGENT_HELP.match(/(?<=--)[a-z][a-z-]*/g))].filter(
      (flag) => !['help', 'node', 'kubeconfig', 'checker'].includes(flag),
    )
    assert.ok(flags.length > 15)
    const values: Readonly<Record<string, string>> = {
      ...Object.fromEntries(flags.map((flag) => [flag, '3s'])),
      port: '9000',
      'status-port': '9001',
      'agent-check-port': '9002',
      address: '10.0.0.1',
      dialect: 'f5',
      'data-port': '443',
      // Longer than five questions to the data port take.
      'takeover-limit': '20s',
      fall: '4',
      rise: '5',
      'stale-answer': 'up',
      'memory-dir': '/run/m',
      'keep-dir': '/var/k',
    }
    const camel = (flag: string): string => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const settings = flags.map((flag) => `agent.${camel(flag)}=${values[flag]}`)
    const { stdout, stderr } = await render(...settings, 'agent.checkers.10\\.0\\.0\\.5=3')
    const [, ...words] = argsOf(read(stdout), 'DaemonSet')
    assert.deepEqual(
      words.toSorted(),
      [...flags.map((flag) => `--${flag}=${values[flag]}`), '--checker=10.0.0.5=3'].toSorted(),
      stderr,
    )
    assert.ok(agentOptions(words, { NODE_NAME: 'n1' }))
  })

  test('a port alone is asked at the node itself, also from a pod’s own network', async () => {
    const { stdout } = await render('exposure=hostPort', 'agent.dataPort=443')
    assert.ok(argsOf(read(stdout), 'DaemonSet').includes('--data-port=[$(HOST_IP)]:443'))
  })

  const WRONG: readonly (readonly [title: string, setting: string, says: RegExp])[] = [
    ['a value that there is not', 'agent.prot=1', /additional properties 'prot' not allowed/],
    ['a port that nobody without a capability may have', 'agent.port=443', /agent\/port/],
    ['a dialect that there is not', 'agent.dialect=klingon', /agent\/dialect/],
    ['a duration without a unit', 'agent.upDelay=5', /agent\/upDelay/],
    ['another exposure', 'exposure=none', /exposure/],
    ['half of a digest', 'image.digest=sha256:abc', /image\/digest/],
    ['an annotation that is no text', 'podAnnotations.turn=2', /podAnnotations\/turn/],
    ['a label of nodes that is no text', 'nodeSelector.edge=true', /nodeSelector\/edge/],
    ['one port for two', 'agent.statusPort=8080', /have to be different ones/],
    ['no node that may be out', 'controller.maxCordonedOut=0', /controller\/maxCordonedOut/],
    ['an interval without a unit', 'dns.interval=30', /dns\/interval/],
    ['DNS without a controller', 'dns.enabled=true', /dns\.enabled takes controller\.enabled/],
    ['a repair of DNS that is not checked', 'dns.repair=true', /dns\.relay and dns\.repair take dns\.enabled/],
  ]
  for (const [title, setting, says] of WRONG) {
    test(`${title} is refused`, async () => {
      const { code, stderr } = await render(setting)
      assert.equal(code, 1)
      assert.match(stderr, says)
    })
  }

  test('an address of the node is refused where a pod has none of its addresses', async () => {
    const { code, stderr } = await render('exposure=hostPort', 'agent.address=10.0.0.1')
    assert.equal(code, 1)
    assert.match(stderr, /agent\.address is an address of the node/)
  })

  const UNFIT: readonly (readonly [title: string, settings: readonly string[], says: RegExp])[] = [
    [
      'a delay within which no new agent could take over',
      ['agent.upDelay=1min'],
      /after 61000ms .* ends after 12s: raise/,
    ],
    ['a delay of two parts', ['agent.upDelay=1m30s'], /after 91000ms/],
    ['the usual delay, where less is left for it', ['minReadySeconds=8'], /after 6000ms .* ends after 5s/],
    ['a limit of one’s own', ['agent.takeoverLimit=4500ms'], /ends after 4500ms/],
    ['questions to a data port that take longer', ['agent.dataPort=443', 'agent.dataEvery=7s'], /after 13000ms/],
    ['many such questions', ['agent.dataPort=443', 'agent.rise=5'], /after 14000ms/],
    ['such questions, where something is kept', ['keep=true', 'agent.dataPort=443', 'agent.rise=7'], /after 13000ms/],
  ]
  for (const [title, settings, says] of UNFIT) {
    test(`${title} is refused`, async () => {
      const { code, stderr } = await render('keep=false', ...settings)
      assert.equal(code, 1)
      assert.match(stderr, says)
    })
  }

  test('a delay that fits, or that nobody waits for, is none to refuse', async () => {
    for (const settings of [
      ['keep=false'],
      ['keep=false', 'agent.dataPort=443'],
      ['keep=false', 'agent.upDelay=1.5s', 'minReadySeconds=6'],
      ['keep=false', 'agent.upDelay=0', 'minReadySeconds=4'],
      ['keep=false', 'agent.upDelay=1min', 'agent.takeoverLimit=1m5s'],
      ['keep=false', 'agent.upDelay=1min', 'exposure=hostPort'],
      ['agent.upDelay=1min'],
      ['agent.upDelay=1min', 'agent.dataPort=443', 'agent.rise=6'],
    ])
      assert.equal((await render(...settings)).code, 0, settings.join())
  })

  test('a quota for critical pods is there where it is asked for', async () => {
    const quota = (text: string) => read(text).find(({ kind }) => kind === 'ResourceQuota')
    assert.equal(quota((await render()).stdout), undefined)
    const wanted = quota((await render('criticalQuota=40')).stdout)
    assert.deepEqual(wanted?.spec, {
      hard: { pods: '40' },
      scopeSelector: {
        matchExpressions: [
          {
            scopeName: 'PriorityClass',
            operator: 'In',
            values: ['system-node-critical', 'system-cluster-critical'],
          },
        ],
      },
    })
  })

  test('a controller is not there unless it is wanted, and may write what it publishes and no more', async () => {
    const without = read((await render()).stdout)
    const all = read((await render('controller.enabled=true')).stdout)
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
    assert.deepEqual(grantedBy(read(page)).toSorted(), rights)
    assert.deepEqual(argsOf(all, 'Deployment'), ['controller', '--namespace=evenkeel', '--status-port=8081'])
    assert.deepEqual(argsOf(without, 'Deployment'), [])
    assert.deepEqual(grantedBy(without).toSorted(), AGENT_RIGHTS.toSorted())
  })

  const DNS = ['controller.enabled=true', 'dns.enabled=true'] as const
  const dnsRights = async (...settings: readonly string[]) =>
    grantedBy(
      read((await render(...DNS, ...settings)).stdout).filter(({ metadata }) =>
        metadata.name.startsWith('evenkeel-agent-controller-dns'),
      ),
    )

  test('a controller that looks at DNS may read what a check reads, and show its health on the Service', async () => {
    const granted = grantedBy(read(shipped('dns-rbac.yaml')))
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
    assert.deepEqual(grantedBy(read(pages[1]?.[1] ?? '')).toSorted(), shown.toSorted())
  })

  test('a controller that repairs DNS may do what the command may', async () => {
    const repair = grantedBy(read(shipped('dns-repair-rbac.yaml')))
    assert.deepEqual(
      (await dnsRights('dns.relay=true', 'dns.repair=true')).toSorted(),
      [...(await dnsRights('dns.relay=true')), ...repair].toSorted(),
    )
    const { code, stderr } = await render(...DNS, 'dns.repair=true')
    assert.equal(code, 1)
    assert.match(stderr, /dns\.repair takes dns\.relay/)
  })

  test('each role of DNS is bound to the controller’s account, where it is, and none is there without it', async () => {
    const all = read((await render(...DNS, 'dns.relay=true', 'dns.repair=true')).stdout)
    const roles = all.filter(({ kind, metadata }) => kind.endsWith('Role') && metadata.name.includes('controller'))
    assert.deepEqual(
      boundTo(all, 'ServiceAccount evenkeel/evenkeel-agent-controller').toSorted(),
      roles
        .map(({ kind, metadata }) => `${kind} ${metadata.name} in ${metadata.namespace ?? 'the cluster'}`)
        .toSorted(),
    )
    const without = read((await render('controller.enabled=true')).stdout)
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
    const { stdout, stderr } = await render(...dns, ...settings)
    const [, ...words] = argsOf(read(stdout), 'Deployment')
    assert.deepEqual(
      words.slice(2),
      [
        ...['--max-cordoned-out=2', '--selector=ingress=edge,tier', '--return-delay=0', '--lease-duration=30s'],
        ...['--dns', '--dns-interval=1m', '--dns-image=registry.example/evenkeel:1.0', '--dns-repair'],
      ],
      stderr,
    )
    assert.equal(controllerOptions(words, { podNamespace: undefined })?.dns?.repair, true)
    // Relays run the release's own image where no other is named.
    const own = argsOf(read((await render(...DNS, 'dns.relay=true')).stdout), 'Deployment')
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

  test('names that look like numbers stay names, and agents go to the system that their image is of', async () => {
    const { stdout } = await runToEnd([
      ...[helm, 'template', '2024', CHART, '-n', '7'],
      ...['--set', 'controller.enabled=true', '--set', 'criticalQuota=9'],
    ])
    assert.equal(stdout.match(/^kind: /gm)?.length, 17)
    assert.doesNotMatch(stdout, /: (2024|7)$/m)
    for (const { kind, metadata, subjects = [] } of read(stdout)) {
      for (const { name, namespace } of [metadata, ...subjects])
        assert.deepEqual([typeof name, typeof (namespace ?? '')], ['string', 'string'], kind)
    }
    const daemons = read(stdout).find(({ kind }) => kind === 'DaemonSet')?.spec?.template?.spec
    assert.deepEqual(daemons?.nodeSelector, { 'kubernetes.io/os': 'linux' })
  })

  test('a controller publishes where the agents look, and may write there', async () => {
    const all = read((await render('controller.enabled=true', 'agent.grantsNamespace=edge')).stdout)
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
