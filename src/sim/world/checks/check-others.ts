import { quantity } from '../../../ground/model/quantity.ts'
import type { ApiObject } from '../api-object.ts'
import { isMap } from '../merge-patch.ts'
import { atLeast, type Cause, duplicate, forbidden, notSupported, oneOf, required, tooLong, wrong } from './cause.ts'
import { isLabelValue, isQualifiedName } from './names.ts'

type JsonMap = Readonly<Record<string, unknown>>

const maps = (value: unknown): readonly JsonMap[] => (Array.isArray(value) ? value.filter(isMap) : [])
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** pkg/apis/core/validation/validation.go, ValidateNode, validateNodeTaints. */
export function checkNode({ taints }: JsonMap): readonly Cause[] {
  const seen = new Set<string>()
  return maps(taints).flatMap((taint, index) => {
    const { key = '', value = '', effect = '' } = taint
    // The API server calls them so (ValidateNode hands the path of the metadata on).
    const field = `metadata.taints[${index}]`
    const pair = `${String(key)} ${String(effect)}`
    const isTwice = seen.has(pair)
    seen.add(pair)
    return [
      ...(isQualifiedName(String(key))
        ? []
        : [wrong(`${field}.key`, key, 'name part must consist of alphanumeric characters')]),
      ...(isLabelValue(String(value))
        ? []
        : [
            wrong(
              `${field}.value`,
              value,
              'a valid label must be an empty string or consist of alphanumeric characters',
            ),
          ]),
      ...(effect === '' ? [required(`${field}.effect`)] : oneOf(`${field}.effect`, effect, EFFECTS)),
      ...(isTwice ? [duplicate(field, taint)] : []),
    ]
  })
}

/** The same, MaxSecretSize: all values together. */
const CONFIG_MAP_MAX = 1024 * 1024

export function checkConfigMap({ data, binaryData }: ApiObject): readonly Cause[] {
  const texts = Object.entries(isMap(data) ? data : {}).map(([key, value]) => [key, String(value).length] as const)
  const bytes = Object.entries(isMap(binaryData) ? binaryData : {}).map(
    ([key, value]) => [key, (String(value).length * 3) / 4] as const,
  )
  const size = [...texts, ...bytes].reduce((sum, [, length]) => sum + length, 0)
  const names = texts.filter(([key]) => !/^[-._a-zA-Z0-9]{1,253}$/.test(key))
  return [
    ...texts
      .filter(([key]) => isMap(binaryData) && binaryData[key] !== undefined)
      .map(([key]) => wrong(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...names.map(([key]) => wrong(`data[${key}]`, key, 'a valid config key must consist of alphanumeric characters')),
    ...(size > CONFIG_MAP_MAX ? [tooLong('[]', CONFIG_MAP_MAX)] : []),
  ]
}

export function checkConfigMapChange(next: ApiObject, old: ApiObject): readonly Cause[] {
  if (old.immutable !== true) return []
  return [
    ...(next.immutable === true ? [] : [forbidden('immutable', 'field is immutable when `immutable` is set')]),
    ...(['data', 'binaryData'] as const).flatMap((name) =>
      JSON.stringify(next[name]) === JSON.stringify(old[name])
        ? []
        : [forbidden(name, 'field is immutable when `immutable` is set')],
    ),
  ]
}

/** pkg/apis/coordination/validation/validation.go. */
export const checkLease = ({ leaseDurationSeconds, leaseTransitions }: JsonMap): readonly Cause[] => [
  ...(typeof leaseDurationSeconds === 'number' && leaseDurationSeconds <= 0
    ? [wrong('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0')]
    : []),
  ...atLeast('spec.leaseTransitions', leaseTransitions, 0),
]

/** pkg/apis/policy/validation/validation.go. */
export function checkBudget(spec: JsonMap): readonly Cause[] {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy } = spec
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [wrong('spec', spec, 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...shareCauses('spec.minAvailable', minAvailable),
    ...shareCauses('spec.maxUnavailable', maxUnavailable),
    ...oneOf('spec.unhealthyPodEvictionPolicy', unhealthyPodEvictionPolicy, ['IfHealthyBudget', 'AlwaysAllow']),
  ]
}

/** A number from 0, or a percentage up to 100 (pkg/apis/apps/validation, ValidatePositiveIntOrPercent, IsNotMoreThan100Percent). */
function shareCauses(field: string, value: unknown): readonly Cause[] {
  if (typeof value === 'number') return atLeast(field, value, 0)
  if (typeof value !== 'string') return []
  const percent = /^(\d+)%$/.exec(value)?.[1]
  if (percent === undefined)
    return [wrong(field, value, "a valid percent string must be a numeric string followed by an ending '%'")]
  return Number(percent) > 100 ? [wrong(field, value, 'must not be greater than 100%')] : []
}

/** An event of what has no namespace belongs to `default` (pkg/apis/core/validation/events.go). */
export function checkEvent({ metadata, involvedObject }: ApiObject): readonly Cause[] {
  const { namespace = '' } = isMap(involvedObject) ? involvedObject : {}
  const own = metadata.namespace ?? ''
  const isWell = namespace === '' ? own === 'default' || own === '' || own === 'kube-system' : namespace === own
  return isWell ? [] : [wrong('involvedObject.namespace', namespace, 'does not match event.namespace')]
}

/** The same, ValidatePersistentVolumeClaimSpec. */
export function checkClaim({ accessModes, resources }: JsonMap): readonly Cause[] {
  const { storage } = isMap(resources) && isMap(resources.requests) ? resources.requests : {}
  return [
    ...(areThere(accessModes) ? [] : [required('spec.accessModes', 'at least 1 access mode is required')]),
    ...((amount(storage) ?? 1) > 0 ? [] : [wrong('spec.resources[storage]', storage, 'must be greater than zero')]),
  ]
}

const areThere = (list: unknown): boolean => Array.isArray(list) && list.length > 0

const amount = (value: unknown): number | undefined => (value === undefined ? undefined : quantity(String(value)))

/** The same, ValidatePersistentVolumeClaimUpdate. */
export const checkClaimChange = ({ spec }: ApiObject, old: ApiObject): readonly Cause[] =>
  JSON.stringify(spec) === JSON.stringify(old.spec)
    ? []
    : [
        forbidden(
          'spec',
          'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
        ),
      ]

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

/** The same, ValidatePersistentVolumeSpec. */
export function checkVolume({ accessModes, capacity }: JsonMap): readonly Cause[] {
  const field = 'spec.capacity'
  const modes = Array.isArray(accessModes) ? accessModes : []
  return [
    ...(areThere(accessModes) ? [] : [required('spec.accessModes')]),
    ...modes.flatMap((mode) => oneOf('spec.accessModes', mode, ACCESS_MODES)),
    ...(isMap(capacity) ? [] : [required(field)]),
    ...(isMap(capacity) && capacity.storage !== undefined ? [] : [notSupported(field, capacity, ['storage'])]),
  ]
}

/** The same, ValidateResourceQuotaSpec. */
export const checkQuota = ({ hard }: JsonMap): readonly Cause[] =>
  Object.entries(isMap(hard) ? hard : {}).flatMap(([name, most]) => atLeast(`spec.hard[${name}]`, amount(most), 0))

/** The same, ValidateService. */
export const checkService = ({ type, ports }: JsonMap): readonly Cause[] => [
  ...oneOf('spec.type', type, ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']),
  ...maps(ports).flatMap((port, index) =>
    ['port', 'targetPort'].flatMap((name) =>
      port[name] === 0 ? [wrong(`spec.ports[${index}].${name}`, 0, 'must be between 1 and 65535, inclusive')] : [],
    ),
  ),
]

/** pkg/apis/scheduling/validation/validation.go: higher ones are the system's. */
const PRIORITY_MAX = 1_000_000_000

export const checkPriorityClass = ({ metadata, value }: ApiObject): readonly Cause[] =>
  Number(value) > PRIORITY_MAX && !metadata.name.startsWith('system-')
    ? [forbidden('value', `maximum allowed value of a user defined priority is ${PRIORITY_MAX}`)]
    : []

export const checkPriorityClassChange = ({ value }: ApiObject, old: ApiObject): readonly Cause[] =>
  value === old.value ? [] : [forbidden('value', 'may not be changed in an update.')]
