import type { Field, ListItem, Section } from '../roll-file-outline.ts'
import { kuredCron } from './kured-cron.ts'
import { rebooterNeed } from './kured-need.ts'
import { NOTIFY_SECRET } from './kured-notify.ts'
import type { KuredReader } from './kured-reader.ts'
import { zoneOf } from './kured-window.ts'

/** The namespace and the release of all pages. */
export const CONTROLLER_NAMESPACE = 'evenkeel'
export const RELEASE = 'evenkeel-agent'
/** Names of Rolls are made from it. */
const NAME = 'reboot-required'

/** The RollSchedule that begins rolls with this `spec` when kured would reboot a node. */
export function scheduleOutline(kured: KuredReader, spec: Section): Section {
  const cron = kuredCron(kured)
  const made =
    'Of kured: --period, --start-time, --end-time, --reboot-days. None is made while an earlier Roll of it is under way.'
  const fields: readonly Field[] = [
    { key: 'schedule', value: cron, comment: made },
    { key: 'timeZone', value: zoneOf(kured) },
    {
      key: 'when',
      value: 'RebootRequired',
      comment: 'A Roll is made only while a Node has the condition RebootRequired.',
    },
    { key: 'template', value: { fields: [{ key: 'spec', value: spec }] } },
  ]
  return {
    fields: [
      { key: 'apiVersion', value: 'evenkeel.dev/v1alpha1' },
      { key: 'kind', value: 'RollSchedule' },
      {
        key: 'metadata',
        value: {
          fields: [
            { key: 'name', value: NAME },
            { key: 'namespace', value: CONTROLLER_NAMESPACE, comment: 'That of the controller.' },
          ],
        },
      },
      { key: 'spec', value: { fields } },
    ],
  }
}

interface OfSchedule {
  /** What its Rolls name and only an administrator may allow. */
  readonly allowed: readonly unknown[]
  readonly isByRebooter: boolean
  /** To reboot a machine, or to reach a HAProxy. */
  readonly usesSsh: boolean
}

/** The values of the chart that the RollSchedule takes. */
export function chartValues(kured: KuredReader, { allowed, isByRebooter, usesSsh }: OfSchedule): Section {
  const { need, needFiles, needMounts } = rebooterNeed(kured)
  const rebooter: readonly Field[] = [
    { key: 'enabled', value: true },
    isByRebooter
      ? { key: 'door', value: 'path', comment: 'Its units are installed on each machine (docs/rebooter.md).' }
      : { key: 'door', value: '', comment: 'It reboots nothing: your answer was another way.' },
    {
      key: 'need',
      value: need,
      comment: 'Of kured: --reboot-sentinel. Nodes say their need by the condition RebootRequired.',
    },
    ...(needFiles.length === 0 ? [] : [{ key: 'needFiles', value: needFiles }]),
    ...(needMounts === undefined ? [] : [{ key: 'needMounts', value: needMounts }]),
  ]
  return {
    fields: [
      { key: 'controller', value: { fields: [{ key: 'enabled', value: true }] } },
      { key: 'rolls', value: { fields: [...rollsFields(allowed), ...(usesSsh ? [SSH] : [])] } },
      { key: 'rebooter', value: { fields: rebooter } },
    ],
  }
}

const SSH: Field = {
  key: 'sshSecret',
  value: 'evenkeel-roll-ssh',
  comment: 'A Secret with your ssh files. rolls.image must be the image with ssh (docs/roll-as-a-job.md#start-it).',
}

function rollsFields(allowed: readonly unknown[]): readonly Field[] {
  const items = allowed.flatMap(allowedItem)
  const variables = allowed.flatMap((one) => (isVariable(one) ? [one.secret] : []))
  const comment =
    'What the RollSchedule names and only an administrator may allow. Programs among it must be in rolls.image (docs/rolls.md#allowed).'
  return [
    { key: 'enabled', value: true },
    ...(items.length === 0 ? [] : [{ key: 'allowed', value: { items }, comment }]),
    ...(variables.length === 0 ? [] : [{ key: 'env', value: { items: variables.map(fromSecret) } }]),
  ]
}

function allowedItem(one: unknown): readonly ListItem[] {
  if (isVariable(one)) return [{ value: { fields: [{ key: 'secret', value: one.secret }] } }]
  if (Array.isArray(one)) return [{ value: one.map(String) }]
  return typeof one === 'string' ? [{ value: one }] : []
}

const isVariable = (one: unknown): one is { readonly secret: string } =>
  typeof one === 'object' && one !== null && 'secret' in one && typeof one.secret === 'string'

/** Where the Secret is not there, the Roll says so, and its pod does not wait for ever. */
function fromSecret(name: string): ListItem {
  const ref: readonly Field[] = [
    { key: 'name', value: NOTIFY_SECRET },
    { key: 'key', value: name },
    { key: 'optional', value: true },
  ]
  const from: Field = { key: 'valueFrom', value: { fields: [{ key: 'secretKeyRef', value: { fields: ref } }] } }
  return { value: { fields: [{ key: 'name', value: name }, from] } }
}
