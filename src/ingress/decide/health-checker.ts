import { INGRESS_LABEL } from '../../ground/model/ingress-keys.ts'
import { daemonSetPatch } from '../../ground/model/owned/difference.ts'
import type { FoundDaemonSet } from '../../ground/model/owned/found-workload.ts'
import type { WantedObject } from '../../ground/model/owned/wanted-object.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { HEALTH_ANNOTATION, parseHealthOrder } from '../../service/model/health-order.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import { namedNodes } from './checker-place.ts'
import { hasHealthChecker } from './deployment.ts'
import { wantedHealthDaemonSet } from './health-daemon-set.ts'
import { healthCheckerName } from './names.ts'
import { ownershipOf } from './ownership.ts'
import type { IngressReading } from './reading.ts'

/** Actions on the DaemonSet of `spec.healthChecker`. */
export type HealthCheckerAction =
  | { readonly kind: 'createHealthChecker'; readonly wanted: WantedObject }
  /** Adopts a DaemonSet without an owner that has our name and labels. */
  | { readonly kind: 'adoptHealthChecker'; readonly daemonSet: FoundDaemonSet }
  | {
      readonly kind: 'alignHealthChecker'
      readonly daemonSet: FoundDaemonSet
      readonly patch: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'deleteHealthChecker'; readonly daemonSet: FoundDaemonSet }

interface Decided {
  readonly actions: readonly HealthCheckerAction[]
  readonly reasons: readonly Reason[]
}

const NOTHING: Decided = { actions: [], reasons: [] }

/** All nodes have a checker pod that has lived long enough to answer. */
export function areCheckersReady({ snapshot: { object }, checker }: IngressReading): boolean {
  if (checker === undefined || checker.controller?.uid !== object.uid || checker.deleting) return false
  return checker.isObserved && checker.desired > 0 && checker.available >= checker.desired
}

/**
 * Keeps the DaemonSet of the health checker while the object names an image and has health ports. It is deleted once no Deployment says any
 * more that its pods answer; from that write on, the agents answer.
 */
export function healthChecker(reading: IngressReading): Decided {
  const { checker: found, snapshot } = reading
  const { object } = snapshot
  const { image } = object.spec.healthChecker
  const isWanted = image !== undefined && hasHealthChecker(object.spec)
  if (found === undefined) {
    if (!isWanted) return NOTHING
    return act(object, {
      kind: 'createHealthChecker',
      wanted: wantedHealthDaemonSet(object, image, namedNodes(snapshot, undefined)),
    })
  }
  const ownership = ownershipOf(object, found, { [INGRESS_LABEL]: object.name })
  if (ownership.kind !== 'ours' && ownership.kind !== 'orphan')
    return isWanted
      ? { actions: [], reasons: [taken(object, 'text' in ownership ? ownership.text : LEAVING)] }
      : NOTHING
  if (found.deleting) return NOTHING
  if (!isWanted)
    return ownership.kind === 'ours' && !stillAnswers(reading)
      ? act(object, { kind: 'deleteHealthChecker', daemonSet: found })
      : NOTHING
  if (ownership.kind === 'orphan') return act(object, { kind: 'adoptHealthChecker', daemonSet: found })
  const patch = daemonSetPatch(found, wantedHealthDaemonSet(object, image, namedNodes(snapshot, found)))
  return patch === undefined ? awaited(reading) : act(object, { kind: 'alignHealthChecker', daemonSet: found, patch })
}

function act(object: IngressDaemonSet, action: HealthCheckerAction): Decided {
  const text = `the DaemonSet ${healthCheckerName(object.name)}, which answers health checks, is brought in order`
  return { actions: [action], reasons: [{ code: 'IngressPrepared', object: object.name, text }] }
}

const LEAVING = 'is being deleted, and has no controller'

function taken(object: IngressDaemonSet, text: string): Reason {
  const name = healthCheckerName(object.name)
  return {
    code: 'NameTaken',
    object: object.name,
    text: `the DaemonSet that answers health checks cannot be created: ${name} ${text}`,
    next: `rename or remove the DaemonSet ${name}`,
  }
}

const stillAnswers = ({ deployments: { ours } }: IngressReading): boolean =>
  [...ours.values()].some(({ annotations }) => {
    const order = parseHealthOrder(annotations[HEALTH_ANNOTATION] ?? '')
    return typeof order !== 'string' && order.by === 'pods'
  })

function awaited({ checker, snapshot: { object } }: IngressReading): Decided {
  if (checker === undefined) return NOTHING
  const { name, desired, updated, available, isObserved } = checker
  if (isObserved && available >= desired && updated >= desired) return NOTHING
  const text = `not all pods of DaemonSet ${name}, which answer health checks, are available with the current template`
  return { actions: [], reasons: [{ code: 'HealthCheckersMissing', object: object.name, text }] }
}
