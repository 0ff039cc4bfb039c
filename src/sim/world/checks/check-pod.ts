import { isDeepStrictEqual } from 'node:util'
import { isMap } from '../merge-patch.ts'
import { atLeast, type Cause, duplicate, forbidden, notFound, oneOf, required, wrong } from './cause.ts'
import { isDnsLabel, isQualifiedName } from './names.ts'

type JsonMap = Readonly<Record<string, unknown>>

const maps = (value: unknown): readonly JsonMap[] => (Array.isArray(value) ? value.filter(isMap) : [])

/** As far as somebody gets it wrong who writes workloads (pkg/apis/core/validation/validation.go, ValidatePodSpec). */
export function checkPodSpec(spec: JsonMap, field: string): readonly Cause[] {
  const containers = maps(spec.containers)
  const volumes = maps(spec.volumes).map(({ name }) => name)
  return [
    ...(containers.length === 0 ? [required(`${field}.containers`)] : []),
    ...containers.flatMap((container, index) => containerCauses(container, `${field}.containers[${index}]`, volumes)),
    ...twice(containers, `${field}.containers`),
    ...oneOf(`${field}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...oneOf(`${field}.dnsPolicy`, spec.dnsPolicy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
    ...maps(spec.tolerations).flatMap((each, index) => tolerationCauses(each, `${field}.tolerations[${index}]`)),
  ]
}

const twice = (named: readonly JsonMap[], field: string): readonly Cause[] =>
  named.flatMap(({ name }, index) =>
    named.findIndex((other) => other.name === name) < index ? [duplicate(`${field}[${index}].name`, name)] : [],
  )

function containerCauses(container: JsonMap, field: string, volumes: readonly unknown[]): readonly Cause[] {
  const { name, image, readinessProbe } = container
  const isNamed = typeof name === 'string' && name !== ''
  return [
    ...(isNamed ? [] : [required(`${field}.name`)]),
    ...(isNamed && !isDnsLabel(name)
      ? [wrong(`${field}.name`, name, 'a lowercase RFC 1123 label must consist of lower case alphanumeric characters')]
      : []),
    ...(typeof image === 'string' && image !== '' ? [] : [required(`${field}.image`)]),
    ...maps(container.volumeMounts).flatMap((mount, index) =>
      volumes.includes(mount.name) ? [] : [notFound(`${field}.volumeMounts[${index}].name`, mount.name)],
    ),
    ...(isMap(readinessProbe) ? probeCauses(readinessProbe, `${field}.readinessProbe`) : []),
  ]
}

function probeCauses(probe: JsonMap, field: string): readonly Cause[] {
  const handlers = ['httpGet', 'tcpSocket', 'exec', 'grpc'].filter((name) => probe[name] !== undefined)
  const counts = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']
  return [
    ...(handlers.length === 0 ? [required(field, 'must specify a handler type')] : []),
    ...counts.flatMap((name) => atLeast(`${field}.${name}`, probe[name], 0)),
  ]
}

function tolerationCauses(
  { key = '', operator = 'Equal', value = '', effect = '' }: JsonMap,
  field: string,
): readonly Cause[] {
  return [
    ...(key === '' || isQualifiedName(String(key))
      ? []
      : [wrong(`${field}.key`, key, 'name part must consist of alphanumeric characters')]),
    ...(key === '' && operator !== 'Exists'
      ? [
          wrong(
            `${field}.operator`,
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        ]
      : []),
    ...(operator === 'Exists' && value !== ''
      ? [wrong(`${field}.operator`, null, 'value must be empty when `operator` is "Exists"')]
      : []),
    ...(effect === '' ? [] : oneOf(`${field}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
  ]
}

/** What a pod may change once it is there (the same, ValidatePodUpdate). */
export function checkPodChange(spec: JsonMap, old: JsonMap): readonly Cause[] {
  const kept = keepsTolerations(spec, old)
    ? []
    : [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
  if (isDeepStrictEqual(fixed(spec), fixed(old))) return kept
  return [
    ...kept,
    forbidden(
      'spec',
      'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    ),
  ]
}

function fixed(spec: JsonMap): JsonMap {
  const { activeDeadlineSeconds: _limit, tolerations: _tolerations, schedulingGates: _gates, ...rest } = spec
  const withoutImages = (value: unknown): unknown => maps(value).map(({ image: _image, ...container }) => container)
  return { ...rest, containers: withoutImages(spec.containers), initContainers: withoutImages(spec.initContainers) }
}

const keepsTolerations = (spec: JsonMap, old: JsonMap): boolean =>
  maps(old.tolerations).every((one) =>
    maps(spec.tolerations).some(({ tolerationSeconds, ...other }) =>
      isDeepStrictEqual({ ...one, tolerationSeconds }, { ...other, tolerationSeconds }),
    ),
  )
