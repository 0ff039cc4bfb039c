import type { ControlPlane } from '../../contract/control/control-plane.ts'
import { embeddedPlane } from '../../contract/doors/control-planes.ts'
import { type Difference, differencesOf } from './compare.ts'
import { KINDS, type KindName, listPath } from './paths.ts'
import { play } from './play.ts'
import type { Seen } from './seen.ts'
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
  await cleanUp(real, sequence.name)
  const differences = ours.flatMap((seen: Seen, step) => {
    const other = theirs[step]
    return other === undefined ? [] : differencesOf(seen, other).map((difference) => ({ ...difference, step }))
  })
  return { sequence, differences, embeddedMs: betweenMs - beganMs, realMs }
}

/** What has no namespace, then the namespace with all in it, whatever holds it. */
async function cleanUp({ door }: ControlPlane, world: string): Promise<void> {
  const merge = 'application/merge-patch+json'
  const kinds = (Object.keys(KINDS) as KindName[]).filter((kind) => kind !== 'Event')
  for (const kind of kinds.toReversed()) {
    const { body } = await door.ask('GET', listPath(kind, world))
    const items = ((body as { readonly items?: readonly unknown[] }).items ?? []) as readonly {
      readonly metadata: { readonly name: string; readonly finalizers?: readonly string[] }
    }[]
    for (const { metadata } of items) {
      const path = listPath(kind, world).replace(/\?.*|$/, `/${metadata.name}`)
      if (metadata.finalizers !== undefined)
        await door.ask('PATCH', path, { contentType: merge, body: { metadata: { finalizers: null } } })
      if (!KINDS[kind].namespaced) await door.ask('DELETE', path, { body: { propagationPolicy: 'Background' } })
      else if (kind === 'Pod') await door.ask('DELETE', `${path}?gracePeriodSeconds=0`)
    }
  }
}
