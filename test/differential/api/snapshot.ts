import { field } from '../../contract/api/field.ts'
import type { ControlPlane } from '../../contract/control/control-plane.ts'
import { KINDS, type KindName, listPath } from './paths.ts'
import type { Sequence } from './step.ts'

type JsonMap = Readonly<Record<string, unknown>>

/** What is there, by kind, each object without what is by chance or by the clock. */
export interface Snapshot {
  readonly objects: readonly Normal[]
  /** The pods as they came, for the kubelets. */
  readonly pods: readonly unknown[]
}

export interface Normal {
  /** `Pod web-*`. */
  readonly id: string
  readonly object: unknown
}

const COMES_OF: Partial<Readonly<Record<KindName, readonly KindName[]>>> = {
  Deployment: ['ReplicaSet', 'Pod'],
  ReplicaSet: ['Pod'],
  StatefulSet: ['Pod'],
  DaemonSet: ['Pod'],
  Job: ['Pod'],
}

/** The kinds that a sequence can bring about, its own namespace and nodes among them. */
export function kindsOf({ steps }: Sequence): readonly KindName[] {
  const made = steps.flatMap((step) => (step.do === 'ask' && step.method === 'POST' ? kindsInPath(step.path) : []))
  return [...new Set([...made, ...made.flatMap((kind) => COMES_OF[kind] ?? []), 'Namespace', 'Node'] as const)]
}

const kindsInPath = (path: string): readonly KindName[] =>
  (Object.keys(KINDS) as KindName[]).filter(
    (kind) =>
      new RegExp(`/${KINDS[kind].plural}(\\?|/|$)`).test(path) &&
      (kind !== 'Namespace' || /\/namespaces(\?|$)/.test(path)),
  )

export async function takeSnapshot(
  { door }: ControlPlane,
  world: string,
  kinds: readonly KindName[],
): Promise<Snapshot> {
  const found: { readonly kind: KindName; readonly object: unknown }[] = []
  for (const kind of kinds) {
    const { body } = await door.ask('GET', listPath(kind, world))
    for (const object of (field(body, 'items') ?? []) as readonly unknown[]) {
      if (isDrawn(kind, object)) found.push({ kind, object })
    }
  }
  const hashes = found.flatMap(({ object }) => hashesIn(object))
  const objects = found.map(({ kind, object }) => normalOf(kind, object, hashes))
  return {
    objects: objects.toSorted((a, b) => (keyText(a) < keyText(b) ? -1 : 1)),
    pods: found.filter(({ kind }) => kind === 'Pod').map(({ object }) => object),
  }
}

const keyText = ({ id, object }: Normal): string => `${id} ${JSON.stringify(object)}`

/** Controllers tell Events, and give each namespace a ConfigMap, which the embedded cluster does not have. */
export function isDrawn(kind: string, object: unknown): boolean {
  if (kind === 'Event')
    return field(object, 'source.component') === undefined && String(field(object, 'reportingComponent') ?? '') === ''
  return field(object, 'metadata.name') !== 'kube-root-ca.crt'
}

const HASHES = ['pod-template-hash', 'controller-revision-hash']

function hashesIn(object: unknown): readonly string[] {
  const labels = (field(object, 'metadata.labels') ?? {}) as JsonMap
  const revisions = [field(object, 'status.currentRevision'), field(object, 'status.updateRevision')]
  return [...HASHES.map((name) => labels[name]), ...revisions]
    .filter((value): value is string => typeof value === 'string')
    .map((value) => value.slice(value.lastIndexOf('-') + 1))
}

/** An object of an answer or a list, so that those of both planes can be compared. */
export function normalOf(kind: string, object: unknown, hashes: readonly string[] = hashesIn(object)): Normal {
  const generateName = field(object, 'metadata.generateName')
  const own = String(field(object, 'metadata.name') ?? '')
  const isGenerated = typeof generateName === 'string' && own.length === generateName.length + 5
  const name = isGenerated ? `${generateName}*` : own
  const words: readonly (readonly [string, string])[] = [
    ...(own === name ? [] : [[own, name] as const]),
    ...hashes.map((hash) => [hash, 'HASH'] as const),
  ]
  const { apiVersion: _version, kind: _kind, ...rest } = object as JsonMap
  return { id: plain(`${kind} ${name}`, words), object: normal(counted(kind, stepped(kind, placed(rest))), '', words) }
}

/** In how many steps a Deployment scales a ReplicaSet is a matter of moments. */
function stepped(kind: string, object: JsonMap): JsonMap {
  if (kind !== 'ReplicaSet' || controllerOf(object) !== 'Deployment') return object
  const { generation: _generation, ...metadata } = object.metadata as JsonMap
  const { observedGeneration: _observed, ...status } = (object.status ?? {}) as JsonMap
  return { ...object, metadata, status }
}

/** A budget that cannot be computed keeps the numbers of some moment before, and so does a StatefulSet that loses its pods. */
function counted(kind: string, object: JsonMap): JsonMap {
  const conditions = field(object, 'status.conditions')
  const isLost = kind === 'StatefulSet' && field(object, 'metadata.deletionTimestamp') !== undefined
  return isLost || field(conditions, '0.reason') === 'SyncFailed' ? { ...object, status: { conditions } } : object
}

/** Which of its nodes a pod is on is drawn among equals, unless its DaemonSet says it. */
function placed(object: JsonMap): JsonMap {
  const isFree = controllerOf(object) !== 'DaemonSet'
  const spec = object.spec as JsonMap | undefined
  return isFree && typeof spec?.nodeName === 'string' ? { ...object, spec: { ...spec, nodeName: 'NODE' } } : object
}

/** The kind of its controller. A drawn owner may be of the same kind and control nothing. */
function controllerOf(object: JsonMap): unknown {
  const owners = (field(object, 'metadata.ownerReferences') ?? []) as readonly JsonMap[]
  return owners.find(({ controller }) => controller === true)?.kind
}

const LEFT_OUT = new Set([
  'uid',
  'resourceVersion',
  'managedFields',
  'selfLink',
  'daemonEndpoints',
  'serviceAccount',
  'serviceAccountName',
])
/** Lists whose order says nothing. */
const SETS = new Set(['conditions', 'ownerReferences', 'taints'])

function normal(value: unknown, key: string, words: readonly (readonly [string, string])[]): unknown {
  if (typeof value === 'string') return plain(value, words)
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isOfServiceAccount(item)).map((item) => normal(item, key, words))
    return SETS.has(key) ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name))
  return Object.fromEntries(
    entries
      .map(([name, inner]) => [name, normal(inner, name, words)] as const)
      // A Go type writes some fields that are empty, too.
      .filter(([, inner]) => !isEmpty(inner))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const isOfServiceAccount = (item: unknown): boolean => /^kube-api-access-/.test(String(field(item, 'name') ?? ''))

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

function plain(text: string, words: readonly (readonly [string, string])[]): string {
  let result = text.replaceAll(TIME, 'TIME').replaceAll(UID, 'UID')
  for (const [from, to] of words) result = result.replaceAll(from, to)
  // How many nodes there are is another matter on each plane.
  if (/^\d+\/\d+ nodes are available/.test(result)) return 'NODES'
  return result
    .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-*')
    .replaceAll(/((?:ReplicaSet|replica set) "[^"]+-)[a-z0-9]+(?=")/g, '$1HASH')
    .replaceAll(/(pods "[^"]+-)[a-z0-9]{5}(?=" is forbidden)/g, '$1*')
}
