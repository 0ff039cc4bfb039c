import type { ApiObject } from './api-object.ts'
import { PODS } from './api-resource.ts'
import { stampOf, type World } from './world.ts'

export interface DisruptionMark {
  readonly pod: ApiObject
  readonly reason: string
  readonly message: string
}

interface Conditioned {
  readonly conditions?: readonly { readonly type: string }[]
}

/** Says on a pod that did nothing wrong why it has to go (KEP-3329, condition `DisruptionTarget`); the pod as it is then. */
export function markDisrupted(world: World, { pod, reason, message }: DisruptionMark): ApiObject {
  const status = (pod.status ?? {}) as Conditioned
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget')
  const lastTransitionTime = stampOf(world.clock.wallMs())
  const mark = { type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime }
  return world.store.put(PODS, { ...pod, status: { ...status, conditions: [...others, mark] } })
}
