import type { OwnedEffects } from '../../ground/loop/owned/owned-effects.ts'
import { DAEMON_SETS } from '../../ground/loop/owned/owned-kinds.ts'
import type { FoundDaemonSet } from '../../ground/model/owned/found-workload.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { HealthCheckerAction } from '../decide/health-checker.ts'
import type { ObjectAction } from '../decide/household.ts'
import { ingressKind } from '../decide/ingress-kind.ts'
import { wantedMetadata } from '../decide/wanted-metadata.ts'
import type { IngressDaemonSet } from '../model/ingress-daemon-set.ts'
import type { IngressMemory } from './ingress-memory.ts'

interface WritesParts {
  readonly objects: Pick<Objects, 'get'>
  readonly owned: OwnedEffects
  readonly unshown: Pick<IngressMemory, 'daemonSets'>
}

/** One write to the DaemonSet of a health checker, under the version that it was decided by. */
export class HealthCheckerWrites {
  readonly #parts: WritesParts

  constructor(parts: WritesParts) {
    this.#parts = parts
  }

  /** Rejects with WorldError, and with the signal's reason. */
  async perform(action: HealthCheckerAction, object: IngressDaemonSet, signal: AbortSignal): Promise<void> {
    const { owned } = this.#parts
    const { namespace } = object
    switch (action.kind) {
      case 'createHealthChecker': {
        const found = await owned.create({ kind: DAEMON_SETS, namespace }, action.wanted, signal)
        if (found !== undefined) this.#parts.unshown.daemonSets.note(found)
        return
      }
      case 'alignHealthChecker':
        return owned.patch(DAEMON_SETS, { found: action.daemonSet, patch: action.patch }, signal)
      case 'adoptHealthChecker':
        return this.#adopt(action.daemonSet, object, signal)
      case 'deleteHealthChecker':
        return owned.delete(DAEMON_SETS, action.daemonSet, signal)
    }
  }

  /** The owner is read once more: a successor of the same name owns nothing. The write names the version of the other. */
  async #adopt(found: FoundDaemonSet, object: IngressDaemonSet, signal: AbortSignal): Promise<void> {
    const { group, namespace, name, uid } = object
    const owner = await this.#parts.objects.get({ kind: ingressKind(group), namespace, name }, signal)
    if (owner?.uid !== uid || owner.deleting) return
    const { ownerReferences } = wantedMetadata(object, { name: found.name })
    const metadata = {
      resourceVersion: found.resourceVersion,
      ownerReferences: [...found.owners, ...ownerReferences],
    }
    await this.#parts.owned.patch(DAEMON_SETS, { found, patch: { metadata } }, signal)
  }
}

const KINDS: ReadonlySet<string> = new Set<HealthCheckerAction['kind']>([
  'createHealthChecker',
  'adoptHealthChecker',
  'alignHealthChecker',
  'deleteHealthChecker',
])

export const isOfHealthChecker = (action: ObjectAction): action is HealthCheckerAction => KINDS.has(action.kind)
