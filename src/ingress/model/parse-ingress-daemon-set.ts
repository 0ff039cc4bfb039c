import type { IngressGroup } from '../../ground/model/ingress-keys.ts'
import { PROMOTED_ANNOTATION, RETRY_ANNOTATION } from '../../ground/model/ingress-keys.ts'
import { isJsonObject } from '../../ground/model/json-object.ts'
import { parseOutLimit } from '../../ground/model/out-limit.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import { MalformedReply, type Untrusted } from '../../ground/model/untrusted.ts'
import type {
  DetachMark,
  DetachSpec,
  IngressDaemonSet,
  IngressSpec,
  IngressStrategy,
  IngressTemplate,
  PodLimit,
  RolloutSpec,
} from './ingress-daemon-set.ts'
import { INGRESS_DEFAULTS as D } from './ingress-defaults.ts'

/**
 * Parses an IngressDaemonSet of that group, with its defaults, and with misspelt names read as the right ones. If the spec contradicts
 * itself, the reading is the one that disturbs least: a node is detached before its pods change.
 */
export const parseIngressDaemonSet =
  (group: IngressGroup) =>
  (object: Untrusted): IngressDaemonSet => {
    const { namespace, name, uid, resourceVersion, generation, labels, annotations } = parseMetadata(
      object,
      'namespaced',
    )
    const { [PROMOTED_ANNOTATION]: promoted, [RETRY_ANNOTATION]: retried } = annotations
    const metadata = object.at('metadata')
    return {
      ...{ group, namespace, name, uid, resourceVersion, labels },
      generation: generation ?? 0,
      finalizers: metadata
        .at('finalizers')
        .each()
        .map((finalizer) => finalizer.text()),
      deleting: !metadata.at('deletionTimestamp').absent,
      ...present({ promoted, retried }),
      ...parseRollback(object.at('spec')),
      spec: parseSpec(object.at('spec')),
    }
  }

function parseRollback(spec: Untrusted): Pick<IngressDaemonSet, 'rollbackTo'> {
  const revision = spec.at('rollbackTo').at('revision').optionalInteger()
  return revision === undefined ? {} : { rollbackTo: { revision, spec: spec.fields() } }
}

function parseSpec(spec: Untrusted): IngressSpec {
  const rolling = spec.at('updateStrategy').at('rollingUpdate')
  const podsPerNode = spec.at('podsPerNode').integerOr(D.podsPerNode)
  return {
    podsPerNode,
    minReadyPodsPerNode: spec.at('minReadyPodsPerNode').integerOr(podsPerNode),
    minReadySeconds: spec.at('minReadySeconds').integerOr(D.minReadySeconds),
    nodeSelector: spec.at('nodeSelector').textMap(),
    selector: spec.at('selector').at('matchLabels').textMap(),
    healthCheckNodePorts: spec
      .at('healthCheckNodePorts')
      .each()
      .map((port) => port.integerOr(0)),
    healthChecker: parseHealthChecker(spec.at('healthChecker')),
    strategy: parseStrategy(rolling),
    detach: parseDetach(rolling),
    rollout: parseRollout(spec),
    onCordon: wordOf(spec.at('onCordon'), ['Detach', 'DetachAndScaleDown', 'Ignore']),
    drainGate: wordOf(spec.at('drainGate'), ['Closed', 'Open']),
    placement: wordOf(spec.at('placement'), ['Affinity', 'NodeName']),
    revisionHistoryLimit: spec.at('revisionHistoryLimit').integerOr(D.revisionHistoryLimit),
    template: parseTemplate(spec.at('template')),
  }
}

function parseHealthChecker(checker: Untrusted): IngressSpec['healthChecker'] {
  const image = checker.at('image').optionalText()
  return {
    ...present({ image }),
    imagePullPolicy: wordOf(checker.at('imagePullPolicy'), ['IfNotPresent', 'Always', 'Never']),
    serviceAccountName: checker.at('serviceAccountName').textOr(D.serviceAccountName),
  }
}

function parseStrategy(rolling: Untrusted): IngressStrategy {
  const maxUnavailableNodes = limitOf(rolling.at('maxUnavailableNodes'), 0)
  if (!isNone(maxUnavailableNodes)) return { kind: 'detach', maxUnavailableNodes }
  const maxDegradedNodes = limitOf(rolling.at('maxDegradedNodes'), D.maxDegradedNodes)
  return {
    kind: 'inPlace',
    maxDegradedNodes: isNone(maxDegradedNodes) ? { kind: 'count', count: D.maxDegradedNodes } : maxDegradedNodes,
    maxUnavailablePods: limitOf(podsAtOnce(rolling), D.maxUnavailablePodsPerNode),
    maxSurgedPods: limitOf(rolling.at('maxSurgedPodsPerNode'), D.maxSurgedPodsPerNode),
  }
}

/** The field by its right name, or by one of the two that manifests have for it. */
function podsAtOnce(rolling: Untrusted): Untrusted {
  const right = rolling.at('maxUnavailablePodsPerNode')
  const misspelt = [rolling.at('maxUnavaiablePodsPerNode'), rolling.at('maxUnavailablePodsPerNodes')]
  return [right, ...misspelt].find(({ absent }) => !absent) ?? right
}

function limitOf(limit: Untrusted, fallback: number): PodLimit {
  const written = limit.optionalIntegerOrText() ?? String(fallback)
  if (written === '0' || written === '0%') return { kind: 'count', count: 0 }
  const parsed = parseOutLimit(written)
  if (parsed === undefined) throw new MalformedReply(`${limit.path} is neither a number nor a percentage`)
  return parsed
}

const isNone = (limit: PodLimit): boolean => limit.kind === 'count' && limit.count === 0

function parseDetach(rolling: Untrusted): DetachSpec {
  const node = rolling.at('annotateNodeToDetach')
  const wait = rolling.at('waitForDetachmentByAnnotatedTimestamp')
  return {
    deployment: parseMark(rolling.at('annotateDeploymentToDetach'), D.detachKey),
    ...(node.absent ? {} : { node: parseRequest(node) }),
    ...(wait.absent ? {} : { acknowledgement: { key: wait.at('key').text(), graceMs: graceOf(wait) } }),
    timeoutMs: rolling.at('detachTimeoutSeconds').integerOr(D.detachTimeoutSeconds) * 1_000,
    onTimeout: wordOf(rolling.at('detachTimeoutPolicy'), ['Pause', 'Proceed', 'Abort']),
    attachGraceMs: rolling.at('attachGraceSeconds').integerOr(D.attachGraceSeconds) * 1_000,
  }
}

/** `key=value` in one text is taken as well. */
function parseRequest(node: Untrusted): DetachMark {
  const [key = '', ...value] = node.at('key').text().split('=')
  const mark = parseMark(node, key)
  return value.length === 0 ? mark : { ...mark, key, value: value.join('=') }
}

const parseMark = (mark: Untrusted, key: string): DetachMark => ({
  key: mark.at('key').textOr(key),
  value: mark.at('value').textOr(''),
  graceMs: graceOf(mark),
})

const graceOf = (mark: Untrusted): number => mark.at('gracePeriodSeconds').integerOr(D.graceSeconds) * 1_000

function parseRollout(spec: Untrusted): RolloutSpec {
  const rolling = spec.at('updateStrategy').at('rollingUpdate')
  const canary = rolling.at('canary')
  return {
    paused: spec.at('paused').flagOr(D.paused),
    partition: rolling.at('partition').integerOr(D.partition),
    ...(canary.absent ? {} : { canary: canary.at('nodeSelector').textMap() }),
    failureThreshold: rolling.at('failureThreshold').integerOr(D.failureThreshold),
    autoRollback: rolling.at('autoRollback').flagOr(D.autoRollback),
    progressDeadlineMs: spec.at('progressDeadlineSeconds').integerOr(D.progressDeadlineSeconds) * 1_000,
    minInServiceNodes: rolling.at('minInServiceNodes').integerOr(D.minInServiceNodes),
    zoneKey: rolling.at('zoneKey').textOr(D.zoneKey),
    replaceUnavailableFirst: rolling.at('replaceUnavailableFirst').flagOr(D.replaceUnavailableFirst),
  }
}

function parseTemplate(template: Untrusted): IngressTemplate {
  const object = template.raw
  if (!isJsonObject(object)) throw new MalformedReply(`${template.path} is missing`)
  return {
    object,
    labels: template.at('metadata').at('labels').textMap(),
    hostNetwork: template.at('spec').at('hostNetwork').flagOr(false),
  }
}

/** The word that was written; the first of `words` if the field is absent. */
function wordOf<T extends string>(word: Untrusted, words: readonly [T, ...T[]]): T {
  const written = word.optionalText() ?? words[0]
  const known = words.find((each) => each === written)
  if (known === undefined) throw new MalformedReply(`${word.path} is not one of ${words.join(', ')}`)
  return known
}
