import type { KuredFlag } from '../../../../ground/model/kured-settings.ts'
import { kuredCron } from './kured-cron.ts'
import { asksMachine, type RebootWay } from './kured-fields.ts'
import { hasAlertGate } from './kured-gates.ts'
import { rebooterNeed } from './kured-need.ts'
import { notifyCarried, serviceOf } from './kured-notify.ts'
import type { Carried, KuredReader } from './kured-reader.ts'
import { isZone } from './kured-window.ts'

/** One flag of kured, and what became of it. */
export interface KuredRow extends Carried {
  readonly flag: string
  /** As it may be shown: of a secret, only its kind. */
  readonly value: string
}

interface Asked extends RebootWay {
  readonly kured: KuredReader
}

type Rule = (asked: Asked) => Carried

const as =
  (field: string, why: string): Rule =>
  () => ({ as: field, why })
const not =
  (why: string): Rule =>
  () => ({ why })

const inWindow: Rule = ({ kured, isScheduled }) => ({
  as: isScheduled ? 'window, schedule' : 'window',
  why: `the same times, day by day, in the same time zone${isScheduled ? `; Rolls are made at ${kuredCron(kured)}` : ''}`,
})
const byKubectl =
  (field: string, why: string): Rule =>
  ({ isScheduled }) => ({ as: field, why: isScheduled ? `${why}; rolls.image of the chart must have it` : why })
const alerts =
  (why: string): Rule =>
  ({ kured }) =>
    hasAlertGate(kured) ? { as: 'gates', why } : { why: 'there is no --prometheus-url that a roll can ask' }
const notices: Rule = ({ kured, isScheduled }) => notifyCarried(kured, isScheduled)
const words = not('a roll says more than kured, in words of its own; webhook.template sets the form')
const OUTSIDE = 'an option of the command, not of the file:'

/** Every flag that a version of kured has. `npm test` compares these with the page. */
export const KURED_RULES: Readonly<Record<string, Rule>> = {
  'alert-filter-match-only': alerts('in the query of the gate'),
  'alert-filter-regexp': alerts('in the query of the gate'),
  'alert-firing-only': alerts('in the query of the gate'),
  'annotate-nodes': ({ kured }) =>
    kured.isOn('annotate-nodes')
      ? { as: 'announce.conditions', why: 'conditions of the Node in place of annotations' }
      : { why: 'it is off' },
  'annotation-ttl': not('a lock of a roll ends by itself when its process is gone'),
  'blocking-pod-selector': byKubectl('gates', 'by kubectl, which asks for such pods on the node'),
  concurrency: ({ kured }) =>
    (kured.wholeNumber('concurrency') ?? 1) > 1
      ? { as: 'parallel, slots.maxOut', why: 'the ConfigMap evenkeel-budget must allow as many' }
      : { as: 'parallel', why: 'one node at a time is the default' },
  'drain-delay': not('a node is drained once each balancer has confirmed that it sends nothing to it'),
  'drain-grace-period': ({ kured }) =>
    (kured.wholeNumber('drain-grace-period') ?? 0) > 0
      ? { as: 'drain.grace', why: 'the same' }
      : { why: 'each pod has its own grace, which is the default; a grace of 0 kills and is not offered' },
  'drain-pod-selector': not('a reboot ends every pod, so that every pod is moved first'),
  'drain-timeout': ({ kured }) =>
    kured.durationMs('drain-timeout') === undefined
      ? { why: 'no limit, or none that is valid; the defaults are 10 min for a refusal and 30 min for a stage' }
      : { as: 'drain.blockedLimit, drain.stageLimit', why: 'then the node is put back and the roll is held' },
  'ds-name': as('reboot.kuredLock', 'the lock that both take'),
  'ds-namespace': as('reboot.kuredLock', 'the lock that both take'),
  'end-time': inWindow,
  'force-reboot': ({ kured }) =>
    kured.isOn('force-reboot')
      ? { why: 'a node whose pods may not leave is not rebooted; drain.blocked with delete: true deletes them first' }
      : { why: 'it is off' },
  'lock-annotation': as('reboot.kuredLock', 'the roll reads it from the DaemonSet'),
  'lock-release-delay': ({ kured }) =>
    kured.durationMs('lock-release-delay') === undefined
      ? { why: 'no delay; a roll watches each node for 30 s, soak' }
      : { as: 'soak', why: 'in this time a failed request stops the roll' },
  'lock-ttl': not('a slot of a roll ends by itself when its process is gone (slots.leaseDuration)'),
  'log-format': not(`${OUTSIDE} evenkeel roll -o jsonl`),
  'message-template-drain': words,
  'message-template-reboot': words,
  'message-template-uncordon': words,
  'metrics-host': not(`${OUTSIDE} evenkeel roll --metrics-address ADDRESS`),
  'metrics-port': not(`${OUTSIDE} evenkeel roll --metrics-port PORT`),
  'notify-url': notices,
  period: ({ kured, isScheduled }) =>
    isScheduled
      ? { as: 'schedule', why: `Rolls are made at ${kuredCron(kured)}` }
      : { why: 'a roll works through its nodes at once; with --schedule, a RollSchedule begins one again and again' },
  'post-reboot-node-labels': byKubectl('hooks', 'by kubectl, once the node is in service again'),
  'pre-reboot-node-labels': byKubectl('hooks', 'by kubectl, before the node is cordoned'),
  'prefer-no-schedule-taint': as('drain.preferDone', 'the taint is evenkeel.dev/to-be-rolled'),
  'prometheus-url': alerts('a gate before each node: no alert is active'),
  'reboot-command': ({ kured, isBySsh }) =>
    isBySsh && kured.words('reboot-command') !== undefined
      ? { as: 'reboot.ssh.command', why: 'with sudo -n before it, since the user of ssh is not root' }
      : { why: 'the reboot goes another way, by your answer' },
  'reboot-days': inWindow,
  'reboot-delay': not('a node is rebooted once its pods have left; the gates may stand before reboot'),
  'reboot-method': not('the reboot goes by your answer: by ssh, or by a command'),
  'reboot-sentinel': ({ kured, ...way }) => {
    if (kured.words('reboot-sentinel-command') !== undefined)
      return { why: '--reboot-sentinel-command counts before it' }
    if (asksMachine(way)) return { as: 'reboot.onlyIfNeeded.sentinel', why: 'the same file, looked at by ssh' }
    const why = way.isScheduled
      ? rebooterNeed(kured).why
      : 'name the file to evenkeel-rebooter (docs/reboot-required.md)'
    return { as: 'reboot.onlyIfNeeded.condition', why }
  },
  'reboot-sentinel-command': ({ kured, ...way }) => {
    if (kured.words('reboot-sentinel-command') === undefined) return { why: 'it is empty, or a quote is not closed' }
    return asksMachine(way)
      ? { as: 'reboot.onlyIfNeeded.command', why: 'with exit code 0 for needed, as the user of ssh' }
      : {
          as: 'reboot.onlyIfNeeded.condition',
          why: 'a command cannot be asked without ssh; a timer can make a file of it',
        }
  },
  'reboot-signal': not('the reboot goes by your answer: by ssh, or by a command'),
  'skip-wait-for-delete-timeout': not('a roll waits until a pod is gone, or until drain.stageLimit'),
  'slack-channel': not('the channel is part of the webhook; with a token write notify.slack.channel'),
  'slack-hook-url': (asked) =>
    asked.kured.text('notify-url') === undefined ? notices(asked) : { why: '--notify-url counts before it' },
  'slack-username': not('the app of Slack has the name'),
  'start-time': inWindow,
  'time-zone': (asked) => {
    const zone = asked.kured.text('time-zone') ?? ''
    const field = asked.isScheduled ? 'window, timeZone' : 'window'
    if (zone === 'Local') return { as: field, why: 'the zone of the pod: its variable TZ, or UTC' }
    return isZone(zone)
      ? { ...inWindow({ ...asked, isScheduled: false }), as: field }
      : { why: `no time zone that is known here: UTC is written` }
  },
}

const SECRETS: ReadonlySet<string> = new Set(['notify-url', 'slack-hook-url'])

/** A row for each flag of the DaemonSet, in its order; one that kured repeats has one row. */
export function kuredRows(kured: KuredReader, way: RebootWay): readonly KuredRow[] {
  const flags = kured.settings.flags
  const first = flags.filter(({ name }, at) => flags.findIndex((other) => other.name === name) === at)
  return first.map(({ name }) => {
    const given = flags.filter((flag) => flag.name === name)
    const row = { flag: `--${name}`, value: given.map(shownValue).join(' ') }
    return { ...row, ...carriedOf(given, { kured, ...way }) }
  })
}

function shownValue({ name, value = '', isHidden }: KuredFlag): string {
  if (isHidden === true) return '(in a Secret or ConfigMap)'
  if (!SECRETS.has(name) || value === '') return value
  return `${serviceOf(value)}://…`
}

function carriedOf(given: readonly KuredFlag[], asked: Asked): Carried {
  const [{ name } = { name: '' }] = given
  const rule = Object.hasOwn(KURED_RULES, name) ? KURED_RULES[name] : undefined
  if (rule === undefined)
    return { why: 'no kured that is known here has this flag: see what it does, and set that by hand' }
  if (given.every(({ isHidden }) => isHidden === true)) {
    return { why: 'its value is in a Secret or a ConfigMap, which is not read: set it by hand' }
  }
  if (given.every(({ value }) => value?.trim() === '')) return { why: 'it is empty' }
  const values = new Set(given.map(({ value }) => value))
  const list = /^(blocking-pod-selector|reboot-days|(pre|post)-reboot-node-labels)$/
  const carried = rule(asked)
  if (values.size < 2 || list.test(name)) return carried
  return { ...carried, why: `${carried.why}; it is given more than once, and the last one counts here` }
}
