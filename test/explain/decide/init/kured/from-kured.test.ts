import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parse } from 'yaml'
import { KURED_RULES } from '../../../../../src/explain/decide/init/kured/kured-table.ts'
import { kuredSettings } from '../../../../../src/ground/model/kured-settings.ts'
import { Untrusted } from '../../../../../src/ground/model/untrusted.ts'
import { FACTS, proposed } from '../init-world.ts'
import { daemonSetOf, REAL_KUREDS, type RealKured } from './real-kureds.ts'

type Row = readonly [flag: string, as: string | undefined]

/** The file and the rows that are made of this kured; the file is one that a roll takes. */
function carried(kured: Omit<RealKured, 'source'>, answers: Readonly<Record<string, string>> = { reboot: 'ssh' }) {
  const settings = kuredSettings(new Untrusted(daemonSetOf(kured), 'daemonset'))
  assert.ok(settings !== undefined)
  const { text, kured: rows = [], spec } = proposed({ ...FACTS, kured: settings }, answers)
  const file = parse(text) as { readonly spec: Record<string, unknown> }
  return { text, rows, spec, file: file.spec }
}

const rowsOf = (rows: ReturnType<typeof carried>['rows']): readonly Row[] => rows.map(({ flag, as }) => [flag, as])

for (const real of REAL_KUREDS) {
  test(`the kured of ${real.source} gives a roll file, and no flag of it is dropped`, () => {
    for (const answers of [{ reboot: 'ssh ops' }, {}]) assert.equal(carried(real, answers).spec.name, 'prod')
    const { rows, spec } = carried(real)
    const names = new Set([
      ...real.flags.map((flag) => flag.replace(/=.*$/s, '')),
      ...(real.env ?? []).flatMap((one) => ('value' in one ? [] : ['--notify-url'])),
    ])
    assert.deepEqual(new Set(rows.map(({ flag }) => flag)), names)
    assert.ok(rows.every(({ why }) => why.length > 0 && !why.includes('no kured that is known')))
    assert.equal(spec.reboot.kuredLock !== undefined, true)
  })
}

test('a whole kured is carried over, section by section', () => {
  const barney = REAL_KUREDS.find(({ source }) => source.startsWith('BarneyLaw/')) ?? assert.fail()
  const { file, rows } = carried(barney)
  const alerts =
    'LonghornVolumeFaulted|LonghornVolumeReadOnly|EtcdQuorumLost|KuredBlockLonghornRebuilding|KuredBlockUnexpectedNodeDown'
  const { window, gates, reboot, drain, soak, announce } = file
  assert.deepEqual(
    { window, gates, reboot, drain, soak, announce },
    {
      window: { zone: 'Asia/Singapore', open: [{ cron: '0 2 * * SUN', duration: '4h' }] },
      gates: [
        {
          name: 'alerts',
          before: 'node',
          prometheus: {
            url: 'http://kube-prom-kube-prometheus-prometheus.monitoring.svc.cluster.local:9090',
            query: `count(ALERTS{alertname!~"EvenKeel.*",alertname=~".*(?:^(${alerts})$).*",alertstate="firing"}) or vector(0)`,
            expect: '== 0',
          },
          limit: '24h',
        },
      ],
      reboot: {
        ssh: { command: ['sudo', '-n', '/bin/systemctl', 'reboot'] },
        onlyIfNeeded: { command: ['/usr/local/sbin/kured-reboot-required'], neededExitCode: 0 },
        kuredLock: { namespace: 'kube-system', daemonSet: 'kured' },
      },
      drain: { blockedLimit: '5min', stageLimit: '5min', preferDone: true },
      soak: '5min',
      announce: { conditions: true },
    },
  )
  assert.deepEqual(rowsOf(rows), [
    ['--ds-name', 'reboot.kuredLock'],
    ['--ds-namespace', 'reboot.kuredLock'],
    ['--metrics-port', undefined],
    ['--reboot-command', 'reboot.ssh.command'],
    ['--lock-release-delay', 'soak'],
    ['--alert-filter-regexp', 'gates'],
    ['--alert-firing-only', 'gates'],
    ['--alert-filter-match-only', 'gates'],
    ['--end-time', 'window'],
    ['--period', undefined],
    ['--drain-timeout', 'drain.blockedLimit, drain.stageLimit'],
    ['--prometheus-url', 'gates'],
    ['--reboot-days', 'window'],
    ['--reboot-sentinel-command', 'reboot.onlyIfNeeded.command'],
    ['--start-time', 'window'],
    ['--time-zone', 'window'],
    ['--annotate-nodes', 'announce.conditions'],
    ['--prefer-no-schedule-taint', 'drain.preferDone'],
    ['--log-format', undefined],
    ['--concurrency', 'parallel'],
  ])
})

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((here, name) => (here as Record<string, unknown> | undefined)?.[name], value)

const NEED = 'reboot.onlyIfNeeded'
const PODS = ['kubectl', 'wait', '--for=delete', 'pod', '-A', '-l']
const PHASES = 'spec.nodeName={node},status.phase!=Succeeded,status.phase!=Failed,status.phase!=Unknown'
const podGate = (name: string, selector: string) => ({
  name,
  before: 'node',
  command: [...PODS, selector, '--field-selector', PHASES, '--timeout=0s'],
  limit: '24h',
})
const KINDS = ['started', 'node', 'holding', 'resumed', 'done', 'held', 'stopped', 'aborted', 'interrupted']

/** The flag alone, where it stands in the file, and what stands there. */
const FLAGS: readonly (readonly [flags: string | readonly string[], path: string, value: unknown])[] = [
  ['--reboot-sentinel=/run/mine', NEED, { sentinel: '/run/mine' }],
  [[], NEED, { sentinel: '/var/run/reboot-required' }],
  [['--reboot-sentinel', '/run/mine'], NEED, { sentinel: '/run/mine' }],
  [
    '--reboot-sentinel-command=sh -c "! needs-restarting --reboothint"',
    NEED,
    { command: ['sh', '-c', '! needs-restarting --reboothint'], neededExitCode: 0 },
  ],
  [
    '--reboot-command="/usr/bin/systemctl reboot"',
    'reboot.ssh.command',
    ['sudo', '-n', '/usr/bin/systemctl', 'reboot'],
  ],
  ['--drain-grace-period=60', 'drain', { grace: '1min' }],
  ['--drain-grace-period=-1', 'drain', undefined],
  ['--drain-timeout=1h30m', 'drain', { blockedLimit: '90min', stageLimit: '90min' }],
  ['--drain-timeout=0', 'drain', undefined],
  ['--prefer-no-schedule-taint=weave.works/kured-node-reboot', 'drain', { preferDone: true }],
  ['--prefer-no-schedule-taint=""', 'drain', undefined],
  ['--lock-release-delay=30m0s', 'soak', '30min'],
  ['--concurrency=3', 'parallel', 3],
  ['--concurrency=3', 'slots', { maxOut: 3 }],
  ['--concurrency=1', 'parallel', undefined],
  ['--annotate-nodes', 'announce', { conditions: true }],
  ['--annotate-nodes=false', 'announce', undefined],
  [
    ['--blocking-pod-selector=runtime=long,cost=expensive', '--blocking-pod-selector=name=temperamental'],
    'gates',
    [podGate('blocking-pods', 'runtime=long,cost=expensive'), podGate('blocking-pods-2', 'name=temperamental')],
  ],
  [
    ['--pre-reboot-node-labels=kured=rebooting,a=b', '--post-reboot-node-labels=kured=done'],
    'hooks',
    [
      {
        name: 'label-before',
        at: 'beforeNode',
        run: ['kubectl', 'label', 'node', '{node}', '--overwrite', 'kured=rebooting', 'a=b'],
      },
      {
        name: 'label-after',
        at: 'afterNode',
        run: ['kubectl', 'label', 'node', '{node}', '--overwrite', 'kured=done'],
      },
    ],
  ],
  ['--ds-namespace=other', 'reboot.kuredLock', { namespace: 'kube-system', daemonSet: 'kured' }],
  [
    '--notify-url=slack://xoxb:123-456-abc@C0123456789',
    'notify',
    [{ name: 'kured', on: KINDS, slack: { channel: 'C0123456789', token: { env: 'SLACK_TOKEN' } } }],
  ],
  [
    '--slack-hook-url=https://hooks.slack.com/services/A/B/C',
    'notify',
    [{ name: 'kured', on: KINDS, slack: { webhook: { env: 'SLACK_WEBHOOK' } } }],
  ],
  [
    '--notify-url=discord://token@id',
    'notify',
    [
      {
        name: 'kured',
        on: KINDS,
        webhook: { urlFrom: { env: 'DISCORD_WEBHOOK' }, template: '{"content": "{title}: {text}"}' },
      },
    ],
  ],
  [
    '--notify-url=generic+https://example.com/hook',
    'notify',
    [{ name: 'kured', on: KINDS, webhook: { urlFrom: { env: 'NOTIFY_URL' } } }],
  ],
  ['--notify-url=smtp://user:password@example.com', 'notify', undefined],
  ['--prometheus-url=$(PROMETHEUS_URL)', 'gates', undefined],
  ['--alert-filter-regexp=^X$', 'gates', undefined],
]

for (const [flags, path, value] of FLAGS) {
  test(`${[flags].flat().join(' ') || 'no flag'} is ${path} in the file`, () => {
    const { file } = carried({ flags: [flags].flat() })
    assert.deepEqual(at(file, path), value)
  })
}

test('alerts: a filter is searched for in the name, and stands in the query as text', () => {
  const query = (...flags: readonly string[]): unknown => {
    const { file } = carried({ flags: ['--prometheus-url=http://p:9090', ...flags] })
    return (at(file, 'gates.0.prometheus.query') as string).replace('count(ALERTS{alertname!~"EvenKeel.*"', '')
  }
  assert.equal(query(), '}) or vector(0)')
  assert.equal(query('--alert-filter-regexp=^RebootRequired$'), ',alertname!~".*(?:^RebootRequired$).*"}) or vector(0)')
  assert.equal(query('--alert-filter-regexp=a\\.b"c'), ',alertname!~".*(?:a\\\\.b\\"c).*"}) or vector(0)')
  assert.equal(query('--alert-firing-only'), ',alertstate="firing"}) or vector(0)')
  assert.equal(query('--alert-firing-only=false'), '}) or vector(0)')
})

const WINDOWS: readonly (readonly [flags: string, zone: string, open: readonly string[] | undefined])[] = [
  ['', '', undefined],
  ['--time-zone=Europe/Berlin', '', undefined],
  ['--reboot-days=su,mo,tu,we,th,fr,sa --start-time=0:00 --end-time=23:59:59', '', undefined],
  ['--start-time=2am --end-time=5pm', 'UTC', ['0 2 * * * 15h']],
  ['--start-time=9 --end-time=17', 'UTC', ['0 9 * * * 8h']],
  ['--start-time=03:30pm --end-time=16:00:00', 'UTC', ['30 15 * * * 30min']],
  ['--start-time=22:00 --end-time=6:00 --time-zone=America/New_York', 'America/New_York', ['0 22 * * * 8h']],
  [
    '--start-time=22:00 --end-time=6:00 --reboot-days=mon,tue,wed,thu,fri',
    'UTC',
    ['0 0 * * MON,TUE,WED,THU,FRI 6h', '0 22 * * MON,TUE,WED,THU,FRI 2h'],
  ],
  ['--reboot-days=Saturday,0', 'UTC', ['0 0 * * SUN,SAT 24h']],
  ['--start-time=23:59:59 --end-time=03:59:59 --reboot-days=mo', 'UTC', ['0 0 * * MON 4h']],
  ['--start-time=23:55 --end-time=04:00 --reboot-days=mo', 'UTC', ['0 0 * * MON 4h']],
  ['--start-time=4:00 --end-time=4:00', 'UTC', ['0 4 * * * 10min']],
  ['--end-time=06:00 --time-zone=Nowhere/City', 'UTC', ['0 0 * * * 6h']],
]

for (const [flags, zone, open] of WINDOWS) {
  test(`the time window of kured with ${flags || 'no flag'}`, () => {
    const { file } = carried({ flags: flags === '' ? [] : flags.split(' ') })
    const window = file.window as { zone: string; open: { cron: string; duration: string }[] } | undefined
    assert.deepEqual(
      window?.open.map(({ cron, duration }) => `${cron} ${duration}`),
      open,
    )
    assert.equal(window?.zone ?? '', zone)
  })
}

test('the local zone is that of the pod', () => {
  const flags = ['--time-zone=Local', '--end-time=6:00']
  assert.equal(
    at(carried({ flags, env: [{ name: 'TZ', value: 'America/Toronto' }] }).file, 'window.zone'),
    'America/Toronto',
  )
  assert.equal(at(carried({ flags }).file, 'window.zone'), 'UTC')
})

test('where nodes are not rebooted by ssh, the condition of the Node says which need it', () => {
  const flags = ['--reboot-sentinel-command=check', '--reboot-command=/sbin/reboot', '--reboot-sentinel=/x']
  const { file, rows } = carried({ flags }, { reboot: 'power-cycle {node} {bootId}' })
  assert.deepEqual(at(file, NEED), { condition: 'RebootRequired' })
  assert.deepEqual(rowsOf(rows), [
    ['--reboot-sentinel-command', 'reboot.onlyIfNeeded.condition'],
    ['--reboot-command', undefined],
    ['--reboot-sentinel', undefined],
  ])
  const file2 = carried({ flags: ['--reboot-sentinel=/x'] }, { reboot: 'power-cycle {node} {bootId}' })
  assert.deepEqual(rowsOf(file2.rows), [['--reboot-sentinel', 'reboot.onlyIfNeeded.condition']])
})

test('by default nodes are rebooted by a pod on each node, as kured does it', () => {
  const { file, rows } = carried({ flags: ['--reboot-command=/sbin/reboot'] }, {})
  assert.deepEqual(file.reboot, {
    rebooter: {},
    onlyIfNeeded: { condition: 'RebootRequired' },
    kuredLock: { namespace: 'kube-system', daemonSet: 'kured' },
  })
  assert.deepEqual(rowsOf(rows), [['--reboot-command', undefined]])
})

test('variables count as flags, what they hide is said, and no secret is shown or written', () => {
  const hidden = { valueFrom: { secretKeyRef: { name: 'x', key: 'y' } } }
  const { rows, text } = carried({
    flags: ['--notify-url=discord://very-secret@id'],
    env: [
      { name: 'KURED_START_TIME', value: '4:00' },
      { name: 'KURED_SLACK_HOOK_URL', ...hidden },
      { name: 'PATH', value: '/bin' },
    ],
  })
  assert.deepEqual(
    rows.map(({ flag, value, as }) => [flag, value, as]),
    [
      ['--notify-url', 'discord://…', 'notify'],
      ['--start-time', '4:00', 'window'],
      ['--slack-hook-url', '(in a Secret or ConfigMap)', undefined],
    ],
  )
  assert.equal(text.includes('very-secret'), false)
})

test('a flag that no kured has is said, and one that is given twice as well', () => {
  const { rows } = carried({ flags: ['--tomorrow=1', '--constructor', '--period=1h', '--period=2h'] })
  assert.deepEqual(
    rows.map(({ flag, as, why }) => [flag, as, why.replace(/^.*; /, '')]),
    [
      ['--tomorrow', undefined, 'no kured that is known here has this flag: see what it does, and set that by hand'],
      ['--constructor', undefined, 'no kured that is known here has this flag: see what it does, and set that by hand'],
      ['--period', undefined, 'it is given more than once, and the last one counts here'],
    ],
  )
})

test('a flag that is empty is carried over as nothing', () => {
  const { rows } = carried({ flags: ['--prefer-no-schedule-taint=', '--blocking-pod-selector=""'] })
  assert.deepEqual(
    rows.map(({ as, why }) => [as, why]),
    [
      [undefined, 'it is empty'],
      [undefined, 'it is empty'],
    ],
  )
})

test('each flag of kured has its rule, and the page has a line for it', async () => {
  // Of cmd/kured/main.go of 1.20 and later, but for node-id; annotation-ttl is what lock-ttl was called.
  const known =
    'force-reboot metrics-host metrics-port drain-grace-period drain-pod-selector skip-wait-for-delete-timeout drain-delay drain-timeout reboot-delay reboot-method period ds-namespace ds-name lock-annotation lock-ttl lock-release-delay prometheus-url alert-filter-regexp alert-filter-match-only alert-firing-only reboot-sentinel prefer-no-schedule-taint reboot-sentinel-command reboot-command concurrency reboot-signal slack-hook-url slack-username slack-channel notify-url message-template-uncordon message-template-drain message-template-reboot blocking-pod-selector reboot-days start-time end-time time-zone annotate-nodes log-format pre-reboot-node-labels post-reboot-node-labels annotation-ttl'
  assert.deepEqual(Object.keys(KURED_RULES).toSorted(), known.split(' ').toSorted())
  const page = await readFile(new URL('../../../../../docs/from-kured.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| (`--[a-z-]+`(?:, `--[a-z-]+`)*) \|/gm)].flatMap(([, flags = '']) =>
    [...flags.matchAll(/`--([a-z-]+)`/g)].map(([, flag = '']) => flag),
  )
  assert.deepEqual(listed.toSorted(), known.split(' ').toSorted())
})
