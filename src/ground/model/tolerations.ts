import { int64 } from './int64.ts'
import type { Taint } from './node.ts'
import { MalformedReply, type Untrusted } from './untrusted.ts'

export interface Toleration {
  /** Empty: any key. */
  readonly key: string
  readonly operator: 'Equal' | 'Exists' | 'Gt' | 'Lt'
  readonly value: string
  /** Empty: any effect. */
  readonly effect: string
}

/** Of a node that is cordoned: a pod that tolerates it may be put there all the same. */
export const CORDON_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

/**
 * What a DaemonSet's pods tolerate beside their template (DaemonSet docs, "Taints and tolerations"): they stay on a node with
 * faults, and come back to a cordoned one.
 */
export const daemonTolerations = (hostNetwork: boolean): readonly Readonly<Record<string, string>>[] => [
  exists('node.kubernetes.io/not-ready', 'NoExecute'),
  exists('node.kubernetes.io/unreachable', 'NoExecute'),
  exists('node.kubernetes.io/disk-pressure', 'NoSchedule'),
  exists('node.kubernetes.io/memory-pressure', 'NoSchedule'),
  exists('node.kubernetes.io/pid-pressure', 'NoSchedule'),
  exists('node.kubernetes.io/unschedulable', 'NoSchedule'),
  ...(hostNetwork ? [exists('node.kubernetes.io/network-unavailable', 'NoSchedule')] : []),
]

const exists = (key: string, effect: string) => ({ key, operator: 'Exists', effect }) as const

/** Throws MalformedReply where the API server would refuse it. */
export function parseToleration(toleration: Untrusted): Toleration {
  const operator = toleration.at('operator').textOr('') || 'Equal'
  const key = toleration.at('key').textOr('')
  if (!isOperator(operator)) throw new MalformedReply(`${toleration.path}.operator is ${operator}`)
  if (key === '' && operator !== 'Exists') throw new MalformedReply(`${toleration.path} has no key`)
  return { key, operator, value: toleration.at('value').textOr(''), effect: toleration.at('effect').textOr('') }
}

const isOperator = (operator: string): operator is Toleration['operator'] =>
  ['Equal', 'Exists', 'Gt', 'Lt'].includes(operator)

/** As in the scheduler; `Gt` and `Lt` are of KEP-5471: the taint's value is the greater one, or the lesser. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key, operator, effect } = toleration
  if ((effect !== '' && effect !== taint.effect) || (key !== '' && key !== taint.key)) return false
  const value = taint.value ?? ''
  if (operator === 'Exists') return true
  if (operator === 'Equal') return value === toleration.value
  const [is, than] = [int64(value), int64(toleration.value)]
  return is !== undefined && than !== undefined && (operator === 'Gt' ? is > than : is < than)
}
