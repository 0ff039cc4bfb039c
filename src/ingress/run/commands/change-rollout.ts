import { DEPLOYMENTS } from '../../../ground/loop/owned/owned-kinds.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Objects } from '../../../ground/ports/objects.ts'
import { type CheckedIngress, ingressKind } from '../../decide/ingress-kind.ts'
import type { RolloutChange } from '../../decide/rollout/changes.ts'
import type { OfIngress } from '../../decide/rollout/history.ts'
import { findIngress, type IngressAddress } from './find-ingress.ts'
import { ofIngress } from './of-ingress.ts'

interface Changing {
  readonly objects: Pick<Objects, 'get' | 'list' | 'patch'>
  readonly at: IngressAddress
  readonly decide: (object: CheckedIngress, of: OfIngress) => RolloutChange
  /** Writes nothing. */
  readonly isDry: boolean
}

export interface Changed {
  readonly object: CheckedIngress
  readonly change: Exclude<RolloutChange, { readonly kind: 'refused' }>
}

/** After a conflict with another write, the change is decided again, at most so often. */
const TRIES = 5

/**
 * Reads the object, decides, and writes on the version that was read. Rejects with UserError if the change is refused, and with WorldError.
 */
export async function changeRollout(changing: Changing, signal: AbortSignal): Promise<Changed> {
  const { objects, at, decide, isDry } = changing
  for (let tries = 1; ; tries += 1) {
    const object = await findIngress(objects, at, signal)
    const change = decide(object, await ofIngress(objects, object, signal))
    if (change.kind === 'refused') throw new UserError(change.text, { code: 'rollout.refused', fix: change.fix })
    if (change.kind === 'nothing' || isDry) return { object, change }
    try {
      await writeAll(objects, { object, change }, signal)
      return { object, change }
    } catch (error) {
      if (!(error instanceof WorldError) || error.code !== 'KUBE_CONFLICT' || tries === TRIES) throw error
    }
  }
}

async function writeAll(
  objects: Changing['objects'],
  { object, change }: { readonly object: CheckedIngress; readonly change: Extract<RolloutChange, { kind: 'write' }> },
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, group } = object
  for (const { deployment, patch } of change.writes) {
    if (deployment === undefined) await objects.patch({ kind: ingressKind(group), namespace, name, patch }, signal)
    else await objects.patch({ kind: DEPLOYMENTS, namespace, name: deployment, patch }, signal)
  }
}
