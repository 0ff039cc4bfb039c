import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { filesOf, pathsOf, textsOf } from '../../../../../src/explain/cli/init/init-texts.ts'
import { NEED_MOUNTS } from '../../../../../src/explain/decide/init/kured/kured-need.ts'
import { proposeRoll } from '../../../../../src/explain/decide/init/roll-proposal.ts'
import { kuredSettings } from '../../../../../src/ground/model/kured-settings.ts'
import type { Schema } from '../../../../../src/ground/model/schema/open-api.ts'
import { validateObject } from '../../../../../src/ground/model/schema/validate-object.ts'
import { Untrusted } from '../../../../../src/ground/model/untrusted.ts'
import { ROLL_SCHEDULES } from '../../../../../src/operator/model/roll-schedule.ts'
import { scheduleCrd } from '../../../../../src/operator/reading/schedule-crd.ts'
import { scheduleFaults } from '../../../../../src/operator/reading/schedule-times.ts'
import { shipped } from '../../../../support/agent-chart.ts'
import { backend, FACTS, instance, server } from '../init-world.ts'
import { daemonSetOf, REAL_KUREDS, type RealKured } from './real-kureds.ts'

/** A HAProxy that pods reach. */
const BY_TCP = instance('lb-1', [backend('web', [server(1), server(2), server(3)])], {
  address: { kind: 'tcp', host: '10.0.0.50', port: 9999 },
  at: '10.0.0.50:9999',
})

const FLAGS = { schedule: true, haproxy: true, color: 'auto', output: 'text' } as const

interface Object {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec: Record<string, unknown>
}

interface Values {
  readonly rolls: { readonly enabled: true; readonly allowed?: readonly unknown[]; readonly env?: readonly unknown[] }
  readonly rebooter: Readonly<Record<string, unknown>>
}

/** The RollSchedule that is made of this kured, as the API server and the controller take it, and the values of the chart. */
function scheduled(kured: Omit<RealKured, 'source'>, answers: Readonly<Record<string, string>> = {}) {
  const settings = kuredSettings(new Untrusted(daemonSetOf(kured), 'daemonset'))
  assert.ok(settings !== undefined)
  const snapshot = { ...FACTS, instances: [BY_TCP], kured: settings, isScheduled: true } as const
  const proposal = proposeRoll(snapshot, new Map(Object.entries({ probe: 'http://10.0.0.50/', ...answers })))
  const texts = textsOf(snapshot, proposal, pathsOf({ ...FLAGS, file: 'roll.yaml' }))
  const objects = parseAllDocuments(texts.schedule ?? '').map((document) => document.toJS() as Object)
  const [schedule] = objects.slice(-1)
  const [values] = parseAllDocuments(texts.values ?? '').map((document) => document.toJS() as Values)
  assert.ok(schedule !== undefined && values !== undefined)
  return { schedule, others: objects.slice(0, -1), values, rows: proposal.kured ?? [], texts }
}

function faultsOf(schedule: Object, allowed: readonly unknown[] = []): readonly string[] {
  const [version] = scheduleCrd().spec.versions
  const schema = version?.schema.openAPIV3Schema as Schema
  const { findings } = validateObject({ schema, kind: 'rollschedule' }, schedule)
  const created = { ...schedule, metadata: { ...schedule.metadata, uid: 'u', resourceVersion: '1' } }
  return [
    ...findings.map(({ field, text }) => `${field}: ${text}`),
    ...scheduleFaults(ROLL_SCHEDULES.parse(new Untrusted(created, 'schedule')), allowed),
  ]
}

for (const real of REAL_KUREDS) {
  test(`the kured of ${real.source} gives a RollSchedule that the API server and the controller take`, () => {
    const { schedule, values, rows } = scheduled(real)
    assert.deepEqual(faultsOf(schedule, values.rolls.allowed), [])
    assert.deepEqual([schedule.kind, schedule.spec.when], ['RollSchedule', 'RebootRequired'])
    assert.ok(rows.every(({ why }) => !why.includes('no kured that is known')))
  })
}

test('a command that reboots a node is taken where an administrator allows it', () => {
  const { schedule, values } = scheduled({ flags: [] }, { reboot: '/bin/power-cycle {node} {bootId}' })
  assert.deepEqual(values.rolls.allowed, [['/bin/power-cycle', '{node}', '{bootId}']])
  assert.deepEqual(faultsOf(schedule, values.rolls.allowed), [])
})

test('what is wrong with a RollSchedule is found by the two checks', () => {
  const { schedule } = scheduled({ flags: [] })
  const spec = { ...schedule.spec, when: 'Sometimes', schedule: 'hourly' }
  assert.deepEqual(
    faultsOf({ ...schedule, spec }).map((fault) => fault.slice(0, 40)),
    ['spec.when: not Always, RebootRequired or', 'spec.schedule: "hourly" is not a cron ex'],
  )
})

test('a whole kured becomes a schedule, the rights that the chart does not give, and values of the chart', () => {
  const flags = [
    '--period=10m',
    '--start-time=2am',
    '--end-time=6am',
    '--reboot-days=sa,su',
    '--time-zone=Europe/Paris',
  ]
  const { schedule, others, values, rows } = scheduled({
    flags: [...flags, '--annotate-nodes', '--notify-url=discord://token@id', '--reboot-sentinel=/srv/state/reboot'],
  })
  const { template, ...rest } = schedule.spec as { template: { spec: Record<string, unknown> } } & Object['spec']
  assert.deepEqual(rest, { schedule: '*/10 2-5 * * SUN,SAT', timeZone: 'Europe/Paris', when: 'RebootRequired' })
  assert.deepEqual(schedule.metadata, { name: 'reboot-required', namespace: 'evenkeel' })
  assert.deepEqual(template.spec.window, { zone: 'Europe/Paris', open: [{ cron: '0 2 * * SUN,SAT', duration: '4h' }] })
  assert.deepEqual(template.spec.reboot, {
    rebooter: {},
    onlyIfNeeded: { condition: 'RebootRequired' },
    kuredLock: { namespace: 'kube-system', daemonSet: 'kured' },
  })
  assert.deepEqual(
    others.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`),
    [
      'ClusterRole /evenkeel-agent-roll-further',
      'ClusterRoleBinding /evenkeel-agent-roll-further',
      'Role kube-system/evenkeel-agent-roll-kured',
      'RoleBinding kube-system/evenkeel-agent-roll-kured',
    ],
  )
  const env = { name: 'DISCORD_WEBHOOK', key: 'DISCORD_WEBHOOK' }
  assert.deepEqual(values, {
    controller: { enabled: true },
    rolls: {
      enabled: true,
      allowed: [{ secret: env.name }],
      env: [
        {
          name: env.name,
          valueFrom: { secretKeyRef: { name: 'evenkeel-notify', key: env.key, optional: true } },
        },
      ],
    },
    rebooter: {
      enabled: true,
      door: 'path',
      need: '',
      needFiles: ['/srv/state/reboot'],
      needMounts: ['/run', '/boot', '/lib/modules', '/usr/lib/os-release', '/srv/state'],
    },
  })
  assert.deepEqual(
    rows.map(({ flag, as }) => [flag, as]),
    [
      ['--period', 'schedule'],
      ['--start-time', 'window, schedule'],
      ['--end-time', 'window, schedule'],
      ['--reboot-days', 'window, schedule'],
      ['--time-zone', 'window, timeZone'],
      ['--annotate-nodes', 'announce.conditions'],
      ['--notify-url', 'notify'],
      ['--reboot-sentinel', 'reboot.onlyIfNeeded.condition'],
    ],
  )
})

const NEEDS: readonly (readonly [flag: string, need: string, files: unknown, mounts: unknown])[] = [
  ['--period=1h', 'auto', undefined, undefined],
  ['--reboot-sentinel=/var/run/reboot-required', 'auto', undefined, undefined],
  ['--reboot-sentinel=/var/run/mlab-reboot', '', ['/run/mlab-reboot'], undefined],
  ['--reboot-sentinel=/boot/do/it', '', ['/boot/do/it'], undefined],
  ['--reboot-sentinel=/reboot', 'auto', undefined, undefined],
  ['--reboot-sentinel-command=needs-restarting', 'auto', undefined, undefined],
]

for (const [flag, need, files, mounts] of NEEDS) {
  test(`${flag} tells the rebooter what to look at`, () => {
    const { rebooter } = scheduled({ flags: [flag] }).values
    assert.deepEqual([rebooter.need, rebooter.needFiles, rebooter.needMounts], [need, files, mounts])
  })
}

test('the directories that a rebooter sees by default are those of the chart', () => {
  const { rebooter } = parse(shipped('chart/evenkeel/values.yaml')) as { rebooter: { needMounts: unknown } }
  assert.deepEqual(rebooter.needMounts, NEED_MOUNTS)
})

test('a field that YAML 1.1 would read as a word is quoted, since kubectl reads that', () => {
  const { texts } = scheduled({ flags: ['--slack-hook-url=https://hooks.slack.com/services/A/B/C'] })
  assert.match(texts.schedule ?? '', /\n +"on":\s/)
  assert.doesNotMatch(texts.schedule ?? '', /^ *(- )?on:/m)
})

test('a node that is rebooted by ssh says its need by the condition all the same', () => {
  const { schedule, values } = scheduled({ flags: ['--reboot-sentinel=/run/mine'] }, { reboot: 'ssh ops' })
  const { reboot } = (schedule.spec.template as { spec: { reboot: object } }).spec
  assert.deepEqual(reboot, {
    ssh: { user: 'ops', command: ['sudo', '-n', 'systemctl', 'reboot'] },
    onlyIfNeeded: { condition: 'RebootRequired' },
    kuredLock: { namespace: 'kube-system', daemonSet: 'kured' },
  })
  assert.deepEqual(values.rolls, {
    enabled: true,
    allowed: ['ops', ['sudo', '-n', 'systemctl', 'reboot']],
    sshSecret: 'evenkeel-roll-ssh',
  })
  assert.equal(values.rebooter.door, '')
})

test('a command that blocks a node must be allowed, and its program must be in the image', () => {
  const { schedule, values, rows } = scheduled({ flags: ['--blocking-pod-selector=runtime=long'] })
  assert.equal(values.rolls.allowed?.length, 1)
  assert.match(faultsOf(schedule).join(), /^spec\.template\.spec\.gates\[0\]\.command: a Roll may name a command/)
  assert.deepEqual(
    rows.map(({ why }) => why),
    ['by kubectl, which asks for such pods on the node; rolls.image of the chart must have it'],
  )
})

test('a balancer whose socket no pod reaches is said', () => {
  const settings = kuredSettings(new Untrusted(daemonSetOf({ flags: [] }), 'daemonset'))
  assert.ok(settings !== undefined)
  const { leftOut } = proposeRoll({ ...FACTS, kured: settings, isScheduled: true }, new Map())
  assert.deepEqual(
    leftOut.filter(({ what }) => what.includes('RollSchedule')),
    [
      {
        what: 'lb-1 in the RollSchedule',
        why: 'a pod reaches no socket of this machine: give the instance tcp in place of /run/lb-1.sock (docs/roll-balancers.md)',
      },
    ],
  )
})

test('the files are placed with the roll file last, since the others belong to it', () => {
  const paths = pathsOf({ ...FLAGS, file: 'my.yaml' })
  const texts = { roll: 'r', rights: 'i', schedule: 's', values: 'v' }
  assert.deepEqual(
    filesOf(paths, texts).map(({ path }) => path),
    ['my-rights.yaml', 'my-values.yaml', 'my-schedule.yaml', 'my.yaml'],
  )
})
