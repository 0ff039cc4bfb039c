import type { ControlPlane } from '../../contract/control/control-plane.ts'
import { embeddedPlane } from '../../contract/doors/control-planes.ts'
import { type Difference, differencesOf } from './compare.ts'
import { listPath } from './paths.ts'
import { play } from './play.ts'
import type { Seen } from './seen.ts'
import { kindsOf } from './snapshot.ts'
import type { Sequence } from './step.ts'

export interface Compared {
  readonly sequence: Sequence
  readonly differences: readonly (Difference & { readonly step: number })[]
  readonly embeddedMs: number
  readonly realMs: number
}

/** Plays a sequence on both planes: first in virtual time, then on the real cluster. */
export async function compareSequence(sequence: Sequence, real: ControlPlane): Promise<Compared> {
  const beganMs = performance.now()
  const embedded = embeddedPlane(`differential ${sequence.seed}`)
  const ours = await play(embedded, sequence)
  await embedded.close()
  const betweenMs = performance.now()
  const theirs = await play(real, sequence, ours)
  const realMs = performance.now() - betweenMs
  await cleanUp(real, sequence)
  const differences = ours.flatMap((seen: Seen, step) => {
    const other = theirs[step]
    return other === undefined ? [] : differencesOf(seen, other).map((difference) => ({ ...difference, step }))
  })
  return { sequence, differences, embeddedMs: betweenMs - beganMs, realMs }
}

/**
 * Whatever holds it. The namespace stays as long as the control plane: to empty one takes more requests than a sequence.
 */
async function cleanUp({ door }: ControlPlane, sequence: Sequence): Promise<void> {
  const contentType = 'application/merge-patch+json'
  const kinds = kindsOf(sequence).filter((kind) => kind !== 'Namespace' && kind !== 'Event')
  for (const kind of kinds) {
    const list = listPath(kind, sequence.name)
    const { body } = await door.ask('GET', list)
    const items = ((body as { readonly items?: readonly unknown[] }).items ?? []) as readonly {
      readonly metadata: { readonly name: string; readonly finalizers?: readonly string[] }
    }[]
    for (const { metadata } of items) {
      const path = list.replace(/\?.*|$/, `/${metadata.name}`)
      if (metadata.finalizers !== undefined)
        await door.ask('PATCH', path, { contentType, body: { metadata: { finalizers: null } } })
      const grace = kind === 'Pod' ? '?gracePeriodSeconds=0' : ''
      await door.ask('DELETE', `${path}${grace}`, { body: { propagationPolicy: 'Background' } })
    }
  }
}
