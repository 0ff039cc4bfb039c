import type { Field, ListItem } from '../roll-file-outline.ts'
import { gatesField } from './kured-gates.ts'
import { notifyField } from './kured-notify.ts'
import { durationText, type KuredReader } from './kured-reader.ts'
import { windowField } from './kured-window.ts'

/** What the file of a roll has of kured, by its sections. */
export interface KuredFields {
  /** Of `spec` itself. */
  readonly spec: readonly Field[]
  readonly drain: readonly Field[]
  readonly reboot: readonly Field[]
}

/** How a node is rebooted by the answer of the person; only by ssh the machine itself can be asked. */
export interface RebootWay {
  readonly isBySsh: boolean
  /** A RollSchedule begins the roll, when a Node says by its condition that it needs one. */
  readonly isScheduled: boolean
}

/** Whether the machine itself is asked if it needs a reboot. */
export const asksMachine = ({ isBySsh, isScheduled }: RebootWay): boolean => isBySsh && !isScheduled

export function kuredFields(kured: KuredReader, way: RebootWay): KuredFields {
  const window = windowField(kured)
  return {
    drain: drainFields(kured),
    reboot: [needField(kured, way), ...lockField(kured)],
    spec: [
      ...(window === undefined ? [] : [window]),
      ...gatesField(kured),
      ...hooksField(kured),
      ...notifyField(kured),
      ...budgetFields(kured),
      ...soakField(kured),
      ...announceField(kured),
    ],
  }
}

const SECOND_MS = 1_000

function drainFields(kured: KuredReader): readonly Field[] {
  const grace = kured.wholeNumber('drain-grace-period')
  const timeoutMs = kured.durationMs('drain-timeout')
  const limit = timeoutMs === undefined ? undefined : durationText(timeoutMs, SECOND_MS)
  return [
    ...(grace === undefined || grace === 0
      ? []
      : [{ key: 'grace', value: durationText(grace * SECOND_MS), comment: 'Of kured: --drain-grace-period.' }]),
    ...(limit === undefined
      ? []
      : [
          { key: 'blockedLimit', value: limit, comment: 'Of kured: --drain-timeout. Then the node is put back.' },
          { key: 'stageLimit', value: limit },
        ]),
    ...(kured.text('prefer-no-schedule-taint') === undefined
      ? []
      : [
          { key: 'preferDone', value: true, comment: 'Of kured: --prefer-no-schedule-taint, by a taint of Even Keel.' },
        ]),
  ]
}

/** Which nodes are rolled. */
function needField(kured: KuredReader, way: RebootWay): Field {
  const key = 'onlyIfNeeded'
  if (!asksMachine(way)) {
    const comment =
      'kured looks at the machine; here the condition of the Node says it, which evenkeel-rebooter writes (docs/reboot-required.md).'
    return { key, value: { fields: [{ key: 'condition', value: 'RebootRequired' }] }, comment }
  }
  const words = kured.words('reboot-sentinel-command')
  if (words !== undefined) {
    const fields = [
      { key: 'command', value: words },
      { key: 'neededExitCode', value: 0 },
    ]
    return { key, value: { fields }, comment: 'Of kured: --reboot-sentinel-command, as the user of ssh.' }
  }
  const fields = [{ key: 'sentinel', value: kured.sentinel() }]
  return { key, value: { fields }, comment: 'Of kured: --reboot-sentinel.' }
}

const NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/

function lockField(kured: KuredReader): readonly Field[] {
  const { name } = kured.settings
  const namespace = kured.settings.namespace ?? kured.text('ds-namespace') ?? 'kube-system'
  if (!NAME.test(namespace) || !NAME.test(name)) return []
  const fields = [
    { key: 'namespace', value: namespace },
    { key: 'daemonSet', value: name },
  ]
  const comment = 'While kured is installed, the roll holds its lock. Remove this section together with kured.'
  return [{ key: 'kuredLock', value: { fields }, comment }]
}

/** kured labels a node before it cordons it, and after it has uncordoned it. */
function hooksField(kured: KuredReader): readonly Field[] {
  const hook = (flag: string, name: string, at: string): readonly ListItem[] => {
    const labels = kured.all(flag)
    if (labels.length === 0) return []
    const run = ['kubectl', 'label', 'node', '{node}', '--overwrite', ...labels]
    const fields = [
      { key: 'name', value: name },
      { key: 'at', value: at },
      { key: 'run', value: run },
    ]
    return [{ value: { fields }, comment: `Of kured: --${flag}. It needs kubectl where the roll runs.` }]
  }
  const items = [
    ...hook('pre-reboot-node-labels', 'label-before', 'beforeNode'),
    ...hook('post-reboot-node-labels', 'label-after', 'afterNode'),
  ]
  return items.length === 0 ? [] : [{ key: 'hooks', value: { items } }]
}

const PARALLEL_MAX = 100

function budgetFields(kured: KuredReader): readonly Field[] {
  const nodes = Math.min(kured.wholeNumber('concurrency') ?? 1, PARALLEL_MAX)
  if (nodes < 2) return []
  const comment = 'Of kured: --concurrency. The ConfigMap evenkeel-budget must allow as many (docs/roll-budget.md).'
  return [
    { key: 'parallel', value: nodes, comment },
    { key: 'slots', value: { fields: [{ key: 'maxOut', value: nodes }] } },
  ]
}

function soakField(kured: KuredReader): readonly Field[] {
  const ms = kured.durationMs('lock-release-delay')
  if (ms === undefined) return []
  const comment = 'Of kured: --lock-release-delay. In this time a failed request stops the roll.'
  return [{ key: 'soak', value: durationText(ms), comment }]
}

function announceField(kured: KuredReader): readonly Field[] {
  if (!kured.isOn('annotate-nodes')) return []
  const comment =
    'Of kured: --annotate-nodes. Conditions of the Node say what the roll does to it, in place of annotations.'
  return [{ key: 'announce', value: { fields: [{ key: 'conditions', value: true }] }, comment }]
}
