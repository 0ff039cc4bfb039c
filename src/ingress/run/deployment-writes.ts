import {
  NODE_UID_ANNOTATION,
  RETRY_ANNOTATION,
  REVISION_HASH_LABEL,
  SKIP_ANNOTATION,
} from '../../ground/model/ingress-keys.ts'
import type { Node } from '../../ground/model/node.ts'
import { deploymentPatch } from '../../ground/model/owned/difference.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { NodeIdentity } from '../../ground/model/owned/node-names.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import { HEALTH_ANNOTATION } from '../../service/model/health-order.ts'
import type { NodeAction } from '../decide/action.ts'
import { healthOrder, wantedDeployment } from '../decide/deployment.ts'
import { formatOp, OP_ANNOTATION } from '../decide/op.ts'
import type { IngressReading } from '../decide/reading.ts'
import { formatRejection } from '../decide/rejection.ts'
import { specAt } from '../decide/revision.ts'
import { GAVE_UP_ANNOTATION, type IngressSnapshot, isGivingWay, REJECTED_ANNOTATION } from '../decide/snapshot.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'

type Json = Readonly<Record<string, unknown>>
type Of<K extends NodeAction['kind']> = Extract<NodeAction, { readonly kind: K }>

/** A new Deployment of a node, which has its operation and its mark from the beginning. */
export function newDeployment(
  reading: IngressReading,
  { revision, op, mark }: Of<'createDeployment'>,
  { identity, node }: { readonly identity: NodeIdentity; readonly node: Node },
): WantedObject {
  const { object } = reading.snapshot
  const wanted = wantedAt(reading, { revision, identity, replicas: object.spec.podsPerNode })
  const annotations = {
    ...wanted.metadata.annotations,
    [OP_ANNOTATION]: formatOp(op),
    [mark.key]: mark.value,
    [NODE_UID_ANNOTATION]: node.uid,
  }
  return { ...wanted, metadata: { ...wanted.metadata, annotations } }
}

interface Wanted {
  readonly revision: string
  readonly identity: NodeIdentity
  readonly replicas: number
  readonly found?: FoundDeployment
  /** All pods are replaced at once, whatever the strategy of the object. */
  readonly atOnce?: boolean
}

/** The Deployment with the template of that revision. Throws REVISION_MISSING if the revision is not stored any more. */
function wantedAt(reading: IngressReading, { revision, atOnce = false, ...order }: Wanted): WantedObject {
  const { object } = reading.snapshot
  const kept = reading.revisions.find(({ labels }) => labels[REVISION_HASH_LABEL] === revision)
  const spec = kept === undefined ? undefined : specAt(object.spec, kept)
  if (kept === undefined || spec === undefined)
    throw new WorldError(`revision ${revision} of ${object.name} is not kept, or cannot be read`, {
      code: 'REVISION_MISSING',
      retry: 'backoff',
    })
  const number = typeof kept.content.revision === 'number' ? kept.content.revision : 0
  const ids = { ...object, spec: atOnce ? { ...spec, strategy: ALL_AT_ONCE } : spec }
  const health = { givesWay: isGivingWay(reading.snapshot) }
  return wantedDeployment(ids, { ...order, health, revision: { number, hash: revision } })
}

const ALL_AT_ONCE: IngressDaemonSet['spec']['strategy'] = {
  kind: 'detach',
  maxUnavailableNodes: { kind: 'count', count: 1 },
}

/** Undefined: the Deployment is as wanted already. */
export function templatePatch(
  reading: IngressReading,
  { revision, replicas, atOnce }: Of<'applyTemplate'>,
  { found, identity }: { readonly found: FoundDeployment; readonly identity: NodeIdentity },
): Json | undefined {
  const wanted = wantedAt(reading, { revision, identity, replicas, atOnce, found })
  const patch = deploymentPatch(found, wanted, 'replace')
  if (!(REJECTED_ANNOTATION in found.annotations)) return patch
  return withAnnotations(patch ?? {}, { found, annotations: { [REJECTED_ANNOTATION]: null } })
}

type Annotated = Pick<FoundDeployment, 'annotations' | 'ready'>

/** The annotations that an action writes on a Deployment; null removes one. The health order is always among them, if it changes. */
export function annotationsOf(
  action: NodeAction,
  snapshot: Pick<IngressSnapshot, 'object' | 'conflicts'>,
  found: Annotated,
): Readonly<Record<string, string | null>> {
  const written = ofAction(action, found) ?? {}
  const { ready } = found
  const after = Object.entries({ ...found.annotations, ...written }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  )
  const { spec } = snapshot.object
  const before = { annotations: Object.fromEntries(after), ready }
  const health = healthOrder(spec, before, { givesWay: isGivingWay(snapshot) })
  return health === found.annotations[HEALTH_ANNOTATION] ? written : { ...written, [HEALTH_ANNOTATION]: health }
}

function ofAction(action: NodeAction, found: Annotated): Readonly<Record<string, string | null>> | undefined {
  switch (action.kind) {
    case 'writeOp':
      return {
        [OP_ANNOTATION]: formatOp(action.op),
        ...(action.mark === undefined ? {} : { [action.mark.key]: action.mark.value }),
        ...gone(found, GAVE_UP_ANNOTATION),
        ...skipGone(found, action.op.id),
        ...(action.isRetry === true ? gone(found, RETRY_ANNOTATION) : {}),
      }
    case 'clearOp':
      return {
        [OP_ANNOTATION]: null,
        ...gone(found, RETRY_ANNOTATION),
        ...skipGone(found, action.gaveUp),
        ...(action.gaveUp === undefined ? gone(found, GAVE_UP_ANNOTATION) : { [GAVE_UP_ANNOTATION]: action.gaveUp }),
      }
    case 'unmarkDeployment':
      return { [action.key]: null }
    case 'noteNode':
      return { [NODE_UID_ANNOTATION]: action.uid }
    case 'scale':
      if (action.rejected !== undefined) return { [REJECTED_ANNOTATION]: formatRejection(action.rejected) }
      return {
        ...gone(found, REJECTED_ANNOTATION),
        ...(OP_ANNOTATION in found.annotations ? {} : gone(found, SKIP_ANNOTATION)),
      }
    default:
      return undefined
  }
}

const gone = ({ annotations }: Annotated, key: string): Readonly<Record<string, null>> =>
  key in annotations ? { [key]: null } : {}

/** A person's skip counts for what it names alone. It goes with the write after which that does not stand any more. */
const skipGone = (found: Annotated, named: string | undefined): Readonly<Record<string, null>> =>
  found.annotations[SKIP_ANNOTATION] === named ? {} : gone(found, SKIP_ANNOTATION)

/** Adds annotations to a patch, and the version that was read, so that one of two writers is refused. */
export function withAnnotations(
  patch: Json,
  { found, annotations }: { readonly found: FoundDeployment; readonly annotations: Json },
): Json {
  const metadata = (patch.metadata ?? {}) as Json
  return {
    ...patch,
    metadata: {
      ...metadata,
      resourceVersion: found.resourceVersion,
      annotations: { ...(metadata.annotations as Json | undefined), ...annotations },
    },
  }
}
