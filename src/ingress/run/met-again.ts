import { DAEMON_SETS, DEPLOYMENTS, GATES } from '../../ground/loop/owned/owned-kinds.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { IngressMemory, Met } from './ingress-memory.ts'

interface AskingParts {
  readonly objects: Pick<Objects, 'get'>
  readonly memory: Pick<IngressMemory, 'deployments' | 'daemonSets' | 'gates'>
  readonly clock: Pick<Clock, 'monoMs'>
}

/** Of others no watch says that they are gone. Until then their names are taken, and nothing is made in vain. */
export async function metAgain(
  { objects, memory, clock }: AskingParts,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const ask = async <T extends OwnedObject>(kind: ObjectKind<T>, met: Met<T>): Promise<void> => {
    for (const one of met.longAgo(namespace, clock.monoMs())) {
      const found = await stillThere(one, objects.get({ kind, namespace, name: one.name }, signal))
      if (found === undefined) met.forget(one)
      else met.meet(found, clock.monoMs())
    }
  }
  await ask(DEPLOYMENTS, memory.deployments)
  await ask(DAEMON_SETS, memory.daemonSets)
  await ask(GATES, memory.gates)
}

/** As it was, where it cannot be asked for now. */
async function stillThere<T extends OwnedObject>(known: T, asked: Promise<T | undefined>): Promise<T | undefined> {
  try {
    const found = await asked
    return found?.resourceVersion === known.resourceVersion ? known : found
  } catch (error) {
    if (error instanceof WorldError) return known
    throw error
  }
}
