import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CHART, PLAIN, plainYaml } from '../../deploy/chart/plain-yaml.ts'
import manifest from '../../package.json' with { type: 'json' }
import { AGENT_HELP, agentOptions } from '../../src/agent/cli/agent-options.ts'
import { runToEnd } from '../../testbed/machine/run.ts'
import { AGENT_RIGHTS, argsOf, HELM, readManifests, renderChart, shipped } from '../support/agent-chart.ts'
import { boundTo, grantedBy } from '../support/granted-rights.ts'
import { requires } from '../support/requires.ts'

for (const file of ['agent.yaml', 'agent-hostport.yaml']) {
  describe(`deploy/${file}`, () => {
    const manifests = readManifests(shipped(file))

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
  for (const [file, values] of Object.entries(PLAIN)) {
    test(`deploy/${file} is what helm makes of it (npm run plain-yaml writes it anew)`, async () => {
      assert.equal(shipped(file), await plainYaml(HELM, values))
    })
  }

  test('is of the version of the program', async () => {
    const [chart] = readManifests(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as unknown as readonly {
      appVersion: string
    }[]
    assert.equal(chart?.appVersion, manifest.version)
  })

  test('every option of the agent but its node and a kubeconfig is a value', async () => {
    const flags = [...new Set(AGENT_HELP.match(/(?<=--)[a-z][a-z-]*/g))].filter(
      (flag) => !['help', 'node', 'kubeconfig', 'checker', 'ingress', 'ingress-only'].includes(flag),
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
      'ingress-ports': '10000-10199',
    }
    const camel = (flag: string): string => flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const settings = flags.map((flag) => `agent.${camel(flag)}=${values[flag]}`)
    const { stdout, stderr } = await renderChart(...settings, 'agent.checkers.10\\.0\\.0\\.5=3')
    const [, ...words] = argsOf(readManifests(stdout), 'DaemonSet')
    assert.deepEqual(
      words.toSorted(),
      [...flags.map((flag) => `--${flag}=${values[flag]}`), '--checker=10.0.0.5=3'].toSorted(),
      stderr,
    )
    assert.ok(agentOptions(words, { NODE_NAME: 'n1' }))
  })

  test('an agent answers for IngressDaemonSets where it has the network of the node, and may read their Deployments then', async () => {
    const settings = ['controller.enabled=true', 'ingress.enabled=true'] as const
    for (const [exposure, answers] of [
      ['hostNetwork', true],
      ['hostPort', false],
    ] as const) {
      const all = readManifests((await renderChart(...settings, `exposure=${exposure}`)).stdout)
      const ofAgent = all.filter(({ metadata }) => metadata.name === 'evenkeel-agent')
      const more = answers ? ['list apps deployments * *', 'watch apps deployments * *'] : []
      assert.deepEqual(grantedBy(ofAgent).toSorted(), [...AGENT_RIGHTS, ...more].toSorted())
      const [, ...words] = argsOf(all, 'DaemonSet')
      assert.equal(agentOptions(words, { NODE_NAME: 'n1' })?.ingress, answers)
    }
  })

  test('a port alone is asked at the node itself, also from a pod’s own network', async () => {
    const { stdout } = await renderChart('exposure=hostPort', 'agent.dataPort=443')
    assert.ok(argsOf(readManifests(stdout), 'DaemonSet').includes('--data-port=[$(HOST_IP)]:443'))
  })

  const WRONG: readonly (readonly [title: string, setting: string, says: RegExp])[] = [
    ['a value that there is not', 'agent.prot=1', /additional properties 'prot' not allowed/],
    ['a port that a process without a capability may not have', 'agent.port=443', /agent\/port/],
    ['a dialect that there is not', 'agent.dialect=klingon', /agent\/dialect/],
    ['a duration without a unit', 'agent.upDelay=5', /agent\/upDelay/],
    ['another exposure', 'exposure=none', /exposure/],
    ['half of a digest', 'image.digest=sha256:abc', /image\/digest/],
    ['an annotation that is no text', 'podAnnotations.turn=2', /podAnnotations\/turn/],
    ['a label of nodes that is no text', 'nodeSelector.edge=true', /nodeSelector\/edge/],
    ['one port for two', 'agent.statusPort=8080', /have to be different ones/],
    ['no node that may be out', 'controller.maxCordonedOut=0', /controller\/maxCordonedOut/],
    ['an interval without a unit', 'dns.interval=30', /dns\/interval/],
    ['DNS without a controller', 'dns.enabled=true', /dns\.enabled requires controller\.enabled/],
    ['a repair of DNS that is not checked', 'dns.repair=true', /dns\.relay and dns\.repair require dns\.enabled/],
  ]
  for (const [title, setting, says] of WRONG) {
    test(`${title} is refused`, async () => {
      const { code, stderr } = await renderChart(setting)
      assert.equal(code, 1)
      assert.match(stderr, says)
    })
  }

  test('an address of the node is refused where a pod has none of its addresses', async () => {
    const { code, stderr } = await renderChart('exposure=hostPort', 'agent.address=10.0.0.1')
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
      const { code, stderr } = await renderChart('keep=false', ...settings)
      assert.equal(code, 1)
      assert.match(stderr, says)
    })
  }

  test('a delay that fits, or that nothing waits for, is not refused', async () => {
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
      assert.equal((await renderChart(...settings)).code, 0, settings.join())
  })

  test('a quota for critical pods is there where it is asked for', async () => {
    const quota = (text: string) => readManifests(text).find(({ kind }) => kind === 'ResourceQuota')
    assert.equal(quota((await renderChart()).stdout), undefined)
    const wanted = quota((await renderChart('criticalQuota=40')).stdout)
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

  test('names that look like numbers stay names, and agents go to the system that their image is of', async () => {
    const { stdout } = await runToEnd([
      ...[HELM, 'template', '2024', CHART, '-n', '7'],
      ...['--set', 'controller.enabled=true', '--set', 'criticalQuota=9'],
    ])
    assert.equal(stdout.match(/^kind: /gm)?.length, 19)
    assert.doesNotMatch(stdout, /: (2024|7)$/m)
    for (const { kind, metadata, subjects = [] } of readManifests(stdout)) {
      for (const { name, namespace } of [metadata, ...subjects])
        assert.deepEqual([typeof name, typeof (namespace ?? '')], ['string', 'string'], kind)
    }
    const daemons = readManifests(stdout).find(({ kind }) => kind === 'DaemonSet')?.spec?.template?.spec
    assert.deepEqual(daemons?.nodeSelector, { 'kubernetes.io/os': 'linux' })
  })
})
