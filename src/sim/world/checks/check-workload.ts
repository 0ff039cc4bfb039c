import { isDeepStrictEqual } from 'node:util'
import type { ApiObject } from '../api-object.ts'
import { type ApiResource, DAEMON_SETS, DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS } from '../api-resource.ts'
import { labelTest, type WrittenSelector } from '../label-selector.ts'
import { isMap } from '../merge-patch.ts'
import { atLeast, type Cause, forbidden, notSupported, oneOf, required, wrong } from './cause.ts'
import { checkPodSpec } from './check-pod.ts'

type JsonMap = Readonly<Record<string, unknown>>

/** pkg/apis/apps/validation/validation.go: the selector, the template and the strategy of what makes pods. */
export function checkWorkload(resource: ApiResource, spec: JsonMap): readonly Cause[] {
  return [
    ...selectorCauses(spec),
    ...atLeast('spec.replicas', spec.replicas, 0),
    ...atLeast('spec.minReadySeconds', spec.minReadySeconds, 0),
    ...(resource === DEPLOYMENTS ? deploymentCauses(spec) : []),
    ...(resource === DAEMON_SETS ? daemonCauses(spec) : []),
    ...(resource === STATEFUL_SETS ? statefulCauses(spec) : []),
    ...templateCauses(spec.template),
  ]
}

function selectorCauses({ selector, template }: JsonMap): readonly Cause[] {
  const metadata = isMap(template) && isMap(template.metadata) ? template.metadata : {}
  const labels = (metadata.labels ?? {}) as Readonly<Record<string, string>>
  const other = wrong('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')
  // No selector selects nothing.
  if (!isMap(selector)) return [required('spec.selector'), other]
  const { matchLabels, matchExpressions } = selector
  const isEmpty = Object.keys(matchLabels ?? {}).length === 0 && !Array.isArray(matchExpressions)
  if (isEmpty) return [wrong('spec.selector', selector, 'empty selector is invalid')]
  return labelTest(selector as WrittenSelector)(labels) ? [] : [other]
}

function templateCauses(template: unknown): readonly Cause[] {
  const spec = isMap(template) && isMap(template.spec) ? template.spec : {}
  const policy = spec.restartPolicy ?? 'Always'
  return [
    ...checkPodSpec(spec, 'spec.template.spec'),
    ...(policy === 'OnFailure' || policy === 'Never'
      ? [notSupported('spec.template.spec.restartPolicy', policy, ['Always'])]
      : []),
  ]
}

/** Of an `IntOrString`; a percentage of nothing is nothing. */
const isZero = (value: unknown): boolean => value === 0 || value === '0%'

function deploymentCauses({ strategy, minReadySeconds = 0, progressDeadlineSeconds = 600 }: JsonMap): readonly Cause[] {
  const { type, rollingUpdate } = isMap(strategy) ? strategy : {}
  const late = Number(progressDeadlineSeconds) <= Number(minReadySeconds)
  return [
    ...(type === 'Recreate' && isMap(rollingUpdate)
      ? [forbidden('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")]
      : oneOf('spec.strategy', type, ['Recreate', 'RollingUpdate'])),
    ...(type === 'RollingUpdate' &&
    isMap(rollingUpdate) &&
    isZero(rollingUpdate.maxUnavailable) &&
    isZero(rollingUpdate.maxSurge)
      ? [wrong('spec.strategy.rollingUpdate.maxUnavailable', 0, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...(late
      ? [wrong('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds')]
      : []),
  ]
}

function daemonCauses({ updateStrategy }: JsonMap): readonly Cause[] {
  const { type, rollingUpdate } = isMap(updateStrategy) ? updateStrategy : {}
  if (type !== 'RollingUpdate') return oneOf('spec.updateStrategy', type, ['RollingUpdate', 'OnDelete'])
  if (!isMap(rollingUpdate)) return [required('spec.updateStrategy.rollingUpdate')]
  const field = 'spec.updateStrategy.rollingUpdate'
  const [isNone, isNoSurge] = [isZero(rollingUpdate.maxUnavailable), isZero(rollingUpdate.maxSurge ?? 0)]
  if (isNone && isNoSurge) return [required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]
  return !isNone && !isNoSurge
    ? [wrong(`${field}.maxSurge`, rollingUpdate.maxSurge, 'may not be set when maxUnavailable is non-zero')]
    : []
}

function statefulCauses({ podManagementPolicy, updateStrategy }: JsonMap): readonly Cause[] {
  const { type, rollingUpdate } = isMap(updateStrategy) ? updateStrategy : {}
  return [
    ...(podManagementPolicy === 'OrderedReady' || podManagementPolicy === 'Parallel'
      ? []
      : [wrong('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'")]),
    ...oneOf('spec.updateStrategy', type, ['RollingUpdate', 'OnDelete']),
    ...(type === 'OnDelete' && isMap(rollingUpdate)
      ? [wrong('spec.updateStrategy.rollingUpdate', rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")]
      : []),
  ]
}

/** The same, ValidateDeploymentUpdate and its like. */
export function checkWorkloadChange(resource: ApiResource, { spec }: ApiObject, old: ApiObject): readonly Cause[] {
  const [next, before] = [spec, old.spec].map((each) => (isMap(each) ? each : {}))
  if (next === undefined || before === undefined) return []
  if (resource === STATEFUL_SETS)
    return isDeepStrictEqual(settled(next), settled(before)) ? [] : [forbidden('spec', FIXED)]
  const isFixed = resource === DEPLOYMENTS || resource === REPLICA_SETS || resource === DAEMON_SETS
  return isFixed && !isDeepStrictEqual(next.selector, before.selector)
    ? [wrong('spec.selector', next.selector, 'field is immutable')]
    : []
}

const FIXED =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

function settled(spec: JsonMap): JsonMap {
  const {
    replicas: _r,
    ordinals: _o,
    template: _t,
    updateStrategy: _u,
    minReadySeconds: _m,
    revisionHistoryLimit: _h,
    persistentVolumeClaimRetentionPolicy: _p,
    ...rest
  } = spec
  return rest
}

/** pkg/apis/batch/validation/validation.go. */
export function checkJob(spec: JsonMap): readonly Cause[] {
  const template = isMap(spec.template) && isMap(spec.template.spec) ? spec.template.spec : {}
  const policy = template.restartPolicy
  const field = 'spec.template.spec.restartPolicy'
  return [
    ...(spec.manualSelector !== true && isMap(spec.selector) && !isGenerated(spec.selector)
      ? [
          wrong('spec.selector', spec.selector, '`selector` not auto-generated'),
          wrong('spec.template.metadata.labels', null, '`selector` does not match template `labels`'),
        ]
      : []),
    ...['parallelism', 'completions', 'backoffLimit'].flatMap((name) => atLeast(`spec.${name}`, spec[name], 0)),
    ...checkPodSpec(template, 'spec.template.spec'),
    ...(policy === 'Always' ? [required(field, 'valid values: "OnFailure", "Never"')] : []),
  ]
}

const isGenerated = ({ matchLabels }: JsonMap): boolean =>
  isMap(matchLabels) && matchLabels['batch.kubernetes.io/controller-uid'] !== undefined

export function checkJobChange({ spec }: ApiObject, old: ApiObject): readonly Cause[] {
  const [next, before] = [spec, old.spec].map((each) => (isMap(each) ? each : {}))
  return ['completions', 'selector', 'template', 'completionMode'].flatMap((name) =>
    isDeepStrictEqual(next?.[name], before?.[name]) ? [] : [wrong(`spec.${name}`, next?.[name], 'field is immutable')],
  )
}
